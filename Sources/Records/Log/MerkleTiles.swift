package import Wire

/// A prefix of a log as perfect subtrees from left to right: leaves, gaps, and the edge they stand on.
///
/// From these the hash of any range that no tile straddles can be computed, and with it the proof that a shorter tree
/// is, or is not, the beginning of a longer one.
package struct MerkleTiles<Hashing: TreeHashing>: Sendable {
    /// Tiles by their first leaf, ascending and without holes from zero.
    private var tiles: [SubtreeGap] = []
    /// Leaves covered.
    package private(set) var size: UInt64 = 0

    /// No leaves yet.
    package init() {}

    /// Begins with the subtrees of an edge.
    /// - Parameter frontier: The edge of the tree up to where tiles will be appended.
    package init(_ frontier: MerkleFrontier<Hashing>) {
        for subtree in frontier.subtrees {
            _ = append(subtree.hash, level: subtree.level)
        }
    }

    /// Appends a perfect subtree.
    /// - Returns: False, with nothing changed, when the end is not aligned to it.
    @discardableResult
    package mutating func append(_ hash: Hash, level: UInt8 = 0) -> Bool {
        guard level <= Limits.subtreeLevelMax else { return false }
        let count = UInt64(1) &<< UInt64(level)
        guard size & (count &- 1) == 0, size <= Limits.counterMax, count <= Limits.counterMax &- size else {
            return false
        }
        tiles.append(SubtreeGap(level: level, index: size &>> UInt64(level), hash: hash))
        size &+= count
        return true
    }

    /// The hash of the tree over the leaves `from ..< to`, in RFC 6962's shape.
    /// - Returns: Nil when a tile straddles an edge of a range that is needed, or the range is empty or not covered.
    /// - Complexity: O(tiles in the range · log size).
    package func root(from: UInt64, to: UInt64) -> Hash? {
        guard from < to, to <= size, let index = firstTile(from) else { return nil }
        let tile = tiles[index]
        let count = to &- from
        if tile.firstLeaf == from, tile.leafCount == count { return tile.hash }
        guard count > 1 else { return nil }
        let middle = from &+ Self.split(count)
        guard let left = root(from: from, to: middle), let right = root(from: middle, to: to) else { return nil }
        return Hashing.node(left, right)
    }

    /// The proof of the root of the first `first` leaves (RFC 6962 §2.1.2), in the form that
    /// ``MerkleProof/roots(first:second:evidence:)`` takes.
    /// - Parameter first: Leaves of the smaller tree, 1 ..< size.
    /// - Returns: The hashes, the smaller root in front where `first` is a power of two; nil when a tile straddles a
    ///   range that is needed.
    package func consistencyEvidence(first: UInt64) -> [Hash]? {
        guard first > 0, first < size else { return nil }
        var from: UInt64 = 0
        var to = size
        // The RFC's recursion, descending: siblings come out top-down and are wanted bottom-up.
        var siblings: [Hash] = []
        while first != to {
            let middle = from &+ Self.split(to &- from)
            let isLeft = first <= middle
            guard let sibling = isLeft ? root(from: middle, to: to) : root(from: from, to: middle) else { return nil }
            siblings.append(sibling)
            if isLeft { to = middle } else { from = middle }
        }
        guard let seed = root(from: from, to: to) else { return nil }
        return [seed] + siblings.reversed()
    }

    // MARK: Two trees

    /// The relation of two trees.
    package enum Comparison: Equatable {
        /// One begins with the other.
        case consistent
        /// They share so many leaves, and have different roots at the size `at`.
        case split(shared: UInt64, at: UInt64)
        /// The tiles of one reach over the end of the other, and are equal up to there.
        case unclear
    }

    /// Compares two trees tile by tile.
    ///
    /// The shared prefix may be longer than the one found, by less than the larger of the tiles that differ.
    /// - Complexity: O(tiles · log size).
    package func compared(with other: Self) -> Comparison {
        var shared: UInt64 = 0
        while shared < size, shared < other.size {
            guard let mine = firstTile(shared), let theirs = other.firstTile(shared) else { return .unclear }
            // Aligned subtrees that begin at one place lie in one another.
            let end = max(tiles[mine].endLeaf, other.tiles[theirs].endLeaf)
            guard end <= size, end <= other.size,
                let left = root(from: shared, to: end),
                let right = other.root(from: shared, to: end)
            else { return .unclear }
            if left != right { return .split(shared: shared, at: end) }
            shared = end
        }
        return .consistent
    }

    /// This tree up to a size, continued by another's tiles from there; both share the leaves before.
    package func continued(from shared: UInt64, by other: Self) -> Self {
        var joined = Self()
        let parts = tiles.prefix { $0.endLeaf <= shared } + other.tiles.drop { $0.firstLeaf < shared }
        for tile in parts { joined.append(tile.hash, level: tile.level) }
        assert(joined.size == other.size, "the tiles of two trees that share a beginning join without a hole")
        return joined
    }

    /// The tree as few subtrees: single leaves near its end, ever larger subtrees before.
    /// - Parameter fineness: A subtree has at most this part of the leaves behind its beginning.
    /// - Returns: Subtrees that cover all leaves in order.
    /// - Complexity: O(tiles · log size).
    package func skeleton(fineness: UInt64) -> [SubtreeGap] {
        var result: [SubtreeGap] = []
        var from: UInt64 = 0
        while from < size, let index = firstTile(from) {
            var chosen = tiles[index]
            let widest = max((size &- from) / max(fineness, 1), 1)
            let aligned = from == 0 ? UInt64.max : from & (~from &+ 1)
            let count = UInt64(1) &<< UInt64(63 &- min(widest, aligned).leadingZeroBitCount)
            if count > chosen.leafCount, let hash = root(from: from, to: from &+ count) {
                let level = UInt8(count.trailingZeroBitCount)
                chosen = SubtreeGap(level: level, index: from &>> UInt64(level), hash: hash)
            }
            result.append(chosen)
            from = chosen.endLeaf
        }
        assert(from == size, "a skeleton covers its tree")
        return result
    }

    /// The greatest power of two below a count of at least 2.
    private static func split(_ count: UInt64) -> UInt64 {
        let width = UInt64(UInt64.bitWidth &- (count &- 1).leadingZeroBitCount)
        return 1 &<< (width &- 1)
    }

    /// The index of the tile that holds a leaf.
    private func firstTile(_ leaf: UInt64) -> Int? {
        let index = tiles.partitioningIndex { $0.firstLeaf &+ $0.leafCount <= leaf }
        return index < tiles.count ? index : nil
    }
}
