import Sodium
package import Wire

extension Replica {
    /// Returns the next run of a log for a peer that holds it up to a size.
    ///
    /// Runs end at retained heads; the furthest one within the budget is taken, and at least the next one. Pending
    /// operations are served as well: the receiver holds them back by the same rule. But no run joins operations that
    /// wait for more to ones that wait for less: a run waits as a whole, and one of its heads may ask for operations
    /// that are never written.
    /// - Parameters:
    ///   - key: The log.
    ///   - from: The size the peer holds.
    ///   - byteCount: The maximum number of bytes of items; a single head may need more, up to 16 MiB.
    ///   - transaction: The store.
    /// - Returns: The run; nil when the peer lacks nothing that is effective. It begins before `from` when the leaves
    ///   around that place were pruned here together. Also nil while no checkpoint that allows the gaps can be named.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(bytes of the run), and O(logs); O(control operations) for gaps under a checkpoint that waits no more.
    package static func run(
        for key: LogKey,
        from: UInt64,
        byteCount: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> Run? {
        guard let row = try transaction.log(key) else { return nil }
        let zone = try knownZone(key.zone, in: transaction)
        let counted = min(row.heldSize, effectiveLimit(row, zone: zone, transaction.controlBounds))
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
        return Run(signedHead: head.signed, from: first, checkpoint: checkpoint, items: items.map(\.logItem))
    }

    /// The name of a checkpoint that allows gaps up to a leaf; zero when there are none, nil when no known one does.
    private static func checkpoint(
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
        try forEachControl(logs, in: transaction) { control in
            if found == nil, case .checkpoint(let checkpoint) = control, checkpoint.size(log) >= end {
                found = checkpoint.hash
            }
        }
        return found
    }

    private static func furthestHead(
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
    /// In contrast, ``run(for:from:byteCount:in:)`` ends at the cut: replicas neither announce nor request operations
    /// above it.
    /// - Parameters:
    ///   - key: The log.
    ///   - limit: The size at which the log ends for others.
    ///   - from: The size up to which the receiver is known to hold the log.
    ///   - byteCount: The maximum number of bytes of items; a single head may need more.
    ///   - transaction: The store.
    /// - Returns: The run; nil when there is nothing more that the receiver would take.
    /// - Throws: Any error of the store.
    /// - Complexity: O(bytes of the run).
    package static func deposit(
        of key: LogKey,
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
        return Run(signedHead: chosen.signed, from: from, checkpoint: .zero, items: items.map(\.logItem))
    }

    /// The limit of ``ZoneLogs/limit(_:)`` for one log.
    static func effectiveLimit(_ row: LogRow, zone: ZoneRow, _ bounds: ControlBudget.Bounds) -> UInt64 {
        var cut = PlantedBug.ignoreCuts.isActive ? nil : row.cut?.size
        if PlantedBug.acceptOneBeyondCut.isActive, row.key.lane == .data { cut = cut.map { $0 &+ 1 } }
        let end = min(cut ?? .max, row.forkProof?.forkPoint ?? .max, row.budgetLimit(bounds))
        guard end < .max else { return .max }
        return row.key.lane == .data ? max(end, zone.watermark[row.key.actor]) : end
    }

    /// The effective part of each log of a zone: the sizes that replicas compare, ascending by log.
    ///
    /// Logs that end at zero are listed with size zero, so that others learn not to wait for them.
    /// - Returns: Each log's row with its effective size and the root at that size.
    /// - Complexity: O(logs), and O(leaves since a retained head) for logs that are cut inside.
    package static func positions(
        zone: ZoneID,
        in transaction: some ReplicaTransaction
    ) throws -> [(row: LogRow, size: UInt64, root: Hash)] {
        let zone = try knownZone(zone, in: transaction)
        return try transaction.logs(zone: zone.id).map { row in
            let size = min(row.heldSize, effectiveLimit(row, zone: zone, transaction.controlBounds))
            if size == 0 { return (row, 0, Hash.zero) }
            return (row, size, try root(of: row, at: size, in: transaction) ?? .zero)
        }
    }

    /// The held and effective size of each log of a zone, within a bound: the sizes that an operation may state about
    /// the past.
    ///
    /// Of control logs no more than the applied part, since the operation's vector covers only that.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    ///   - bound: The maximum size of a log to state; zero for none.
    /// - Returns: The positions of the logs with a stated size, ascending.
    /// - Throws: `.unknownZone`.
    /// - Complexity: as ``positions(zone:in:)``.
    package static func statable(
        zone: ZoneID,
        in transaction: some ReplicaTransaction,
        atMost bound: (LogRow) throws -> UInt64
    ) throws -> [LogPosition] {
        let zone = try knownZone(zone, in: transaction)
        var positions: [LogPosition] = []
        for row in try transaction.logs(zone: zone.id) {
            let held = row.key.lane == .control ? min(row.appliedSize, row.heldSize) : row.heldSize
            let size = min(held, effectiveLimit(row, zone: zone, transaction.controlBounds), try bound(row))
            guard size > 0, let root = try root(of: row, at: size, in: transaction) else { continue }
            positions.append(LogPosition(actor: row.key.actor, lane: row.key.lane, size: size, root: root))
        }
        return positions.sorted { $0.key < $1.key }
    }

    /// Whether a log is held up to a position, with its root.
    /// - Parameters:
    ///   - row: The log.
    ///   - position: The size, and the root.
    ///   - transaction: The store.
    /// - Returns: True when the log's tree of that size has that root.
    /// - Throws: Any error of the store.
    /// - Complexity: O(leaves since a retained head).
    package static func reaches(
        _ row: LogRow,
        _ position: (size: UInt64, root: Hash),
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        guard row.size >= position.size else { return false }
        return try root(of: row, at: position.size, in: transaction) == position.root
    }

    /// The digest of everything effective in a zone: equal on two replicas exactly when the effective parts of logs
    /// are equal and both know the same forks.
    /// - Complexity: as ``positions(zone:in:)``.
    package static func digest(zone: ZoneID, in transaction: some ReplicaTransaction) throws -> Hash {
        var writer = WireWriter(capacity: 256)
        for (row, size, root) in try positions(zone: zone, in: transaction) where size > 0 || row.isForked {
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
