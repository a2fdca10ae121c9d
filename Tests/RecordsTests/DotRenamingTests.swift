import ReplicaBehaviour
import Testing
import Wire

@testable import Records

/// Alice's log was rolled back, and what only she holds of it is written again under the name of her next incarnation.
@Suite struct `A record that is written again under another name` {
    private let alice = TestAuthor(1).author
    private let renewed = TestAuthor(1, life: 1).author
    private let bob = TestAuthor(2).author
    private var name: Dot { Dot(actor: renewed.actor, counter: 1) }

    private func entry(_ author: Author, _ counter: UInt64, _ value: FieldValue) -> FieldEntry {
        FieldEntry(dot: Dot(actor: author.actor, counter: counter), time: HybridTime(raw: counter), value: value)
    }

    private func sibling(
        _ author: Author,
        _ counter: UInt64,
        sees: VersionVector = [:],
        _ fields: [String: FieldEntry]
    ) -> Sibling {
        let dot = Dot(actor: author.actor, counter: counter)
        var vector = sees
        vector.merge(dot)
        return Sibling(
            dot: dot,
            vector: vector,
            creation: Dot(actor: bob.actor, counter: 1),
            time: HybridTime(raw: counter),
            body: RecordBody(
                name: "a",
                type: "note",
                isDeleted: false,
                parent: nil,
                creator: bob.device,
                modifier: author.device,
                fields: fields.map { RecordField(name: $0.key, entries: [$0.value]) }
            )
        )
    }

    /// Writes the state of these operations again; others hold Alice's log up to its first operation.
    private func writtenAgain(_ siblings: [Sibling]) throws -> Sibling {
        let state = try #require(Merge.merge(siblings))
        let renaming = DotRenaming(actor: alice.actor, above: 1, to: name, HybridTime(raw: 9))
        let (operation, body) = try renaming.operation(state, tag: .zero, author: renewed, .zero)
        return Sibling(actor: renewed.actor, header: operation.header, body: body.body)
    }

    @Test func `states as its own only the values that no other log has`() throws {
        let first = entry(bob, 1, .string("bob"))
        let again = try writtenAgain([
            sibling(alice, 3, sees: [bob.actor: 1], ["x": first, "y": entry(alice, 3, .string("alice"))])
        ])
        #expect(again.body.field(named: "x")?.entries == [first])
        #expect(again.body.field(named: "y")?.entries.map(\.dot) == [name])
        #expect(again.vector == [alice.actor: 1, bob.actor: 1, renewed.actor: 1])
        // So it brings back no value that its author replaced meanwhile.
        let later = sibling(bob, 2, sees: [bob.actor: 1], ["x": entry(bob, 2, .string("later"))])
        let merged = try #require(Merge.merge([again, later]))
        #expect(merged.conflictFields.isEmpty)
        #expect(merged.fields.map(\.winner.value) == [.string("later"), .string("alice")])
    }

    @Test func `states a counter that was merged of several writes as its own, since no write states it`() throws {
        func counter(_ author: Author, _ counter: UInt64, _ total: Int64) -> FieldValue {
            .counter(CounterState(entries: [.init(actor: author.actor, counter: counter, total: total)]))
        }
        let again = try writtenAgain([
            sibling(alice, 1, sees: [bob.actor: 1], ["n": entry(alice, 1, counter(alice, 1, 5))]),
            sibling(bob, 2, sees: [bob.actor: 1], ["n": entry(bob, 2, counter(bob, 2, 7))]),
        ])
        let entries = try #require(again.body.field(named: "n")).entries
        #expect(entries.map(\.dot) == [name])
        guard case .counter(let state)? = entries.first?.value else {
            Issue.record("no counter")
            return
        }
        #expect(state.value == 12)
    }
}
