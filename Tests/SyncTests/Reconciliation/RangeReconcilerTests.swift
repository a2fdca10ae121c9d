import Sync
import TestSupport
import Testing
import Wire

@Suite struct RangeReconcilerTests {
    /// Zones with one log each.
    private func zones(_ numbers: some Sequence<Int>, size: UInt64 = 1) -> [ZoneSnapshot] {
        numbers.map { Sample.snapshot($0, [1: size]) }
    }

    @Test func `two sets with random differences find exactly the zones that differ, in few rounds`() throws {
        for seed in 0..<60 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let count = Int.random(in: 0...300, using: &random)
            var left: [ZoneSnapshot] = []
            var right: [ZoneSnapshot] = []
            var differing: Set<ZoneID> = []
            let percent = [0, 2, 30, 100].randomElement(using: &random) ?? 0
            for number in 0..<count {
                let isDifferent = Int.random(in: 0..<100, using: &random) < percent
                if isDifferent { differing.insert(Sample.zone(number)) }
                let kind = isDifferent ? Int.random(in: 0..<3, using: &random) : 3
                if kind != 0 { left.append(Sample.snapshot(number, [1: 1])) }
                if kind != 1 { right.append(Sample.snapshot(number, [1: kind == 2 ? 2 : 1])) }
            }
            var pair = CorePair(left, right)
            try pair.compare()
            #expect(pair.asked[0].union(pair.asked[1]) == differing, "seed \(seed)")
            // One round for each half byte that distinguishes 300 zones, and those for listing and reporting.
            #expect(pair.rounds <= 8, "seed \(seed)")
        }
    }

    @Test func `equal sets cost one message each way, whatever their size`() throws {
        for count in [0, 1, 17, 400] {
            var pair = CorePair(zones(0..<count), zones(0..<count))
            try pair.compare()
            #expect(pair.sent.map(\.count) == [1, 1])
            #expect(pair.comparisonByteCount < 64)
            #expect(pair.inSync == [1, 1])
        }
    }

    @Test func `one difference among many zones costs few bytes`() throws {
        var pair = CorePair(zones(0..<400), zones(0..<399) + zones([399], size: 2))
        try pair.compare()
        #expect(pair.asked[0].union(pair.asked[1]) == [Sample.zone(399)])
        #expect(pair.comparisonByteCount < 5_000)
    }

    @Test(arguments: [0, 4_990]) func `all messages about 5,000 zones stay within the limits`(common: Int) throws {
        // The zones of one side only are known to it alone; sizes of messages are checked by decoding them.
        var left = zones(0..<common)
        left += (common..<5_000).map { Sample.snapshot($0, [1: 1]) }
        var pair = CorePair(left, zones(0..<common, size: 2))
        try pair.compare()
        #expect(pair.asked[0].union(pair.asked[1]) == Set(left.map(\.zone)))
        #expect(pair.sent.joined().allSatisfy { $0.encoded.count < Limits.smallMessageByteCountMax })
        if common == 0 { #expect(pair.rounds <= 4, "a node that has nothing is told everything at once") }
    }

    @Test func `the keys of one zone differ between sessions, and of one session between zones`() {
        let bindings = (0..<3).map { [UInt8](repeating: UInt8($0), count: 32) }
        let keys = (0..<3).flatMap { zone in
            bindings.map { RangeReconciler.blinded(Sample.zone(zone), binding: $0) }
        }
        #expect(Set(keys).count == 9)
        #expect(keys[0] == RangeReconciler.blinded(Sample.zone(0), binding: bindings[0]))
        #expect(!keys.contains { $0.bytes == Sample.zone(0).bytes })
    }

    @Test func `a range that the other side chose is listed in pieces that a message holds`() {
        let all = (0..<2_000).map { (zone: Sample.zone($0), state: Sample.hash(1)) }
        let reconciler = RangeReconciler(zones: all, binding: [1])
        let unknown = RangeItem(zone: Sample.hash(9), state: .zero)
        let answer = reconciler.answer(items: [ItemRange(prefix: .empty, items: [unknown])], isReply: false)
        #expect(answer.reply.allSatisfy { $0.items.count <= RangeReconciler.listedCountMax })
        #expect(answer.reply.reduce(0) { $0 + $1.items.count } == 2_000)
        #expect(answer.differing.count == 2_000)
    }

    @Test(arguments: [(16, 16), (16, 17), (17, 16)])
    func `an unequal range is listed while both sides have at most sixteen zones in it`(ours: Int, theirs: Int) {
        let all = (0..<ours).map { (zone: Sample.zone($0), state: Sample.hash(1)) }
        let reconciler = RangeReconciler(zones: all, binding: [1])
        let digest = RangeDigest(prefix: .empty, itemCount: UInt32(theirs), digest: .zero)
        let answer = reconciler.answer(digests: [digest])
        let isListed = ours <= 16 && theirs <= 16
        #expect(answer.items.map(\.items.count) == (isListed ? [ours] : []))
        #expect(answer.digests.count == (isListed ? 0 : 16))
    }

    @Test func `digests that claim absurd counts end, and lead to lists in the end`() throws {
        let reconciler = RangeReconciler(zones: [(Sample.zone(0), .zero)], binding: [1])
        var prefixes = [NibblePrefix.empty]
        for _ in 0...Limits.prefixNibbleCountMax {
            let digests = prefixes.map { RangeDigest(prefix: $0, itemCount: .max, digest: .zero) }
            let answer = reconciler.answer(digests: digests)
            #expect(answer.digests.count <= 16)
            prefixes = answer.digests.filter { $0.itemCount > 0 }.map(\.prefix)
            if prefixes.isEmpty { return }
        }
        Issue.record("the comparison goes on for ever")
    }

    @Test func `the side that finds equality by itself notes the peer's state, once for each state`() throws {
        var pair = CorePair(zones(0..<3), zones(0..<3))
        try pair.compare()
        #expect(pair.saved[0].isEmpty)
        #expect(pair.saved[1].count == 3)
        pair.saved[1] = [:]
        try pair.compare()
        #expect(pair.saved[1].isEmpty)
    }
}
