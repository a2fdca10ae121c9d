import Records
import ReplicaBehaviour
import Testing
import Wire

/// Behind a fork of Alice's log is a write of a record that Bob has written as well, too large for one record together.
@Suite struct `A restatement that fits no record beside the present content` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)

    private func large(_ field: String) -> RecordWrite {
        let value = FieldValue.bytes([UInt8](repeating: 7, count: 600_000))
        return RecordWrite(name: "r", type: "note", set: [.init(field: field, value: value)])
    }

    private func forked(
        field: String = "y",
        by bob: TestAuthor = TestAuthor(2),
        at time: UInt64 = 1_000
    ) throws -> MemoryReplica {
        var one = try emptyReplica()
        try one.commit([.note("s", ["y": "0"])], by: alice)
        var two = one
        try one.commit([large("x")], by: alice)
        try two.commit([.note("o", ["x": "right"])], by: alice)
        var his = try emptyReplica()
        try his.commit([large(field)], by: bob, at: time)
        try one.pull(from: his)
        guard case .forked = try one.receive(try #require(try two.run(alice.log()))) else {
            Issue.record("no fork was found")
            return one
        }
        return one
    }

    private func restate(_ replica: inout MemoryReplica, by author: TestAuthor) throws -> Restatement {
        try LocalWrites(zone: TestZone.id, author: author.author, wallMilliseconds: 5_000, sign: author.sign)
            .restateForked(in: &replica)
    }

    /// The fields of all live operations of the record, whether there is room to show them or not.
    private func fields(_ replica: MemoryReplica) throws -> Set<String> {
        let row = try #require(try replica.record("r"))
        return Set(try replica.siblings(zone: TestZone.id, tag: row.tag).flatMap { $0.body.fields.map(\.name) })
    }

    @Test func `stands beside it where its author has not written the record`() throws {
        var replica = try forked()
        #expect(try fields(replica) == ["y"])
        let restatement = try restate(&replica, by: TestAuthor(3))
        #expect(restatement.restatedCount == 1 && restatement.oversizedCount == 0)
        #expect(try fields(replica) == ["x", "y"])
    }

    /// The present content is the newer one, and the one that has room: readers see no difference.
    @Test(arguments: 2...9)
    func `is made also where the state that readers see stays the same`(_ number: Int) throws {
        var replica = try forked(field: "a", by: TestAuthor(UInt8(number)), at: 2_000)
        let restatement = try restate(&replica, by: TestAuthor(10))
        #expect(restatement.restatedCount == 1 && restatement.oversizedCount == 0)
        #expect(try fields(replica) == ["a", "x"])
    }

    @Test func `hides nothing that its author has written to the record`() throws {
        var replica = try forked()
        let restatement = try restate(&replica, by: bob)
        #expect(restatement.oversizedCount == 1 && restatement.heads.isEmpty)
        #expect(try fields(replica) == ["y"])
    }
}
