import Sodium
package import Wire

/// The replication core: the effects of a commit, a received run, a cut and a checkpoint on a store.
///
/// Stateless functions over an open ``ReplicaTransaction``; all state is in the transaction. Each function either
/// succeeds as a whole or throws, and then the transaction is rolled back. Nothing here reads a clock, signs with a
/// key of its own or knows the connected peers, so two replicas that hold the same operations are in the same state.
///
/// It throws `ReplicaError`, and any error of the transaction's storage, unchanged.
package enum Replica {
    // MARK: Zones

    /// Makes a zone known to this replica, as its creator or because a member announced it.
    ///
    /// As long as there are no records, another key replaces the known one: the device that offered the zone first
    /// may have invented the key.
    /// - Parameters:
    ///   - id: The zone's id; the caller has checked that it is the genesis' hash.
    ///   - genesis: The zone's genesis.
    ///   - tagKey: The 32-byte key of its record tags.
    ///   - transaction: The store.
    /// - Returns: True when the zone was not known before.
    /// - Throws: `.zoneMismatch` when it is known with another genesis, or has records under another tag key.
    @discardableResult
    package static func createZone(
        _ id: ZoneID,
        genesis: ZoneGenesis,
        tagKey: [UInt8],
        in transaction: inout some ReplicaTransaction
    ) throws -> Bool {
        guard tagKey.count == SymmetricKey.byteCount else { throw ReplicaError.damaged("a tag key has 32 bytes") }
        if var known = try transaction.zone(id) {
            guard known.genesis == genesis else { throw ReplicaError.zoneMismatch(id) }
            guard known.tagKey != tagKey else { return false }
            guard try transaction.logs(zone: id).allSatisfy({ $0.key.lane == .control || $0.size == 0 }) else {
                throw ReplicaError.zoneMismatch(id)
            }
            known.tagKey = tagKey
            try transaction.save(known)
            return false
        }
        try transaction.save(ZoneRow(id: id, genesis: genesis, tagKey: tagKey))
        return true
    }

    /// The row of a zone that must be known.
    static func knownZone(_ id: ZoneID, in transaction: some ReplicaTransaction) throws -> ZoneRow {
        guard let zone = try transaction.zone(id) else { throw ReplicaError.unknownZone(id) }
        return zone
    }

    // MARK: Records

    /// The live operations of a record that can be read here, one sibling for each, ascending by dot.
    /// - Complexity: O(siblings).
    package static func siblings(
        zone: ZoneID,
        tag: RecordTag,
        in transaction: some ReplicaTransaction
    ) throws -> [Sibling] {
        guard let row = try transaction.record(zone: zone, tag: tag) else { return [] }
        let live = Set(row.live)
        return try transaction.operations(zone: zone, tags: [tag], states: [.live])
            .filter { live.contains($0.dot) }
            .compactMap { try transaction.sibling($0, zone: zone) }
            .sorted { $0.dot < $1.dot }
    }

    /// Hides records that have no live operation, because the operations that superseded the last ones were pruned as
    /// well.
    ///
    /// Called when a checkpoint's live set has shown that no more operations under it will arrive.
    /// - Parameters:
    ///   - records: Rows without a live operation.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package static func withdraw(_ records: [RecordRow], in transaction: inout some ReplicaTransaction) throws {
        try transaction.save(records.map { RecordRow(vanished: $0, context: $0.context) }, bySync: true)
    }

    /// The tag of a record's name in a zone.
    /// - Throws: `.unknownZone`.
    package static func tag(
        of name: String,
        zone: ZoneID,
        in transaction: some ReplicaTransaction
    ) throws -> RecordTag {
        RecordTag(name: name, key: try tagKey(of: try knownZone(zone, in: transaction)))
    }

    static func tagKey(of zone: ZoneRow) throws -> SymmetricKey {
        do {
            return try SymmetricKey(bytes: zone.tagKey, placement: .transient)
        } catch {
            throw ReplicaError.damaged("a tag key has 32 bytes")
        }
    }
}
