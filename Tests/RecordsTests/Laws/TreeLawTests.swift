import Records
import Sodium
import TestSupport
import Testing
import Wire

/// A log's tree, for all sizes to 300.
@Suite struct `The laws of a log's tree` {
    private typealias Tree = `A log's tree`

    @Test func `the edge has the root of RFC 6962 at every size to 300, and survives its encoding`() throws {
        let leaves = Tree.leaves(300)
        var frontier = TreeFrontier()
        for (index, leaf) in leaves.enumerated() {
            frontier.append(leaf)
            #expect(frontier.root == Tree.naiveRoot(leaves[...index]), "size \(index + 1)")
            #expect(try TreeFrontier(decoding: frontier.encoded) == frontier, "size \(index + 1)")
        }
    }

    @Test func `every later head extends every earlier one, and damaged evidence shows it for none`() throws {
        var random = SeededGenerator(seed: 301)
        let leaves = Tree.leaves(300)
        let roots = Self.roots(leaves)
        for second in 2...leaves.count {
            let tiles = Tree.tiles(leaves.prefix(second))
            for _ in 0..<4 {
                let first = Int.random(in: 1..<second, using: &random)
                let evidence = try #require(tiles.consistencyEvidence(first: UInt64(first)))
                func isConsistent(_ firstRoot: Hash, _ secondRoot: Hash, _ evidence: [Hash]) -> Bool {
                    Self.leads(evidence, from: (first, firstRoot), to: (second, secondRoot))
                }
                #expect(isConsistent(roots[first], roots[second], evidence), "\(first) in \(second), seed 301")
                #expect(!isConsistent(roots[first - 1], roots[second], evidence), "\(first) in \(second), seed 301")
                #expect(!isConsistent(roots[first], roots[second - 1], evidence), "\(first) in \(second), seed 301")
                let damaged = Self.damaged(evidence, &random)
                #expect(!isConsistent(roots[first], roots[second], damaged), "\(first) in \(second), seed 301")
            }
        }
    }

    @Test func `of two histories none extends a head of the other behind the place where they part`() throws {
        for seed in 0..<100 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let size = Int.random(in: 2...120, using: &random)
            let parting = Int.random(in: 0..<size, using: &random)
            let leaves = Tree.leaves(size)
            var others = leaves
            others[parting] = Hash(digesting: .operationLeaf, [9, 9, 9])
            let tiles = Tree.tiles(others)
            let root = Tree.frontier(others).root
            let roots = Self.roots(leaves)
            for first in 1..<size {
                let evidence = try #require(tiles.consistencyEvidence(first: UInt64(first)))
                let isConsistent = Self.leads(evidence, from: (first, roots[first]), to: (size, root))
                #expect(isConsistent == (first <= parting), "seed \(seed), \(first) of \(size), parted at \(parting)")
            }
        }
    }

    @Test(arguments: 0..<200) func `gaps joined or not, the tree over gaps and leaves is the full one`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...300, using: &random)
        let leaves = Tree.leaves(count)
        let percent = [10, 50, 90, 100].randomElement(using: &random) ?? 50
        let dropped = (0..<count).filter { _ in Int.random(in: 0..<100, using: &random) < percent }
        let gaps = SubtreeGap.coalesced(
            dropped.map { SubtreeGap(level: 0, index: UInt64($0), hash: leaves[$0]) }
        )
        var starts: [UInt64: SubtreeGap] = [:]
        for gap in gaps { starts[gap.firstLeaf] = gap }
        var frontier = TreeFrontier()
        while frontier.size < UInt64(count) {
            if let gap = starts[frontier.size] {
                let isAppended = frontier.append(subtree: gap.hash, level: gap.level)
                try #require(isAppended, "seed \(seed)")
            } else {
                frontier.append(leaves[Int(frontier.size)])
            }
        }
        #expect(frontier == Tree.frontier(leaves), "seed \(seed)")
    }

    @Test func `one changed byte of an edge's encoding is refused or is another edge's only encoding`() {
        for count in [0, 1, 2, 3, 5, 8, 100] {
            let original = Tree.frontier(Tree.leaves(count)).encoded
            for place in original.indices {
                for byte in 0...255 as ClosedRange<UInt8> where byte != original[place] {
                    var bytes = original
                    bytes[place] = byte
                    // A refusal is one of the two outcomes that the law allows.
                    guard let again = try? TreeFrontier(decoding: bytes).encoded, again != bytes else { continue }
                    Issue.record("size \(count), byte \(place) = \(byte)")
                }
            }
        }
    }

    /// The roots of all beginnings, that of nothing first.
    private static func roots(_ leaves: [Hash]) -> [Hash] {
        var frontier = TreeFrontier()
        return [frontier.root]
            + leaves.map { leaf in
                frontier.append(leaf)
                return frontier.root
            }
    }

    private static func leads(
        _ evidence: [Hash],
        from first: (size: Int, root: Hash),
        to second: (size: Int, root: Hash)
    )
        -> Bool
    {
        let roots = MerkleProof<LogTreeHashing>.roots(
            first: UInt64(first.size),
            second: UInt64(second.size),
            evidence: evidence
        )
        return roots?.first == first.root && roots?.second == second.root
    }

    private static func damaged(_ evidence: [Hash], _ random: inout SeededGenerator) -> [Hash] {
        var damaged = evidence
        switch Int.random(in: 0...2, using: &random) {
        case 0: damaged.append(.zero)
        case 1: if damaged.popLast() == nil { damaged.append(.zero) }
        default:
            let place = damaged.indices.randomElement(using: &random)
            if let place { damaged[place] = Hash(digesting: .operationLeaf, damaged[place].bytes) }
            if place == nil { damaged.append(.zero) }
        }
        return damaged
    }
}
