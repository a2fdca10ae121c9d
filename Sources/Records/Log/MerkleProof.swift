package import Wire

/// Verification of Merkle audit and consistency proofs (RFC 6962 §2.1.1 and §2.1.2, in the iterative form of RFC 9162
/// §2.1.3.2 and §2.1.4.2).
package enum MerkleProof<Hashing: TreeHashing> {
    /// The roots that a consistency proof leads to.
    package struct Roots: Equatable, Sendable {
        /// The root of the first `first` leaves according to the proof.
        package var first: Hash
        /// The root of all leaves according to the proof.
        package var second: Hash
    }

    /// The root that an audit path leads to.
    /// - Parameters:
    ///   - leaf: The leaf's hash.
    ///   - index: The leaf's index, from zero.
    ///   - size: The tree's size in leaves.
    ///   - path: Sibling hashes from the leaf upwards.
    /// - Returns: The root, or nil when the path has not the length that index and size demand.
    /// - Complexity: O(path).
    package static func root(leaf: Hash, index: UInt64, size: UInt64, path: [Hash]) -> Hash? {
        guard index < size else { return nil }
        var node = index
        var last = size &- 1
        var hash = leaf
        for sibling in path {
            guard last != 0 else { return nil }
            if node & 1 == 1 || node == last {
                hash = Hashing.node(sibling, hash)
                // A node without a right sibling stands in for its parent until it is a right child itself.
                while node & 1 == 0, node != 0 {
                    node >>= 1
                    last >>= 1
                }
            } else {
                hash = Hashing.node(hash, sibling)
            }
            node >>= 1
            last >>= 1
        }
        return last == 0 ? hash : nil
    }

    /// Whether a leaf is in a tree.
    /// - Parameters:
    ///   - leaf: The leaf's hash.
    ///   - index: The leaf's index, from zero.
    ///   - size: The tree's size in leaves.
    ///   - path: Sibling hashes from the leaf upwards.
    ///   - root: The tree's root.
    /// - Returns: True when the path leads to the root.
    package static func isIncluded(leaf: Hash, index: UInt64, size: UInt64, path: [Hash], root: Hash) -> Bool {
        self.root(leaf: leaf, index: index, size: size, path: path) == root
    }

    /// The two roots that a consistency proof leads to.
    /// - Parameters:
    ///   - first: Leaves of the smaller tree, at least 1.
    ///   - second: Leaves of the larger tree, more than `first`.
    ///   - evidence: RFC 6962's hashes; where `first` is a power of two, so that the RFC leaves the smaller root out, with
    ///     that root in front.
    /// - Returns: Both roots, or nil when the evidence has not the length that the sizes demand.
    /// - Complexity: O(evidence).
    package static func roots(first: UInt64, second: UInt64, evidence: [Hash]) -> Roots? {
        guard first > 0, first < second, let seed = evidence.first else { return nil }
        var node = first &- 1
        var last = second &- 1
        while node & 1 == 1 {
            node >>= 1
            last >>= 1
        }
        var roots = Roots(first: seed, second: seed)
        for hash in evidence.dropFirst() {
            guard last != 0 else { return nil }
            if node & 1 == 1 || node == last {
                roots.first = Hashing.node(hash, roots.first)
                roots.second = Hashing.node(hash, roots.second)
                while node & 1 == 0, node != 0 {
                    node >>= 1
                    last >>= 1
                }
            } else {
                roots.second = Hashing.node(roots.second, hash)
            }
            node >>= 1
            last >>= 1
        }
        return last == 0 ? roots : nil
    }

    /// Whether the larger tree begins with the smaller one.
    /// - Parameters:
    ///   - first: Leaves of the smaller tree, at least 1.
    ///   - second: Leaves of the larger tree, at least `first`.
    ///   - firstRoot: The smaller tree's root.
    ///   - secondRoot: The larger tree's root.
    ///   - proof: The hashes in RFC 6962's order; none for equal sizes.
    /// - Returns: True when the proof leads to both roots.
    package static func isConsistent(
        first: UInt64,
        second: UInt64,
        firstRoot: Hash,
        secondRoot: Hash,
        proof: [Hash]
    ) -> Bool {
        if first == second { return first > 0 && proof.isEmpty && firstRoot == secondRoot }
        let expected = Roots(first: firstRoot, second: secondRoot)
        let isPerfect = first & (first &- 1) == 0
        return roots(first: first, second: second, evidence: isPerfect ? [firstRoot] + proof : proof) == expected
    }
}
