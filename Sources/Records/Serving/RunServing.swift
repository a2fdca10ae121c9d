package import Wire

/// Serves parts of one log to peers that lack them.
package struct RunServing {
    private let key: LogKey

    /// Serves a log.
    package init(_ key: LogKey) {
        self.key = key
    }

    /// Returns the next run of a log for a peer that holds it up to a size.
    ///
    /// Runs end at retained heads; the furthest one within the budget is taken, and at least the next one. Pending
    /// operations are served as well: the receiver holds them back by the same rule. But no run joins operations that
    /// wait for more to ones that wait for less: a run waits as a whole, and one of its heads may ask for operations
    /// that are never written.
    /// - Parameters:
    ///   - from: The size the peer holds.
    ///   - byteCount: The maximum number of bytes of items; a single head may need more, up to 16 MiB.
    ///   - transaction: The store.
    /// - Returns: The run; nil when the peer lacks nothing that is effective. It begins before `from` when the leaves
    ///   around that place were pruned here together. Also nil while no checkpoint that allows the gaps can be named.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(bytes of the run), and O(logs); O(control operations) for gaps under a checkpoint that waits no more.
    package func run(
        from: UInt64,
        byteCount: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> Run? {
        guard let row = try transaction.log(key) else { return nil }
        let zone = try transaction.knownZone(key.zone)
        let counted = min(row.heldSize, row.statedLimit(in: zone, transaction.controlBounds))
        guard from < counted else { return nil }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        guard
            let head = try furthestHead(
                row,
                logs: logs,
                from: from,
                counted: counted,
                byteCount: byteCount,
                in: transaction
            )
        else { return nil }
        let items = try transaction.items(key, from: from, to: head.size)
        // A gap that begins earlier goes out whole; the receiver knows what to do with it.
        guard let first = items.first?.first, first <= from else {
            throw ReplicaError.damaged("leaves of a log are missing")
        }
        let gapEnd = items.reduce(UInt64(0)) { end, item in
            // Operations purged above a cut are under no checkpoint.
            if case .gap(let gap) = item.content, gap.firstLeaf < counted { return gap.endLeaf }
            return end
        }
        guard let checkpoint = try checkpoint(covering: gapEnd, of: key.actorLane, logs: logs, in: transaction) else {
            return nil
        }
        return Run(of: items, from: first, under: head.signed, checkpoint: checkpoint)
    }

    /// The name of a checkpoint that allows gaps up to a leaf; zero when there are none, nil when no known one does.
    private func checkpoint(
        covering end: UInt64,
        of log: ActorLane,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> Hash? {
        if end == 0 { return .zero }
        // A replica that is not complete yet has gaps without having adopted the checkpoint that allows them.
        let known = (logs.zone.adopted.map { [$0] } ?? []) + logs.zone.candidates
        if let checkpoint = known.first(where: { $0.size(log) >= end }) { return checkpoint.hash }
        // A checkpoint whose live set differs from the one computed here no longer waits. It allows the gaps all the
        // same, and the replicas that had adopted it may have lost their disks: then no other one is left to serve
        // the log.
        var found: Hash?
        try logs.forEachControl(in: transaction) { control in
            if found == nil, case .checkpoint(let checkpoint) = control, checkpoint.size(log) >= end {
                found = checkpoint.hash
            }
        }
        return found
    }

    private func furthestHead(
        _ row: LogRow,
        logs: ZoneLogs,
        from: UInt64,
        counted: UInt64,
        byteCount: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> HeadRow? {
        // The exact bytes at `from` are known only where a head is; from the one before, the run is overestimated.
        let base = try transaction.head(row.key, atOrBelow: from)?.byteCount ?? 0
        let budget = min(byteCount, ReplicaLimits.runByteCountMax)
        var chosen: HeadRow?
        for head in try transaction.heads(row.key, above: from, limit: 128) {
            // No replica could verify the operations behind a hole.
            if row.hole != nil, head.size > row.heldSize { break }
            let fits =
                head.size &- from <= UInt64(Limits.runItemCountMax) && head.byteCount &- base <= budget
            if let chosen, !fits || logs.isWaiting(head, in: row, beyond: chosen) { break }
            chosen = head
            if head.size >= counted || !fits { break }
        }
        return chosen
    }

    /// Returns a part of a log above its cut, for a store that keeps it quarantined.
    ///
    /// In contrast, ``run(from:byteCount:in:)`` ends at the cut: replicas neither announce nor request operations
    /// above it.
    /// - Parameters:
    ///   - limit: The size at which the log ends for others.
    ///   - from: The size up to which the receiver is known to hold the log.
    ///   - byteCount: The maximum number of bytes of items; a single head may need more.
    ///   - transaction: The store.
    /// - Returns: The run; nil when there is nothing more that the receiver would take.
    /// - Throws: Any error of the store.
    /// - Complexity: O(bytes of the run).
    package func deposit(
        above limit: UInt64,
        from: UInt64,
        byteCount: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> Run? {
        guard key.lane == .data, let row = try transaction.log(key), !row.isForked else { return nil }
        let from = max(from, limit)
        let end = min(row.size, limit &+ ReplicaLimits.depositOperationCountMax)
        guard from < end else { return nil }
        let base = try transaction.head(key, atOrBelow: from)?.byteCount ?? 0
        let budget = min(byteCount, ReplicaLimits.runByteCountMax)
        var chosen: HeadRow?
        for head in try transaction.heads(key, above: from, limit: ReplicaLimits.pageRowCount) where head.size <= end {
            if chosen != nil, head.byteCount &- base > budget { break }
            chosen = head
        }
        guard var chosen else { return nil }
        var items = try transaction.items(key, from: from, to: chosen.size)
        // From the log's beginning on nothing but hashes would be taken for a comparison of histories.
        while from == 0, items.allSatisfy(\.isGap),
            let next = try transaction.heads(key, above: chosen.size, limit: 1).first,
            next.size <= end
        {
            chosen = next
            items = try transaction.items(key, from: from, to: chosen.size)
        }
        // If the author has pruned all operations, there is nothing to keep.
        guard items.first?.first == from, from > 0 || !items.allSatisfy(\.isGap) else { return nil }
        return Run(of: items, from: from, under: chosen.signed, checkpoint: .zero)
    }

    /// The newest head of a log with the hashes of its leaves and subtrees, for a peer that seems to hold another
    /// history: it can tell from them where the two part.
    ///
    /// Single leaves near the end, ever larger subtrees before: some hundred hashes for a log of any size.
    /// - Parameter transaction: The store.
    /// - Returns: A run that is nothing but gaps, under no checkpoint; nil when nothing of the log is held.
    /// - Throws: Any error of the store.
    /// - Complexity: O(leaves).
    package func skeleton(in transaction: some ReplicaTransaction) throws -> Run? {
        guard let row = try transaction.log(key), row.size > 0,
            let newest = try transaction.head(key, atOrBelow: row.size), newest.size == row.size
        else { return nil }
        let tiles = try ForkEvidence(row).tiles(in: transaction)
        guard tiles.size == row.size else { return nil }
        let gaps = tiles.skeleton(fineness: ReplicaLimits.skeletonFineness)
        return Run(signedHead: newest.signed, from: 0, checkpoint: .zero, items: gaps.map { .gap($0) })
    }
}

extension ZoneLogs {
    /// Whether a head's operations wait here for something that those under an earlier head do not wait for.
    ///
    /// With an honest author that is temporary. A dishonest author may claim to have seen operations that are never
    /// written.
    fileprivate func isWaiting(_ head: HeadRow, in row: LogRow, beyond earlier: HeadRow) -> Bool {
        guard head.size > row.appliedSize else { return false }
        let seen = earlier.size > row.appliedSize ? earlier.signed.head.seen : VersionVector()
        return head.signed.head.seen.entries.contains { dot in
            let other = self[LogKey(zone: row.key.zone, actor: dot.actor, lane: row.key.lane)]
            return dot.counter > max(other?.appliedSize ?? 0, seen[dot.actor])
        }
    }
}

extension StoredItem {
    /// Whether a hash stands for leaves that are not held.
    fileprivate var isGap: Bool {
        if case .gap = content { true } else { false }
    }
}
