import Wire

/// The evictions of a store in memory: its own attempts, and its promises to other devices.
struct MemoryEvictions: Sendable {
    /// The number of the attempt to evict a payload.
    var attempts: [PayloadID: UInt64] = [:]
    /// The end of the promise to keep a payload.
    var promises: [PayloadID: UInt64] = [:]

    /// The promises that ended by a time, and those that end behind another one, in the order of their ends.
    func promises(endedBy end: UInt64, beyond: UInt64, limit: Int) -> [RetentionRow] {
        let found = promises.filter { $0.value <= end || $0.value > beyond }
        let sorted = found.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        return sorted.prefix(limit).map { RetentionRow(payload: $0.key, until: $0.value) }
    }
}
