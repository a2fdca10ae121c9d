package import Wire

extension Replica {
    /// Finds the next step of the pass that prunes operations which are not in the adopted checkpoint's live set.
    ///
    /// The pass needs no record of its progress, because it does not find pruned operations again. After a crash it
    /// starts over, and reads only.
    ///
    /// It finds nothing while the replica is unverified, or has not applied everything that the checkpoint covers, as
    /// after a log was truncated to a gap: an operation that seems to have no successor may then have one that
    /// arrives again.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - step: The previous step; nil at the beginning. A step of another checkpoint starts the pass over.
    ///   - limit: The maximum number of pruned operations, unless more of one record depend on each other.
    ///   - transaction: A snapshot of the store.
    /// - Returns: The step; nil when nothing may be pruned now.
    /// - Throws: Any error of the store.
    /// - Complexity: O(`ReplicaLimits.pruningScanRowCount`), O(operations of a record) if it has more, and O(logs); O(control operations) at
    ///   the beginning.
    package static func pruningStep(
        zone: ZoneID,
        after step: PruningStep?,
        limit: Int = ReplicaLimits.prunedOperationCount,
        in transaction: some ReplicaTransaction
    ) throws -> PruningStep? {
        guard let (logs, adopted) = try prunable(zone, in: transaction) else { return nil }
        let hash = adopted.hash
        let before = step?.checkpoint == hash ? step : nil
        guard let previous = try before?.previous ?? previousSizes(adopted, logs: logs, in: transaction) else {
            return nil
        }
        let sizes = adopted.dataSizes
        var records: [RecordTag] = []
        var (rowCount, goneCount) = (0, 0)
        var (last, isLast) = (before?.last, true)
        try transaction.forEachRecord(zone: zone, after: last) { tag, operations in
            guard rowCount < ReplicaLimits.pruningScanRowCount else {
                isLast = false
                return false
            }
            let pruned = PrunedRecord(operations, sizes: sizes, previous: previous, limit: limit)
            guard goneCount + pruned.dots.count <= limit || records.isEmpty else {
                isLast = false
                return false
            }
            if !pruned.dots.isEmpty {
                records.append(tag)
                goneCount += pruned.dots.count
            }
            guard pruned.isWhole else {
                isLast = false
                return false
            }
            rowCount += operations.count
            last = tag
            return true
        }
        return PruningStep(
            zone: zone,
            checkpoint: hash,
            records: records,
            isLast: isLast,
            limit: limit,
            previous: previous,
            last: last
        )
    }

    /// Carries out a step: replaces the operations of its records that are not in the adopted checkpoint's live set
    /// by subtree hashes.
    ///
    /// The digest, the roots of all logs, the live set at the checkpoint, and the visible records stay the same.
    /// - Parameters:
    ///   - step: The step.
    ///   - transaction: The store, which may have changed since the step was found.
    /// - Returns: The number of pruned operations, and whether the records leave nothing for another step; nil, with
    ///   nothing changed, when another checkpoint is adopted by now, or nothing may be pruned.
    /// - Throws: Any error of the store.
    /// - Complexity: O(operations of the step's records), and O(logs).
    package static func prune(
        _ step: PruningStep,
        in transaction: inout some ReplicaTransaction
    ) throws -> (count: Int, isWhole: Bool)? {
        guard let (logs, adopted) = try prunable(step.zone, in: transaction), adopted.hash == step.checkpoint else {
            return nil
        }
        let sizes = adopted.dataSizes
        var room = step.limit
        var isWhole = true
        var leaves: [ActorID: Set<UInt64>] = [:]
        var settled: [RecordTag: [Dot]] = [:]
        let operations = try transaction.summaries(zone: step.zone, tags: step.records)
        for (tag, ofRecord) in Dictionary(grouping: operations, by: \.tag).sorted(by: { $0.key < $1.key }) {
            let pruned = PrunedRecord(ofRecord, sizes: sizes, previous: step.previous, limit: max(room, 1))
            isWhole = isWhole && pruned.isWhole
            room -= pruned.dots.count
            for dot in pruned.dots { leaves[dot.actor, default: []].insert(dot.counter &- 1) }
            if !pruned.settled.isEmpty { settled[tag] = pruned.settled }
        }
        for (actor, gone) in leaves.sorted(by: { $0.key < $1.key }) {
            let key = LogKey(zone: step.zone, actor: actor, lane: .data)
            try replaceByGaps(key, gone, end: logs[key].map { logs.gapEnd($0) } ?? .max, in: &transaction)
        }
        try forget(settled, zone: step.zone, in: &transaction)
        return (leaves.values.reduce(0) { $0 + $1.count }, isWhole)
    }

