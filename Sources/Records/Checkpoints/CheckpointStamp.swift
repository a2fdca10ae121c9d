package import Wire

/// The state of a zone in a snapshot, as far as work on its checkpoints depends on it.
///
/// The live set at given sizes is a function of the applied and effective operations at or below them. So it stays
/// the same while logs only grow, and while no new decision changes their effective part. The caller has to count the
/// changes that the rows of zone and logs do not show: an operation that became a gap, an arriving gap, or a locked
/// operation that became readable.
package struct CheckpointStamp: Equatable, Sendable {
    private let zone: ZoneRow
    private let logs: [LogRow]

    /// Reads the rows of a zone and its logs.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store, or a snapshot of it.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs).
    package init(zone: ZoneID, in transaction: some ReplicaTransaction) throws {
        self.zone = try transaction.knownZone(zone)
        logs = try transaction.logs(zone: zone)
    }

    /// Whether a zone is unchanged, except for operations that were appended to its data logs.
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
    /// Whether this is the same row as an earlier one of the log, or differs from it by growth alone.
    ///
    /// The end of a log that is cut or forked, and the effective part of one with a hole, may depend on how much of
    /// it is held.
    fileprivate func continues(_ earlier: LogRow) -> Bool {
        guard key.lane == .data, cut == nil, forkProof == nil, hole == nil else { return self == earlier }
        guard size >= earlier.size, appliedSize >= earlier.appliedSize else { return false }
        var grown = earlier
        (grown.size, grown.byteCount, grown.frontier, grown.appliedSize) = (size, byteCount, frontier, appliedSize)
        return self == grown
    }
}
