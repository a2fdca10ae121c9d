package import Wire

extension SubtreeGap {
    /// Joins neighbours into the largest aligned subtrees, so that a long gap costs a few hashes.
    /// - Parameter gaps: Gaps in ascending order that do not overlap; holes between them are allowed.
    /// - Returns: The same leaves in as few gaps as alignment allows, ascending.
    /// - Complexity: O(gaps) hashes.
    package static func coalesced(_ gaps: [SubtreeGap]) -> [SubtreeGap] {
        var joined: [SubtreeGap] = []
        for gap in gaps {
            var gap = gap
            while let left = joined.last,
                left.level == gap.level,
                gap.level < Limits.subtreeLevelMax,
                gap.index & 1 == 1,
                left.index &+ 1 == gap.index
            {
                joined.removeLast()
                gap = SubtreeGap(left, gap)
            }
            joined.append(gap)
        }
        return joined
    }

    /// The subtree over two that stand side by side under one node.
    /// - Parameters:
    ///   - one: One of them, below `Limits.subtreeLevelMax`.
    ///   - other: The other one, of the same level; the order does not matter.
    init(_ one: SubtreeGap, _ other: SubtreeGap) {
        let (left, right) = one.index < other.index ? (one, other) : (other, one)
        self.init(
            level: left.level + 1,
            index: left.index &>> 1,
            hash: LogTreeHashing.node(left.hash, right.hash)
        )
    }
}