    /// The logs of a zone and its adopted checkpoint, if operations outside of the live set may be pruned now.
    private static func prunable(
        _ id: ZoneID,
        in transaction: some ReplicaTransaction
    ) throws -> (logs: ZoneLogs, adopted: Checkpoint)? {
        guard let zone = try transaction.zone(id), !zone.isUnverified, let adopted = zone.adopted else { return nil }
        if case .deleted = zone.state { return nil }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        return logs.covers(adopted) ? (logs, adopted) : nil
    }

    /// Replaces leaves by hashes, joined with adjacent missing ones.
    ///
    /// They are not joined with leaves that are missing behind the log's end, since the end may be raised to a place
    /// in between.
    /// - Complexity: O(leaves · log(leaves of the log)).
    static func replaceByGaps(
        _ key: LogKey,
        _ leaves: Set<UInt64>,
        end: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws {
        var joined: [UInt64: SubtreeGap] = [:]
        var replaced: [UInt64] = []
        for leaf in leaves.sorted() {
            guard case .operation(let stored)? = try transaction.items(key, from: leaf, to: leaf &+ 1).first?.content
            else { continue }
            replaced.append(leaf)
            var gap = SubtreeGap(level: 0, index: leaf, hash: stored.operation.header.leafHash)
            while gap.level < Limits.subtreeLevelMax {
                let first = (gap.index ^ 1) << UInt64(gap.level)
                if let beside = joined[first], beside.level == gap.level {
                    joined[first] = nil
                    gap = SubtreeGap(gap, beside)
                } else if !leaves.contains(first), first < end,
                    case .gap(let beside)? = try transaction.items(key, from: first, to: first &+ 1).first?.content,
                    beside.firstLeaf == first, beside.level == gap.level
                {
                    replaced.append(first)
                    gap = SubtreeGap(gap, beside)
                } else {
                    break
                }
            }
            joined[gap.firstLeaf] = gap
        }
        guard !replaced.isEmpty else { return }
        let new = joined.values.sorted { $0.firstLeaf < $1.firstLeaf }
        try transaction.replace(key, first: replaced.sorted(), with: new)
        try deleteHeads(key, inside: new, in: &transaction)
    }

    /// A head inside a gap cannot end a run any more.
    private static func deleteHeads(
        _ key: LogKey,
        inside gaps: [SubtreeGap],
        in transaction: inout some ReplicaTransaction
    ) throws {
        var sizes: [UInt64] = []
        for gap in gaps where gap.level > 0 {
            var below = gap.endLeaf &- 1
            while let head = try transaction.head(key, atOrBelow: below), head.size > gap.firstLeaf {
                sizes.append(head.size)
                below = head.size &- 1
            }
        }
        if !sizes.isEmpty { try transaction.deleteHeads(key, sizes: sizes) }
    }

    /// Removes pruned operations from the rows of their records.
    ///
    /// The rows stay and keep their content: those of tombstones still say that the record is deleted.
    static func forget(
        _ dropped: [RecordTag: [Dot]],
        zone: ZoneID,
        in transaction: inout some ReplicaTransaction
    ) throws {
        guard !dropped.isEmpty else { return }
        var rows: [RecordRow] = []
        for var row in try transaction.records(zone: zone, tags: dropped.keys.sorted()) {
            let dots = Set(dropped[row.tag] ?? [])
            let live = row.live.filter { !dots.contains($0) }
            guard live != row.live else { continue }
            row.live = live
            rows.append(row)
        }
        if !rows.isEmpty { try transaction.saveUnchanged(rows) }
    }
}
