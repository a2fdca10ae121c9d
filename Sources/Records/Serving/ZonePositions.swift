import Sodium
package import Wire

/// The sizes of a zone's logs, as replicas state and compare them.
package struct ZonePositions {
    private let zone: ZoneID

    /// Works with a zone.
    package init(of zone: ZoneID) {
        self.zone = zone
    }

    /// The effective part of each log of a zone: the sizes that replicas compare, ascending by log.
    ///
    /// Logs that end at zero are listed with size zero, so that others learn not to wait for them.
    /// - Returns: Each log's row with its effective size and the root at that size.
    /// - Complexity: O(logs), and O(leaves since a retained head) for logs that are cut inside.
    package func all(
        in transaction: some ReplicaTransaction
    ) throws -> [(row: LogRow, size: UInt64, root: Hash)] {
        let zone = try transaction.knownZone(self.zone)
        return try transaction.logs(zone: zone.id).map { row in
            let size = min(row.heldSize, row.statedLimit(in: zone, transaction.controlBounds))
            if size == 0 { return (row, 0, Hash.zero) }
            return (row, size, try StoredLog(row).root(at: size, in: transaction) ?? .zero)
        }
    }

    /// The held and effective size of each log of a zone, within a bound: the sizes that an operation may state about
    /// the past.
    ///
    /// Of control logs no more than the applied part, since the operation's vector covers only that.
    /// - Parameters:
    ///   - transaction: The store.
    ///   - bound: The maximum size of a log to state; zero for none.
    /// - Returns: The positions of the logs with a stated size, ascending.
    /// - Throws: `.unknownZone`.
    /// - Complexity: as ``all(in:)``.
    package func statable(
        in transaction: some ReplicaTransaction,
        atMost bound: (LogRow) throws -> UInt64
    ) throws -> [LogPosition] {
        let zone = try transaction.knownZone(self.zone)
        var positions: [LogPosition] = []
        for row in try transaction.logs(zone: zone.id) {
            let held = row.key.lane == .control ? min(row.appliedSize, row.heldSize) : row.heldSize
            let size = min(held, row.effectiveLimit(in: zone, transaction.controlBounds), try bound(row))
            assert(size <= row.size, "no more of a log is stated than is held")
            guard size > 0, let root = try StoredLog(row).root(at: size, in: transaction) else { continue }
            positions.append(LogPosition(actor: row.key.actor, lane: row.key.lane, size: size, root: root))
        }
        return positions.sorted { $0.key < $1.key }
    }

    /// The digest of everything effective in a zone: equal on two replicas exactly when the effective parts of the
    /// compared logs are equal and both know the same forks of them.
    /// - Complexity: as ``all(in:)``.
    package func digest(in transaction: some ReplicaTransaction) throws -> Hash {
        var writer = WireWriter(capacity: 256)
        for (row, size, root) in try all(in: transaction) where row.isCompared && (size > 0 || row.isForked) {
            writer.write(row.key.actor)
            writer.write(row.key.lane)
            writer.writeVarint(size)
            writer.write(root)
            // A peer without the proof has to learn of it: other logs name operations behind the fork.
            writer.writeVarint(row.forkProof.map { $0.forkPoint &+ 1 } ?? 0)
        }
        return Hash(digesting: .zoneDigest, writer.bytes)
    }
}
