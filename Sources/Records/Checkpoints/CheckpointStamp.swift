package import Wire

/// The state of a zone in a snapshot, as far as work on its checkpoints depends on it.
///
/// The live set at given sizes is a function of the operations at or below them that are applied and count. So it stays what it is while
/// logs only grow, and while nothing is decided anew about which part of them counts. What the rows of zone and logs do not show is for
/// the caller to count: that an operation gave way to a gap, that a gap came in, or that something could be read which had been locked.
package struct CheckpointStamp: Equatable, Sendable {
    private let zone: ZoneRow
    private let logs: [LogRow]

    /// Reads what a zone is.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store, or a snapshot of it.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs).
    package init(zone: ZoneID, in transaction: some ReplicaTransaction) throws {
        self.zone = try Replica.knownZone(zone, in: transaction)
        logs = try transaction.logs(zone: zone)
    }

    /// Whether a zone is what it was, but for operations that have come in behind those in its data logs.
    /// - Parameter transaction: The store.
    /// - Returns: False also when a log has begun.
    /// - Throws: Any error of the store.
    /// - Complexity: O(logs).
    package func stands(in transaction: some ReplicaTransaction) throws -> Bool {
        guard try transaction.zone(zone.id) == zone else { return false }
        let now = try transaction.logs(zone: zone.id)
        return now.count == logs.count && zip(logs, now).allSatisfy { $1.continues($0) }
    }
}

extension LogRow {
    /// Whether this is an earlier row of the same log, or one that nothing but growth has led from to here.
    ///
    /// Where a log ends that is cut or forked, and what of one with a hole counts, may depend on how much of it is held.
    fileprivate func continues(_ earlier: LogRow) -> Bool {
        guard key.lane == .data, cut == nil, forkProof == nil, hole == nil else { return self == earlier }
        guard size >= earlier.size, appliedSize >= earlier.appliedSize else { return false }
        var grown = earlier
        (grown.size, grown.byteCount, grown.frontier, grown.appliedSize) = (size, byteCount, frontier, appliedSize)
        return self == grown
    }
}
