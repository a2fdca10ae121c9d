import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

@Suite struct `The merge` {
    let alice = TestAuthor(1).author
    let bob = TestAuthor(2).author

    func sibling(
        _ author: Author,
        _ counter: UInt64,
        sees: VersionVector = [:],
        time: UInt64 = 1,
        deleted: Bool = false,
        _ fields: [RecordField] = []
    ) -> Sibling {
        let dot = Dot(actor: author.actor, counter: counter)
        var vector = sees
        vector.merge(dot)
        return Sibling(
            dot: dot,
            vector: vector,
            creation: dot,
            time: HybridTime(raw: time),
            body: RecordBody(
                name: "a",
                type: "note",
                isDeleted: deleted,
                parent: nil,
                creator: author.device,
                modifier: author.device,
                fields: fields
            )
        )
    }

    func field(
        _ name: String,
        _ author: Author,
        _ counter: UInt64,
        time: UInt64 = 1,
        _ value: FieldValue
    ) -> RecordField {
        let dot = Dot(actor: author.actor, counter: counter)
        return RecordField(name: name, entries: [FieldEntry(dot: dot, time: HybridTime(raw: time), value: value)])
    }

    @Test func `of nothing is nothing`() {
        #expect(Merge.merge([]) == nil)
    }

    @Test func `shows only the winner in fields that both wrote, if the type says so`() throws {
        let siblings = [
            sibling(alice, 1, [field("x", alice, 1, time: 1, .int64(1)), field("y", alice, 1, .int64(3))]),
            sibling(bob, 1, time: 2, [field("x", bob, 1, time: 2, .int64(2)), field("z", bob, 1, .int64(4))]),
        ]
        let kept = try #require(Merge.merge(siblings))
        let settled = try #require(Merge.merge(siblings.reversed(), latestTypes: [BytewiseString("note")]))
        #expect(kept.conflictFields == ["x"] && settled.conflictFields == [])
        #expect(settled.fields.map(\.name) == ["x", "y", "z"])
        #expect(settled.fields.map(\.winner) == kept.fields.map(\.winner))
        #expect(settled.live == kept.live && settled.vector == kept.vector)
        #expect(Merge.merge(siblings, latestTypes: [BytewiseString("task")]) == kept)
    }

