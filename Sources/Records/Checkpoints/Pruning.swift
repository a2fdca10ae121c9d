package import Wire

/// Prunes, in steps, the operations of a zone that are not in the adopted checkpoint's live set.
package struct Pruning {
    /// The zone.
    package let zone: ZoneID

    /// Prunes in a zone.
    package init(of zone: ZoneID) {
        self.zone = zone
    }

    /// Finds the next step of the pass that prunes operations which are not in the adopted checkpoint's live set.
    ///
    /// The pass needs no record of its progress, because it does not find pruned operations again. After a crash it
    /// starts over, and reads only.
    ///
    /// It finds nothing while the replica is unverified, or has not applied everything that the checkpoint covers, as
    /// after a log was truncated to a gap: an operation that seems to have no successor may then have one that
    /// arrives again.
    /// - Parameters:
    ///   - step: The previous step; nil at the beginning. A step of another checkpoint starts the pass over.
    ///   - limit: The maximum number of pruned operations, unless more of one record depend on each other.
    ///   - transaction: A snapshot of the store.
    /// - Returns: The step; nil when nothing may be pruned now.
    /// - Throws: Any error of the store.
    /// - Complexity: O(`ReplicaLimits.pruningScanRowCount`), O(operations of a record) if it has more, and O(logs); O(control operations) at
    ///   the beginning.
    package func step(
        after step: PruningStep?,
        limit: Int = ReplicaLimits.prunedOperationCount,
        in transaction: some ReplicaTransaction
    ) throws -> PruningStep? {
        guard let (logs, adopted) = try prunable(in: transaction) else { return nil }
        let hash = adopted.hash
        let before = step?.checkpoint == hash ? step : nil
        guard let previous = try before?.previous ?? KnownCheckpoints(logs).previousSizes(adopted, in: transaction)
        else {
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

    /// The logs of the zone and its adopted checkpoint, if operations outside of the live set may be pruned now.
    fileprivate func prunable(in transaction: some ReplicaTransaction) throws -> (logs: ZoneLogs, adopted: Checkpoint)?
    {
        guard let zone = try transaction.zone(self.zone), !zone.isUnverified, let adopted = zone.adopted else {
            return nil
        }
        if case .deleted = zone.state { return nil }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        return logs.covers(adopted) ? (logs, adopted) : nil
    }

    /// Removes pruned operations from the rows of their records.
    ///
    /// The rows stay and keep their content: those of tombstones still say that the record is deleted.
    func forget(_ dropped: [RecordTag: [Dot]], in transaction: inout some ReplicaTransaction) throws {
        guard !dropped.isEmpty else { return }
        var rows: [RecordRow] = []
        for var row in try transaction.records(zone: zone, tags: dropped.keys.sorted()) {
            let dots = Set(dropped[row.tag] ?? [])
            let live = row.live.filter { !dots.contains($0) }
            guard live != row.live else { continue }
            row.live = live
            row.assertValid()
            rows.append(row)
        }
        if !rows.isEmpty { try transaction.saveUnchanged(rows) }
    }
}

extension PruningStep {
    /// Carries out the step: replaces the operations of its records that are not in the adopted checkpoint's live set
    /// by subtree hashes.
    ///
    /// The digest, the roots of all logs, the live set at the checkpoint, and the visible records stay the same.
    /// - Parameter transaction: The store, which may have changed since the step was found.
    /// - Returns: The number of pruned operations, and whether the records leave nothing for another step; nil, with
    ///   nothing changed, when another checkpoint is adopted by now, or nothing may be pruned.
    /// - Throws: Any error of the store.
    /// - Complexity: O(operations of the step's records), and O(logs).
    package func prune(in transaction: inout some ReplicaTransaction) throws -> (count: Int, isWhole: Bool)? {
        guard let (logs, adopted) = try Pruning(of: zone).prunable(in: transaction), adopted.hash == checkpoint else {
            return nil
        }
        let sizes = adopted.dataSizes
        var room = limit
        var isWhole = true
        var leaves: [ActorID: Set<UInt64>] = [:]
        var settled: [RecordTag: [Dot]] = [:]
        let operations = try transaction.summaries(zone: zone, tags: records)
        var forks = VoidBehindForks(zone: zone)
        for (tag, ofRecord) in Dictionary(grouping: operations, by: \.tag).sorted(by: { $0.key < $1.key }) {
            let marked = try forks.marking(ofRecord[...], in: transaction)
            let pruned = PrunedRecord(marked, sizes: sizes, previous: previous, limit: max(room, 1))
            isWhole = isWhole && pruned.isWhole
            room -= pruned.dots.count
            for dot in pruned.dots { leaves[dot.actor, default: []].insert(dot.counter &- 1) }
            if !pruned.settled.isEmpty { settled[tag] = pruned.settled }
        }
        for (actor, gone) in leaves.sorted(by: { $0.key < $1.key }) {
            let key = LogKey(zone: zone, actor: actor, lane: .data)
            try LeafPruning(key, end: logs[key].map { logs.gapEnd($0) } ?? .max).prune(gone, in: &transaction)
        }
        try Pruning(of: zone).forget(settled, in: &transaction)
        return (leaves.values.reduce(0) { $0 + $1.count }, isWhole)
    }
}
