import Records
import Sodium
import TestSupport
import Testing
import Wire

@Suite struct `A log's tree` {
    static func leaves(_ count: Int) -> [Hash] {
        (0..<count).map { Hash(digesting: .operationLeaf, [UInt8($0 & 0xFF), UInt8($0 >> 8)]) }
    }

    /// RFC 6962 §2.1, word for word.
    static func naiveRoot(_ leaves: ArraySlice<Hash>) -> Hash {
        if leaves.isEmpty { return LogTreeHashing.emptyRoot }
        if leaves.count == 1 { return leaves[leaves.startIndex] }
        var split = 1
        while split * 2 < leaves.count { split *= 2 }
        return LogTreeHashing.node(naiveRoot(leaves.prefix(split)), naiveRoot(leaves.dropFirst(split)))
    }

    static func frontier(_ leaves: some Sequence<Hash>) -> TreeFrontier {
        var frontier = TreeFrontier()
        for leaf in leaves {
            frontier.append(leaf)
        }
        return frontier
    }

    static func tiles(_ leaves: some Sequence<Hash>) -> MerkleTiles<LogTreeHashing> {
        var tiles = MerkleTiles<LogTreeHashing>()
        for leaf in leaves {
            tiles.append(leaf)
        }
        return tiles
    }

    @Test func `has the root of the definition at every size`() {
        let leaves = Self.leaves(140)
        var frontier = TreeFrontier()
        #expect(frontier.root == LogTreeHashing.emptyRoot)
        for (index, leaf) in leaves.enumerated() {
            frontier.append(leaf)
            #expect(frontier.root == Self.naiveRoot(leaves[...index]))
            #expect(frontier.size == UInt64(index + 1))
        }
    }

    @Test func `has an edge that survives encoding and refuses a damaged one`() throws {
        for count in [0, 1, 2, 3, 7, 8, 100, 255] {
            let frontier = Self.frontier(Self.leaves(count))
            #expect(try TreeFrontier(decoding: frontier.encoded) == frontier)
            #expect(frontier.subtrees.map(\.leafCount).reduce(0, +) == UInt64(count))
            if count > 0 {
                #expect(throws: WireError.truncated) { try TreeFrontier(decoding: Array(frontier.encoded.dropLast())) }
            }
        }
        #expect(throws: WireError.self) {
            try TreeFrontier(decoding: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F])
        }
    }

    @Test(arguments: 0..<60)
    func `has the same root when whole subtrees are appended by their hash`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let leaves = Self.leaves(Int.random(in: 1...200, using: &random))
        var frontier = TreeFrontier()
        while frontier.size < UInt64(leaves.count) {
            let size = Int(frontier.size)
            let alignment = size == 0 ? 7 : min(7, size.trailingZeroBitCount)
            let level = Int.random(in: 0...alignment, using: &random)
            let end = size + 1 << level
            guard end <= leaves.count else {
                frontier.append(leaves[size])
                continue
            }
            let isAppended = frontier.append(subtree: Self.naiveRoot(leaves[size..<end]), level: UInt8(level))
            #expect(isAppended)
        }
        #expect(frontier == Self.frontier(leaves), "seed \(seed)")
    }

    @Test func `refuses a subtree that is not aligned or too large`() {
        var frontier = Self.frontier(Self.leaves(2))
        let before = frontier
        let tooWide = frontier.append(subtree: .zero, level: 2)
        let tooHigh = frontier.append(subtree: .zero, level: 63)
        #expect(!tooWide)
        #expect(!tooHigh)
        #expect(frontier == before)
        var full = TreeFrontier()
        let isFull = full.append(subtree: .zero, level: 62)
        let more = full.append(subtree: .zero, level: 0)
        #expect(isFull)
        #expect(!more)
    }

    @Test func `proves each shorter tree to be its beginning`() throws {
        let leaves = Self.leaves(40)
        for second in 2...leaves.count {
            let tiles = Self.tiles(leaves.prefix(second))
            for first in 1..<second {
                let evidence = try #require(tiles.consistencyEvidence(first: UInt64(first)))
                let roots = MerkleProof<LogTreeHashing>.roots(
                    first: UInt64(first),
                    second: UInt64(second),
                    evidence: evidence
                )
                #expect(roots?.first == Self.naiveRoot(leaves.prefix(first)))
                #expect(roots?.second == Self.naiveRoot(leaves.prefix(second)))
                #expect(
                    MerkleProof<LogTreeHashing>.roots(
                        first: UInt64(first),
                        second: UInt64(second),
                        evidence: evidence + [.zero]
                    ) == nil
                )
            }
        }
        #expect(Self.tiles(leaves).consistencyEvidence(first: 0) == nil)
        #expect(Self.tiles(leaves).consistencyEvidence(first: 40) == nil)
    }

    @Test func `has evidence from an edge and its successors, but not from within`() {
        let leaves = Self.leaves(50)
        var tiles = MerkleTiles(Self.frontier(leaves.prefix(24)))
        for leaf in leaves.dropFirst(24) {
            tiles.append(leaf)
        }
        let whole = Self.tiles(leaves)
        for first in [16, 24, 25, 31, 32, 48, 49] {
            #expect(tiles.consistencyEvidence(first: UInt64(first)) == whole.consistencyEvidence(first: UInt64(first)))
        }
        #expect(tiles.consistencyEvidence(first: 7) == nil)
        #expect(tiles.root(from: 3, to: 5) == nil)
        #expect(tiles.root(from: 0, to: 51) == nil)
        #expect(tiles.root(from: 5, to: 5) == nil)
    }

    @Test(arguments: 0..<60)
    func `joins neighbouring gaps into aligned subtrees with the same root`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let leaves = Self.leaves(128)
        let dropped = (0..<128).filter { _ in Int.random(in: 0...3, using: &random) > 0 }
        let gaps = dropped.map { SubtreeGap(level: 0, index: UInt64($0), hash: leaves[$0]) }
        let joined = SubtreeGap.coalesced(gaps)
        #expect(joined.map(\.leafCount).reduce(0, +) == UInt64(dropped.count), "seed \(seed)")
        #expect(SubtreeGap.coalesced(joined) == joined)
        for (left, right) in zip(joined, joined.dropFirst()) {
            #expect(left.endLeaf <= right.firstLeaf)
            #expect(!(left.level == right.level && left.index &+ 1 == right.index && right.index & 1 == 1))
        }
        for gap in joined {
            let range = Int(gap.firstLeaf)..<Int(gap.endLeaf)
            #expect(gap.hash == Self.naiveRoot(leaves[range]), "seed \(seed)")
        }
    }

    @Test func `hashes leaves, nodes and live sets each in a way of their own`() {
        let one = Hash(digesting: .operationLeaf, [1])
        let nodes = [LogTreeHashing.node(one, one), LiveSetHashing.node(one, one)]
        let plain = Hash(digesting: .treeNode, [0x01] + one.bytes + one.bytes)
        #expect(nodes[0] == plain)
        #expect(nodes[0] != nodes[1])
        #expect(LogTreeHashing.emptyRoot != LiveSetHashing.emptyRoot)
    }
}