    @Test func `keeps concurrent writes of different fields`() throws {
        let merged = try #require(
            Merge.merge([
                sibling(alice, 1, [field("x", alice, 1, .int64(1))]),
                sibling(bob, 1, [field("y", bob, 1, .int64(2))]),
            ])
        )
        #expect(merged.fields.map(\.name) == ["x", "y"])
        #expect(merged.conflictFields.isEmpty)
    }

    @Test func `keeps both values of one field and shows the later clock`() throws {
        let merged = try #require(
            Merge.merge([
                sibling(alice, 1, time: 9, [field("x", alice, 1, time: 9, .int64(1))]),
                sibling(bob, 1, time: 8, [field("x", bob, 1, time: 8, .int64(2))]),
            ])
        )
        #expect(merged.conflictFields == ["x"])
        #expect(merged.fields[0].winner.value == .int64(1))
        #expect(merged.fields[0].entries.count == 2)
        #expect(merged.modifier == alice.device)
    }

    @Test func `sees no conflict in two writes of one value`() throws {
        let merged = try #require(
            Merge.merge([
                sibling(alice, 1, [field("x", alice, 1, .int64(1))]),
                sibling(bob, 1, [field("x", bob, 1, .int64(1))]),
            ])
        )
        #expect(merged.conflictFields.isEmpty)
        #expect(merged.fields[0].entries.count == 2)
    }

    @Test func `drops a value that one sibling has seen and not restated`() throws {
        let old = field("x", alice, 1, .int64(1))
        let merged = try #require(
            Merge.merge([
                sibling(alice, 2, [old, field("y", alice, 2, .int64(5))]),
                sibling(bob, 1, sees: [alice.actor: 1], [field("z", bob, 1, .int64(6))]),
            ])
        )
        #expect(merged.fields.map(\.name) == ["y", "z"])
    }

    @Test func `lets an edit beat a delete that had not seen it, with its whole state`() throws {
        let merged = try #require(
            Merge.merge([
                sibling(alice, 2, time: 9, deleted: true),
                sibling(
                    bob,
                    1,
                    sees: [alice.actor: 1],
                    [field("x", alice, 1, .int64(1)), field("y", bob, 1, .int64(2))]
                ),
            ])
        )
        #expect(!merged.isDeleted)
        #expect(merged.fields.map(\.name) == ["x", "y"])
        #expect(merged.vector == [alice.actor: 1, bob.actor: 1])
        #expect(merged.seen == [alice.actor: 2, bob.actor: 1])
    }

    @Test func `of deletes is deleted`() throws {
        let merged = try #require(Merge.merge([sibling(alice, 1, deleted: true), sibling(bob, 1, deleted: true)]))
        #expect(merged.isDeleted)
        #expect(merged.fields.isEmpty)
    }

    @Test func `keeps both values of one dot`() throws {
        let one = sibling(alice, 1, [field("x", alice, 1, .int64(1))])
        let two = sibling(alice, 1, [field("x", alice, 1, .int64(2))])
        let merged = try #require(Merge.merge([one, two]))
        #expect(merged == Merge.merge([two, one]))
        #expect(merged.fields[0].entries.count == 2)
        #expect(merged.conflictFields == ["x"])
    }

    @Test func `believes no claim to have seen operations behind a fork`() throws {
        let one = sibling(alice, 7, [field("x", alice, 7, .int64(1))])
        let two = sibling(bob, 1, sees: [alice.actor: 7], [field("x", bob, 1, .int64(2))])
        #expect(Merge.merge([one, two])?.fields[0].entries.count == 1)
        let forks = ForkPoints([alice.actor: 6])
        #expect(Merge.merge([one, two], forks: forks)?.fields[0].entries.count == 2)
        #expect(Merge.merge([one, two], forks: ForkPoints([alice.actor: 7]))?.fields[0].entries.count == 1)
    }

    @Test func `adds up counters of all actors once each`() throws {
        func counter(_ parts: [(Author, UInt64, Int64)]) -> FieldValue {
            .counter(CounterState(entries: parts.map { .init(actor: $0.0.actor, counter: $0.1, total: $0.2) }))
        }
        let merged = try #require(
            Merge.merge([
                sibling(
                    alice,
                    3,
                    sees: [bob.actor: 1],
                    [field("n", alice, 3, counter([(alice, 3, 10), (bob, 1, 1)]))]
                ),
                sibling(bob, 2, sees: [alice.actor: 1], [field("n", bob, 2, counter([(alice, 1, 4), (bob, 2, 3)]))]),
            ])
        )
        guard case .counter(let state) = merged.fields[0].winner.value else {
            Issue.record("the field is no counter any more")
            return
        }
        #expect(state.value == 13)
        #expect(merged.fields[0].isFolded)
        #expect(merged.conflictFields.isEmpty)
    }

    @Test func `keeps an element added while another replica removed it`() throws {
        func set(_ parts: [(FieldValue, [Dot])]) -> FieldValue {
            .set(SetState(entries: parts.map { .init(element: $0.0, dots: $0.1) }))
        }
        let first = Dot(actor: alice.actor, counter: 1)
        let again = Dot(actor: alice.actor, counter: 2)
        let merged = try #require(
            Merge.merge([
                // Alice adds "x" once more; Bob, who has seen the first addition of both, removes both.
                sibling(alice, 2, [field("s", alice, 2, set([(.string("x"), [again]), (.string("y"), [first])]))]),
                sibling(bob, 1, sees: [alice.actor: 1], [field("s", bob, 1, set([]))]),
            ])
        )
        #expect(merged.fields[0].winner.value == set([(.string("x"), [again])]))
    }

    @Test func `keeps at most as many concurrent values as a body may hold`() throws {
        let siblings = (0..<UInt8(80)).map { number in
            let author = TestAuthor(number).author
            return sibling(author, 1, [field("x", author, 1, time: UInt64(number), .int64(Int64(number)))])
        }
        let merged = try #require(Merge.merge(siblings))
        #expect(merged.fields[0].entries.count == Limits.fieldEntryCountMax)
        #expect(merged.fields[0].winner.value == .int64(79))
        #expect(try RecordBody(decoding: merged.body.encoded) == merged.body)
    }

    @Test func `that is larger than a body may be is shown in part`() throws {
        func fat(_ author: Author, _ prefix: String) -> Sibling {
            sibling(
                author,
                1,
                (0..<700).map { field("\(prefix)\($0)", author, 1, .bytes([UInt8](repeating: 1, count: 1_000))) }
            )
        }
        let merged = try #require(Merge.merge([fat(alice, "a"), fat(bob, "b")]))
        let body = merged.body
        #expect(body.fields.count < 1_400)
        #expect(body.fields.count > 900)
        #expect(try RecordBody(decoding: body.encoded) == body)
    }

    // MARK: Laws

    /// Random siblings that could come from one history: actors with vectors over one another's operations.
    func randomSiblings(_ seed: UInt64) throws -> [Sibling] {
        var history = try RandomHistory(seed: seed, replicaCount: 4)
        for _ in 0..<25 {
            try history.commit(history.number(0...3))
            if history.flip(3) { try history.exchange(to: history.number(0...3)) }
        }
        try history.settle()
        let replica = history.replicas[0]
        return try replica.allRecords(zone: TestZone.id).flatMap {
            try replica.siblings(zone: TestZone.id, tag: $0.tag)
        }
    }

    @Test(arguments: 0..<40)
    func `merge is commutative and idempotent`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let siblings = try randomSiblings(seed)
        let merged = try #require(Merge.merge(siblings), "seed \(seed)")
        let again = siblings.shuffled(using: &random) + siblings.shuffled(using: &random)
        #expect(Merge.merge(again) == merged, "seed \(seed)")
        #expect(Merge.merge(again)?.body.encoded == merged.body.encoded, "seed \(seed)")
    }

    @Test(arguments: 0..<40)
    func `merge is a function of the union, whatever the grouping`(seed: UInt64) throws {
        let siblings = try randomSiblings(seed)
        let left = siblings.prefix(siblings.count / 2)
        let right = siblings.suffix(siblings.count - siblings.count / 3)
        #expect(Merge.merge(Array(left + right)) == Merge.merge(siblings), "seed \(seed)")
        #expect(Merge.merge(Array(right + left)) == Merge.merge(siblings), "seed \(seed)")
    }

    @Test(arguments: 0..<20)
    func `version is the hash of the vector alone`(seed: UInt64) throws {
        let merged = try #require(Merge.merge(try randomSiblings(seed)), "seed \(seed)")
        #expect(merged.version == RecordVersion(merged.vector))
        #expect(RecordVersion(text: merged.version.text) == merged.version)
        #expect(RecordVersion(merged.version.bytes) == merged.version)
        #expect(RecordVersion(text: "xyz") == nil)
    }
}
