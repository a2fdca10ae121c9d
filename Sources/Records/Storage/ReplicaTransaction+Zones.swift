import Sodium
package import Wire

extension ReplicaTransaction {
    /// Makes a zone known to this replica, as its creator or because a member announced it.
    ///
    /// As long as there are no records, another key replaces the known one: the device that offered the zone first
    /// may have invented the key.
    /// - Parameters:
    ///   - id: The zone's id; the caller has checked that it is the genesis' hash.
    ///   - genesis: The zone's genesis.
    ///   - tagKey: The 32-byte key of its record tags.
    /// - Returns: True when the zone was not known before.
    /// - Throws: `.zoneMismatch` when it is known with another genesis, or has records under another tag key.
    @discardableResult
    package mutating func createZone(
        _ id: ZoneID,
        genesis: ZoneGenesis,
        tagKey: [UInt8]
    ) throws -> Bool {
        guard tagKey.count == SymmetricKey.byteCount else { throw ReplicaError.damaged("a tag key has 32 bytes") }
        if var known = try zone(id) {
            guard known.genesis == genesis else { throw ReplicaError.zoneMismatch(id) }
            guard known.tagKey != tagKey else { return false }
            guard try logs(zone: id).allSatisfy({ $0.key.lane == .control || $0.size == 0 }) else {
                throw ReplicaError.zoneMismatch(id)
            }
            known.tagKey = tagKey
            try save(known)
            return false
        }
        try save(ZoneRow(id: id, genesis: genesis, tagKey: tagKey))
        return true
    }

    /// The row of a zone that must be known.
    func knownZone(_ id: ZoneID) throws -> ZoneRow {
        guard let zone = try zone(id) else { throw ReplicaError.unknownZone(id) }
        return zone
    }

    /// The live operations of a record that can be read here, one sibling for each, ascending by dot.
    /// - Complexity: O(siblings).
    package func siblings(zone: ZoneID, tag: RecordTag) throws -> [Sibling] {
        guard let row = try record(zone: zone, tag: tag) else { return [] }
        let live = Set(row.live)
        return try operations(zone: zone, tags: [tag], states: [.live])
            .filter { live.contains($0.dot) }
            .compactMap { try sibling($0, zone: zone) }
            .sorted { $0.dot < $1.dot }
    }

    /// Whether held operations wait for a log.
    /// - Parameter key: The log.
    /// - Returns: False for a log that no operation names.
    /// - Throws: `.unknownZone`, or errors of the store.
    /// - Complexity: O(logs), and of each that waits O(logs).
    package func isAwaited(_ key: LogKey) throws -> Bool {
        let logs = try ZoneLogs(zone: try knownZone(key.zone), in: self)
        return try logs.awaited(in: self).contains(key)
    }

    /// Hides records that have no live operation, because the operations that superseded the last ones were pruned as
    /// well.
    ///
    /// Called when a checkpoint's live set has shown that no more operations under it will arrive.
    /// - Parameter records: Rows without a live operation.
    /// - Throws: Any error of the store.
    package mutating func withdraw(_ records: [RecordRow]) throws {
        assert(records.allSatisfy(\.live.isEmpty), "only records without a live operation are hidden")
        try save(records.map { RecordRow(vanished: $0, context: $0.context) }, bySync: true)
    }
}
