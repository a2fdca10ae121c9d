package import Wire

/// The right edge of a log's Merkle tree.
package typealias TreeFrontier = MerkleFrontier<LogTreeHashing>

/// The right edge of an append-only Merkle tree: all that is needed to append to it and to know its root.
///
/// The tree has RFC 6962's shape: over n leaves the left subtree of each node is the greatest perfect tree that leaves
/// something for the right one. The edge is then one hash for each one-bit of n, the roots of the perfect subtrees from
/// left to right. Whole subtrees can be appended by their hash alone where they are aligned, which is what lets a log
/// with gaps still be checked against its signed root.
///
/// ```
/// +--------------+----------------------------------------+
/// | size: varint | one 32-byte hash for each one-bit      |
/// +--------------+----------------------------------------+
/// ```
package struct MerkleFrontier<Hashing: TreeHashing>: Equatable, Sendable {
    /// Leaves in the tree; at most `Limits.counterMax`.
    package private(set) var size: UInt64
    /// The perfect subtrees' roots, the largest subtree first; as many as `size` has one-bits.
    private var peaks: [Hash]

    /// The edge of the empty tree.
    package init() {
        size = 0
        peaks = []
    }

    /// The tree's root; `Hashing.emptyRoot` for no leaves.
    /// - Complexity: O(log size) hashes.
    package var root: Hash {
        guard var root = peaks.last else { return Hashing.emptyRoot }
        for peak in peaks.dropLast().reversed() {
            root = Hashing.node(peak, root)
        }
        return root
    }

    /// Appends one leaf.
    /// - Parameter leaf: The leaf's hash.
    /// - Complexity: O(log size) hashes, one on average.
    package mutating func append(_ leaf: Hash) {
        push(leaf, level: 0)
    }

    /// Appends a perfect subtree of 2^level leaves by its root.
    /// - Parameters:
    ///   - subtree: The subtree's root.
    ///   - level: Its height, 0 ... 62.
    /// - Returns: False, with nothing changed, when the tree's end is not aligned to such a subtree or the tree would
    ///   grow beyond `Limits.counterMax`.
    package mutating func append(subtree: Hash, level: UInt8) -> Bool {
        guard level <= Limits.subtreeLevelMax else { return false }
        let count = UInt64(1) &<< UInt64(level)
        guard size & (count &- 1) == 0, size <= Limits.counterMax, count <= Limits.counterMax &- size else {
            return false
        }
        push(subtree, level: level)
        return true
    }

    /// The perfect subtrees of the edge from left to right.
    package var subtrees: [SubtreeGap] {
        var subtrees: [SubtreeGap] = []
        var first: UInt64 = 0
        var rest = size
        for peak in peaks {
            let level = UInt64(UInt64.bitWidth - 1 - rest.leadingZeroBitCount)
            subtrees.append(SubtreeGap(level: UInt8(level), index: first &>> level, hash: peak))
            first &+= 1 &<< level
            rest &-= 1 &<< level
        }
        assert(first == size && rest == 0, "the perfect subtrees of an edge are as many leaves as its tree")
        return subtrees
    }

    private mutating func push(_ hash: Hash, level: UInt8) {
        var hash = hash
        var level = UInt64(level)
        size &+= 1 &<< level
        // A set bit of the old size at this level is a subtree of equal height to the left: they become one.
        var carried = (size &- (1 &<< level)) &>> level
        while carried & 1 == 1, let left = peaks.popLast() {
            hash = Hashing.node(left, hash)
            level &+= 1
            carried >>= 1
        }
        peaks.append(hash)
        assert(peaks.count == size.nonzeroBitCount, "an edge has one hash for each one-bit of its size")
    }
}

extension MerkleFrontier: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeVarint(size)
        for peak in peaks {
            writer.write(peak)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        size = try reader.readVarint()
        guard size <= Limits.counterMax else { throw .invalidValue("frontier size") }
        peaks = []
        peaks.reserveCapacity(size.nonzeroBitCount)
        for _ in 0..<size.nonzeroBitCount {
            peaks.append(try Hash(from: &reader))
        }
    }
}
