package import Wire

extension Replica {
    /// Drops what a quarantined operation said; its leaf's hash stays in its place, so that the log can be checked.
    ///
    /// Only above a cut, where no digest, no live set and no checkpoint reaches. Not in a log of this device: it is the
    /// one that surely has all of it, should the cut be lifted. Not what an operation that counts names: others would wait
    /// for it then.
    /// - Parameters:
    ///   - dot: The operation, as the list names it.
    ///   - zone: The zone.
    ///   - device: The local device.
    ///   - transaction: The store.
    /// - Returns: The store-wide number of the commit.
    /// - Throws: `QuarantineRefusal`; `ReplicaError` `.unknownZone`.
    /// - Complexity: O(logs).
    package static func purge(
        _ dot: Dot,
        zone: ZoneID,
        device: DeviceID,
        in transaction: inout some ReplicaTransaction
    ) throws -> UInt64 {
        let logs = try ZoneLogs(zone: try knownZone(zone, in: transaction), in: transaction)
        let (stored, row, reason) = try quarantined(dot, logs: logs, in: transaction)
        guard reason != .forked, !row.isForked else { throw QuarantineRefusal.forked(dot) }
        guard row.device != device else { throw QuarantineRefusal.ownLog(dot) }
        let header = stored.operation.header
        let record = try transaction.record(zone: zone, tag: header.tag)
        guard reason == .aboveCut, dot.counter > logs.limit(row), !(record?.context.covers(dot) ?? false) else {
            throw QuarantineRefusal.needed(dot)
        }
        let leaf = dot.counter &- 1
        // A batch is fetched again whole, and not from below what counts.
        guard leaf &- UInt64(header.batch.index) >= logs.limit(row) else { throw QuarantineRefusal.needed(dot) }
        // By itself: a larger gap might reach over the place to which the cut is raised one day.
        let gap = SubtreeGap(level: 0, index: leaf, hash: header.leafHash)
        try transaction.replace(row.key, first: [leaf], with: [gap])
        return try transaction.nextCommitNumber()
    }

    /// Takes logs that count further than before back to the first leaf that was purged, so that they are fetched again.
    ///
    /// What was purged stood above the end, and nothing behind it counts yet: no record changes. The author has all of
    /// it, since it purges nothing of its own.
    /// - Parameters:
    ///   - after: The logs with their new ends.
    ///   - before: The logs with their former ones.
    ///   - transaction: The store.
    /// - Returns: The logs as they are then.
    /// - Throws: What the store throws.
    /// - Complexity: O(leaves that begin to count).
    static func withoutPurged(
        _ after: ZoneLogs,
        before: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> ZoneLogs {
        var after = after
        for row in after.sorted(.data) {
            guard let old = before[row.key], old.cut != nil else { continue }
            var from = before.limit(old)
            // Of the history of a forked log that a checkpoint covers, what is missing was let go.
            if row.isForked { from = max(from, after.zone.watermark[row.key.actor]) }
            let end = after.countedSize(row)
            while from < end {
                let to = min(end, from &+ UInt64(ReplicaLimits.pageRowCount))
                let purged = try transaction.items(row.key, from: from, to: to).first {
                    if case .gap = $0.content { return true }
                    return false
                }
                if let purged {
                    let size = max(try batchStart(row.key, at: purged.first, in: transaction), before.limit(old))
                    if let frontier = try frontier(of: row, at: size, in: transaction) {
                        after[row.key] = try takeBack(row, to: frontier, in: &transaction)
                    }
                    break
                }
                from = to
            }
        }
        return after
    }

    /// Where the batch begins that a leaf stands in, as far as the leaf before it tells: a run never begins inside of one.
    private static func batchStart(
        _ key: LogKey,
        at leaf: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> UInt64 {
        guard leaf > 0,
            case .operation(let stored) = try transaction.items(key, from: leaf &- 1, to: leaf).first?.content
        else { return leaf }
        let place = stored.operation.header.batch
        return place.index &+ 1 == place.count ? leaf : leaf &- 1 &- UInt64(place.index)
    }
}
