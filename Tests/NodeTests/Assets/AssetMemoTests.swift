import Testing
import Wire

@testable import Node

@Suite struct `The memory for assets that are read part by part` {
    private let zone = ZoneID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0))

    private func known(_ number: UInt64) -> AssetMemo.Known {
        let payload = PayloadID(Digest32(word0: number, word1: 0, word2: 0, word3: 0))
        let descriptor = AssetDescriptor(
            payload: payload,
            size: number,
            secret: .unknown,
            mediaType: "image/png",
            fileName: "",
            modified: nil,
            thumbnail: []
        )
        return AssetMemo.Known(record: "lake", descriptor: descriptor)
    }

    private func place(_ field: String, item: Int? = nil) -> AssetPlace {
        AssetPlace(zone: "photos", record: "lake", field: field, item: item)
    }

    @Test func `has the asset of a place as long as the record is the same`() {
        var memo = AssetMemo()
        memo.note(known(1), at: place("a"), in: zone, of: [1])
        memo.note(known(2), at: place("a", item: 0), in: zone, of: [1])
        for _ in 0..<2 {
            #expect(memo.asset(at: place("a"), in: zone, of: [1])?.descriptor.size == 1)
            #expect(memo.asset(at: place("a", item: 0), in: zone, of: [1])?.descriptor.size == 2)
        }
        #expect(memo.asset(at: place("a"), in: .zero, of: [1]) == nil)
        #expect(memo.asset(at: place("b"), in: zone, of: [1]) == nil)
        #expect(memo.asset(at: place("a"), in: zone, of: [1, 2]) == nil)
        #expect(memo.asset(at: place("a"), in: zone, of: [1]) == nil, "it was for a record that has changed")
        memo.note(known(3), at: place("a"), in: zone, of: [1, 2])
        #expect(memo.asset(at: place("a"), in: zone, of: [1, 2])?.descriptor.size == 3)
    }

    @Test func `takes fields of other bytes for others, also where they look the same`() {
        var memo = AssetMemo()
        memo.note(known(1), at: place("\u{E9}"), in: zone, of: [1])
        #expect(memo.asset(at: place("e\u{301}"), in: zone, of: [1]) == nil)
        #expect(memo.asset(at: place("\u{E9}"), in: zone, of: [1]) != nil)
    }

    @Test func `forgets the place that was not read for the longest time`() {
        var memo = AssetMemo()
        for number in 1...8 as ClosedRange<UInt64> {
            memo.note(known(number), at: place("f\(number)"), in: zone, of: [1])
        }
        #expect(memo.asset(at: place("f1"), in: zone, of: [1]) != nil)
        memo.note(known(9), at: place("f9"), in: zone, of: [1])
        let kept = (1...9).filter { memo.asset(at: place("f\($0)"), in: zone, of: [1]) != nil }
        #expect(kept == [1, 3, 4, 5, 6, 7, 8, 9])
    }
}
