package import Wire

extension Quarantine {
    /// Drops the content of a quarantined operation; its leaf's hash stays in its place, so that the log can be
    /// verified.
    ///
    /// Purges only above a cut, where no digest, no live set and no checkpoint reaches. It refuses to purge in a log
    /// of this device, the only device that certainly holds all of it, should the cut be lifted. It refuses to purge
    /// an operation that an effective one names: other replicas would wait for it then.
    /// - Parameters:
    ///   - dot: The operation, as the list names it.
    ///   - device: The local device.
    ///   - transaction: The store.
    /// - Returns: The store-wide number of the commit.
    /// - Throws: `QuarantineRefusal`; `ReplicaError` `.unknownZone`.
    /// - Complexity: O(logs).
    package func purge(
        _ dot: Dot,
        device: DeviceID,
        in transaction: inout some ReplicaTransaction
    ) throws -> UInt64 {
        let logs = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        let (stored, row, reason) = try Self.entry(dot, logs: logs, in: transaction)
        guard reason != .forked, !row.isForked else { throw QuarantineRefusal.forked(dot) }
        guard row.device != device else { throw QuarantineRefusal.ownLog(dot) }
        let header = stored.operation.header
        let record = try transaction.record(zone: zone, tag: header.tag)
        guard reason == .aboveCut, dot.counter > logs.limit(row), !(record?.context.covers(dot) ?? false) else {
            throw QuarantineRefusal.needed(dot)
        }
        let leaf = dot.counter &- 1
        // A batch is fetched again as a whole, and not from within the effective part.
        guard leaf &- UInt64(header.batch.index) >= logs.limit(row) else { throw QuarantineRefusal.needed(dot) }
        assert(stored.state != .live && stored.state != .superseded, "no effective operation is purged")
        // By itself: a larger gap might reach over the place to which the cut is raised one day.
        let gap = SubtreeGap(level: 0, index: leaf, hash: header.leafHash)
        try transaction.replace(row.key, first: [leaf], with: [gap])
        return try transaction.nextCommitNumber()
    }
}
