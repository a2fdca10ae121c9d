import Wire

extension Replica {
    /// Replaces what a checkpoint lets go by subtree hashes.
    /// - Returns: How many operations were dropped.
    static func prune(
        _ live: LiveSet,
        zone: ZoneID,
        logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> UInt64 {
        var count: UInt64 = 0
        for actor in live.dropped.keys.sorted() {
            let counters = live.dropped[actor] ?? []
            let key = LogKey(zone: zone, actor: actor, lane: .data)
            count &+= UInt64(counters.count)
            let end = logs[key].map { logs.gapEnd($0) } ?? .max
            try replaceByGaps(key, Set(counters.map { $0 &- 1 }), end: end, in: &transaction)
        }
        try forget(live.settled, zone: zone, in: &transaction)
        return count
    }

    /// Replaces leaves by hashes, joined with those that are missing beside them.
    ///
    /// Not with what is missing behind the log's end: it may be raised to between them.
    static func replaceByGaps(
        _ key: LogKey,
        _ leaves: Set<UInt64>,
        end: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws {
        guard let last = leaves.max() else { return }
        var gaps: [SubtreeGap] = []
        var held: Set<SubtreeGap> = []
        var from: UInt64 = 0
        while from <= last {
            let to = from &+ UInt64(ReplicaLimits.pageRowCount)
            for item in try transaction.items(key, from: from, to: to) where item.first >= from || from == 0 {
                switch item.content {
                case .operation(let stored) where leaves.contains(item.first):
                    gaps.append(SubtreeGap(level: 0, index: item.first, hash: stored.operation.header.leafHash))
                case .gap(let gap) where gap.firstLeaf < end:
                    gaps.append(gap)
                    held.insert(gap)
                case .operation, .gap:
                    break
                }
            }
            from = to
        }
        let joined = SubtreeGap.coalesced(gaps)
        let kept = held.intersection(joined)
        let replaced = gaps.filter { !kept.contains($0) }.map(\.firstLeaf)
        let new = joined.filter { !kept.contains($0) }
        try transaction.replace(key, first: replaced, with: new)
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
            var above = gap.firstLeaf
            while true {
                let heads = try transaction.heads(key, above: above, limit: ReplicaLimits.pageRowCount)
                sizes += heads.map(\.size).filter { $0 < gap.endLeaf }
                guard let last = heads.last, last.size < gap.endLeaf else { break }
                above = last.size
            }
        }
        if !sizes.isEmpty { try transaction.deleteHeads(key, sizes: sizes) }
    }

    /// Takes dropped operations out of the rows of their records.
    ///
    /// The rows stay and tell what they told: of tombstones that the record is deleted.
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
