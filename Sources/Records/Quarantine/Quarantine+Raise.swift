package import Wire

/// The sizes to which the cuts of the logs under a right can be raised.
package struct RaisableCuts: Sendable {
    /// The logs that can be effective, each with its effective size after the raise and the tree's root there;
    /// includes logs that are effective as a whole.
    package var positions: [LogPosition] = []
    /// The reasons why no more can be effective, one for each log of which more is held.
    package var obstacles: [CutRaiseRefusal] = []
    /// Whether the raise makes more of any log effective.
    package var isMore = false

    /// Nothing.
    package init() {}
}

extension Quarantine {
    /// Finds how far the logs under a right can be made effective without anything that other replicas would wait
    /// for.
    ///
    /// Each log ends at a place that its author signed, so that it can be served up to there alone. Operations behind
    /// a purged one are held, but others could not check them. Operations behind a place where the author had seen a
    /// log that is unknown here would wait for that log, and could then not even be adopted.
    /// - Parameters:
    ///   - right: The right.
    ///   - transaction: The store.
    /// - Returns: The places, and the obstacles to more.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs), O(operations held above cuts under the right).
    package func raisable(
        under right: Hash,
        in transaction: some ReplicaTransaction
    ) throws -> RaisableCuts {
        let logs = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        var found = RaisableCuts()
        for row in logs.rows where row.right == right {
            let counted = logs.countedSize(row)
            var size = counted
            if !row.isForked {
                let (raised, obstacle) = try raisableSize(of: row, from: counted, logs: logs, in: transaction)
                if let obstacle { found.obstacles.append(obstacle) }
                size = raised
            }
            // Of a control log no more is stated than the operation's vector covers.
            if row.key.lane == .control { size = min(size, row.appliedSize) }
            if size > counted { found.isMore = true }
            // Effective logs are listed as well: once a correction stands, an ending that is not confirmed cuts
            // unlisted logs at zero.
            guard size > 0, let root = try StoredLog(row).root(at: size, in: transaction) else { continue }
            found.positions.append(LogPosition(actor: row.key.actor, lane: row.key.lane, size: size, root: root))
        }
        return found
    }

    private func raisableSize(
        of row: LogRow,
        from counted: UInt64,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> (size: UInt64, obstacle: CutRaiseRefusal?) {
        guard counted < row.size else { return (row.size, nil) }
        let whole = try wholeSize(of: row, from: counted, in: transaction)
        var size = counted
        var awaited: Dot?
        for head in try transaction.heads(row.key, above: counted, limit: .max) where head.size <= whole {
            // A later head that asks for less decides, as it does for a replica that gets the operations under it
            // alone.
            awaited = logs.missing(head.signed.head.seen, row.key.lane)
            if awaited == nil { size = head.size }
        }
        if let awaited { return (size, .waiting(row.key, for: awaited)) }
        let purged = Dot(actor: row.key.actor, counter: whole &+ 1)
        return (size, whole < row.size ? .purged(row.key, purged) : nil)
    }

    /// The size up to which a log is held without a purged operation, from a place on.
    private func wholeSize(
        of row: LogRow,
        from: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> UInt64 {
        var from = from
        while from < row.size {
            let to = min(row.size, from &+ UInt64(ReplicaLimits.pageRowCount))
            for item in try transaction.items(row.key, from: from, to: to) {
                if case .gap = item.content { return item.first }
            }
            from = to
        }
        return row.size
    }
}

extension ZoneLogs {
    /// The first effective operation that a head's author had seen and that is not applied here.
    ///
    /// Of a log whose cut is raised as well, no more is waited for than the raised part.
    fileprivate func missing(_ seen: VersionVector, _ lane: Lane) -> Dot? {
        seen.entries.first { dot in
            guard let row = self[LogKey(zone: zone.id, actor: dot.actor, lane: lane)] else { return true }
            return row.appliedSize < min(dot.counter, limit(row))
        }
    }
}
