import Wire

/// The evictions of a store in memory: its own attempts, its promises to other devices, and the statements of these.
struct MemoryEvictions: Sendable {
    /// The number of the attempt to evict a payload.
    var attempts: [PayloadID: UInt64] = [:]
    /// The end of the promise to keep a payload.
    var promises: [PayloadID: UInt64] = [:]
    /// The last statement of each device about a payload.
    var statements: [PayloadID: [DeviceID: HolderRow]] = [:]

    /// Statements of a device that are due by a time, in the order in which they are.
    func statements(of device: DeviceID, dueBy end: UInt64, after last: HolderRow?, limit: Int) -> [HolderRow] {
        let found = statements.values.compactMap { $0[device] }.filter { row in
            row.due <= end && (last.map { ($0.due, $0.payload) < (row.due, row.payload) } ?? true)
        }
        return Array(found.sorted { ($0.due, $0.payload) < ($1.due, $1.payload) }.prefix(limit))
    }

    /// Forgets some statements of a device.
    /// - Returns: Whether there was one.
    mutating func removeStatements(of device: DeviceID, limit: Int) -> Bool {
        let found = statements.filter { $0.value[device] != nil }.keys.sorted().prefix(limit)
        for payload in found {
            statements[payload]?[device] = nil
            if statements[payload]?.isEmpty == true { statements[payload] = nil }
        }
        return !found.isEmpty
    }

    /// The promises that ended by a time, and those that end behind another one, in the order of their ends.
    func promises(endedBy end: UInt64, beyond: UInt64, limit: Int) -> [RetentionRow] {
        let found = promises.filter { $0.value <= end || $0.value > beyond }
        let sorted = found.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        return sorted.prefix(limit).map { RetentionRow(payload: $0.key, until: $0.value) }
    }
}
