import TestSupport
import Testing
import Wire

/// Ranges of hashes.
@Suite struct NibblePrefixTests {
    @Test func `the empty prefix matches everything`() {
        var generator = SeededGenerator(seed: 41)
        for _ in 0..<100 {
            #expect(NibblePrefix.empty.matches(.sample(&generator)))
        }
        #expect(NibblePrefix.empty.isEncoded(as: [0]))
    }

    @Test func `a prefix is packed and padded with zero`() throws {
        let hash = try #require(Hash(Layout.bytes("abcdef", Layout.fill(0x77, 29))))
        #expect(NibblePrefix(of: hash, count: 1).isEncoded(as: Layout.bytes("01 a0")))
        #expect(NibblePrefix(of: hash, count: 4).isEncoded(as: Layout.bytes("04 abcd")))
        #expect(NibblePrefix(of: hash, count: 5).isEncoded(as: Layout.bytes("05 abcde0")))
        #expect(NibblePrefix(of: hash, count: 64).isEncoded(as: [64] + hash.bytes))
        #expect("\(NibblePrefix(of: hash, count: 5))" == "abcde*")
        #expect(throws: WireError.invalidValue("prefix")) { try NibblePrefix(decoding: Layout.bytes("01 a1")) }
        #expect(throws: WireError.tooLong(limit: 64)) {
            try NibblePrefix(decoding: Layout.bytes("41", Layout.fill(0, 33)))
        }
    }

    @Test func `a prefix matches exactly the hashes that begin with it`() {
        var generator = SeededGenerator(seed: 42)
        for _ in 0..<2_000 {
            let hash = Hash.sample(&generator)
            let other = Hash.sample(&generator)
            let count = generator.below(65)
            let prefix = NibblePrefix(of: hash, count: count)
            #expect(prefix.matches(hash))
            let begins = hash.digest.hex.prefix(count) == other.digest.hex.prefix(count)
            #expect(prefix.matches(other) == begins)
        }
    }

    @Test func `the children of a range are sixteen, ascending, and match the same as it`() {
        var generator = SeededGenerator(seed: 43)
        for _ in 0..<200 {
            let hash = Hash.sample(&generator)
            let prefix = NibblePrefix(of: hash, count: generator.below(64))
            let children = prefix.children
            #expect(children.count == 16)
            #expect(children == children.sorted())
            #expect(children.filter { $0.matches(hash) } == [NibblePrefix(of: hash, count: prefix.count + 1)])
            #expect(children.allSatisfy { prefix.matches($0.lowerBound) })
        }
        #expect(NibblePrefix(of: .zero, count: 64).children.isEmpty)
        #expect(NibblePrefix(of: .zero, count: 1_000).count == 64)
        #expect(NibblePrefix(of: .zero, count: -1) == .empty)
    }
}
