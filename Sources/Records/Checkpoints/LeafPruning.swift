import Wire

/// Prunes operations of one log: hashes stand for them, so that the log can be verified.
struct LeafPruning {
    private let key: LogKey
    private let end: UInt64

    /// Prunes in a log.
    /// - Parameters:
    ///   - key: The log.
    ///   - end: The place from which missing operations were purged, and not pruned under a checkpoint.
    init(_ key: LogKey, end: UInt64) {
        (self.key, self.end) = (key, end)
    }

    /// Replaces leaves by hashes, joined with adjacent missing ones.
    ///
    /// They are not joined with leaves that are missing behind the end, since the end may be raised to a place
    /// in between.
    /// - Complexity: O(leaves · log(leaves of the log)).
    func prune(_ leaves: Set<UInt64>, in transaction: inout some ReplicaTransaction) throws {
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
        assert(zip(new, new.dropFirst()).allSatisfy { $0.endLeaf <= $1.firstLeaf }, "new gaps do not overlap")
        assert(
            new.allSatisfy { gap in replaced.contains { gap.firstLeaf <= $0 && $0 < gap.endLeaf } },
            "each new gap stands in the place of something"
        )
        try transaction.replace(key, first: replaced.sorted(), with: new)
        try deleteHeads(inside: new, in: &transaction)
    }

    /// A head inside a gap cannot end a run any more.
    private func deleteHeads(inside gaps: [SubtreeGap], in transaction: inout some ReplicaTransaction) throws {
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
}
