import Identity
import Records
import Simulator
import Sodium
import Testing
import Wire

/// Writes of one record by hand, for the reference model.
private struct HandMadeRecord {
    static let tag = RecordTag(Digest32(word0: 7, word1: 0, word2: 0, word3: 0))
    static let device = DeviceID(Digest32(word0: 1, word1: 1, word2: 1, word3: 1))

    static func actor(_ number: UInt64) -> ActorID {
        ActorID(Digest32(word0: number, word1: 0, word2: 0, word3: 0))
    }

    static func dot(_ actor: UInt64, _ counter: UInt64) -> Dot { Dot(actor: self.actor(actor), counter: counter) }

    /// A write by an actor that has seen some others.
    static func write(
        _ dot: Dot,
        seen: [Dot] = [],
        time: UInt64,
        fields: [String: [FieldEntry]],
        isDeleted: Bool = false
    ) -> ReferenceOperation {
        let body = RecordBody(
            name: "r",
            type: "note",
            isDeleted: isDeleted,
            parent: nil,
            creator: device,
            modifier: device,
            fields: fields.map { RecordField(name: $0.key, entries: $0.value) }
        )
        let header = OperationHeader(
            counter: dot.counter,
            tag: tag,
            vector: VersionVector(covering: seen + [dot]),
            creation: seen.first ?? dot,
            controlHeads: .zero,
            epoch: .zero,
            time: HybridTime(milliseconds: time),
            batch: .single,
            bodyHash: Operation.bodyHash(body.encoded)
        )
        return ReferenceOperation(dot: dot, header: header, body: body)
    }

    static func entry(_ dot: Dot, _ time: UInt64, _ value: FieldValue) -> FieldEntry {
        FieldEntry(dot: dot, time: HybridTime(milliseconds: time), value: value)
    }

    static func values(_ name: String, _ operations: [ReferenceOperation]) -> [FieldValue] {
        ReferenceModel.record(of: operations)?.fields[BytewiseString(name)]?.map(\.value) ?? []
    }
}

@Suite struct ReferenceModelTests {
    private typealias Hand = HandMadeRecord

    private let first = Hand.write(
        Hand.dot(1, 1),
        time: 10,
        fields: ["title": [Hand.entry(Hand.dot(1, 1), 10, .string("a"))]]
    )

    @Test func `of no operations there is no record`() {
        #expect(ReferenceModel.record(of: []) == nil)
        #expect(ReferenceModel.records(of: []).isEmpty)
    }

    @Test func `a write whose author had seen another one supersedes it`() {
        let second = Hand.write(
            Hand.dot(2, 1),
            seen: [Hand.dot(1, 1)],
            time: 5,
            fields: ["title": [Hand.entry(Hand.dot(2, 1), 5, .string("b"))]]
        )
        #expect(ReferenceModel.live([first, second]) == [second])
        #expect(Hand.values("title", [second, first]) == [.string("b")])
    }

    @Test func `concurrent writes of one field both stay`() {
        let second = Hand.write(
            Hand.dot(2, 1),
            time: 20,
            fields: ["title": [Hand.entry(Hand.dot(2, 1), 20, .string("b"))]]
        )
        #expect(Hand.values("title", [first, second]) == [.string("a"), .string("b")])
        #expect(Hand.values("title", [second, first]) == [.string("a"), .string("b")])
    }

    @Test func `an edit beats a delete that it had not seen`() {
        let delete = Hand.write(Hand.dot(2, 1), time: 99, fields: [:], isDeleted: true)
        #expect(Hand.values("title", [first, delete]) == [.string("a")])
    }

    @Test func `a delete that had seen everything leaves nothing`() {
        let delete = Hand.write(Hand.dot(2, 1), seen: [Hand.dot(1, 1)], time: 1, fields: [:], isDeleted: true)
        #expect(ReferenceModel.record(of: [first, delete]) == nil)
    }

    @Test func `a value that a sibling had seen and does not carry is gone`() {
        let edit = Hand.write(
            Hand.dot(1, 2),
            seen: [Hand.dot(1, 1)],
            time: 11,
            fields: ["title": [Hand.entry(Hand.dot(1, 1), 10, .string("a"))]]
        )
        let replacement = Hand.write(
            Hand.dot(2, 1),
            seen: [Hand.dot(1, 1)],
            time: 12,
            fields: ["title": [Hand.entry(Hand.dot(2, 1), 12, .string("b"))]]
        )
        #expect(Hand.values("title", [first, edit, replacement]) == [.string("b")])
    }

    @Test func `counters of all authors add up`() {
        let operations = [UInt64(1), 2, 3].map { number in
            let dot = Hand.dot(number, 1)
            let total = CounterState.Entry(actor: dot.actor, counter: 1, total: Int64(number))
            return Hand.write(
                dot,
                time: number,
                fields: ["count": [Hand.entry(dot, number, .counter(CounterState(entries: [total])))]]
            )
        }
        guard case .counter(let state) = Hand.values("count", operations).first else {
            Issue.record("no counter")
            return
        }
        #expect(state.value == 6)
        #expect(Hand.values("count", operations).count == 1)
    }

    @Test func `an element of a set stays unless a write that had seen it removed it`() {
        func set(_ entries: [(String, Dot)]) -> FieldValue {
            .set(SetState(entries: entries.map { SetState.Entry(element: .string($0.0), dots: [$0.1]) }))
        }
        let one = Hand.dot(1, 1)
        let two = Hand.dot(2, 1)
        let three = Hand.dot(3, 1)
        let added = Hand.write(one, time: 1, fields: ["tags": [Hand.entry(one, 1, set([("x", one), ("y", one)]))]])
        let removed = Hand.write(two, seen: [one], time: 2, fields: ["tags": [Hand.entry(two, 2, set([("y", one)]))]])
        let another = Hand.write(
            three,
            seen: [one],
            time: 3,
            fields: ["tags": [Hand.entry(three, 3, set([("x", one), ("y", one), ("z", three)]))]]
        )
        #expect(Hand.values("tags", [added, removed, another]) == [set([("y", one), ("z", three)])])
    }
}
