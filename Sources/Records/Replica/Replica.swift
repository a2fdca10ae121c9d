import Sodium
package import Wire

/// The replication core: what a commit, a received run, a cut and a checkpoint do to a store.
///
/// Stateless functions over an open ``ReplicaTransaction``; all state is in the transaction. Each function either does
/// all it says or throws, and then the transaction is rolled back. Nothing here reads a clock, signs with a key of its
/// own or knows who is connected, so two replicas that hold the same operations are in the same state.
///
/// Thrown are `ReplicaError`, and whatever the transaction's storage throws, unchanged.
package enum Replica {
    // MARK: Zones

    /// Makes a zone known to this replica, as its creator or because a member told of it.
    /// - Parameters:
    ///   - id: The zone's id; the caller has checked that it is the genesis' hash.
    ///   - genesis: The zone's genesis.
    ///   - tagKey: The 32-byte key of its record tags.
    ///   - transaction: The store.
    /// - Returns: True when the zone was not known before.
    /// - Throws: `.zoneMismatch` when it is known with another genesis or tag key.
    @discardableResult
    package static func createZone(
        _ id: ZoneID,
        genesis: ZoneGenesis,
        tagKey: [UInt8],
        in transaction: inout some ReplicaTransaction
    ) throws -> Bool {
        if let known = try transaction.zone(id) {
            guard known.genesis == genesis, known.tagKey == tagKey else { throw ReplicaError.zoneMismatch(id) }
            return false
        }
        guard tagKey.count == SymmetricKey.byteCount else { throw ReplicaError.damaged("a tag key has 32 bytes") }
        try transaction.save(ZoneRow(id: id, genesis: genesis, tagKey: tagKey))
        return true
    }

    /// The row of a zone that must be known.
    static func knownZone(_ id: ZoneID, in transaction: some ReplicaTransaction) throws -> ZoneRow {
        guard let zone = try transaction.zone(id) else { throw ReplicaError.unknownZone(id) }
        return zone
    }

    // MARK: Reading

    /// What is live of a record, one sibling for each operation, ascending by dot.
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
            .map { Sibling(actor: $0.actor, header: $0.operation.header, body: try $0.recordBody()) }
            .sorted { $0.dot < $1.dot }
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
