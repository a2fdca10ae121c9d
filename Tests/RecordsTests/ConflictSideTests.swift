import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `The sides of a conflict` {
    private let alice = TestAuthor(1)
    private let bob = TestAuthor(2)

    /// Alice and Bob have written "a" without having seen each other's write; Bob's is the later one.
    private func conflicted() throws -> RecordRow {
        var one = try emptyReplica()
        var two = try emptyReplica()
        let hers = RecordWrite.note("a", ["w": "alice", "x": "alice", "y": "alice", "z": "same"])
        let his = RecordWrite.note("a", ["x": "bob", "y": "bob", "z": "same"])
        try one.commit([hers], by: alice, at: 1_000)
        try two.commit([his], by: bob, at: 2_000)
        try one.pull(from: two, at: 3_000)
        return try #require(try one.record("a"))
    }

    @Test func `are the writes whose values disagree, each with its own values, the shown one first`() throws {
        let sides = try conflicted().content().conflictSides
        #expect(sides.map(\.dot) == [bob, alice].map { Dot(actor: $0.author.actor, counter: 1) })
        for (side, text) in zip(sides, ["bob", "alice"]) {
            let names = side.values.map { $0.name }
            let values = side.values.map { $0.value }
            #expect(names == ["x", "y"])
            #expect(values == [.string(text), .string(text)])
        }
    }

    @Test func `are none where all values agree`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        let row = try #require(try replica.record("a"))
        #expect(try row.content().conflictSides.isEmpty)
    }
}
