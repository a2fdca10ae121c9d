import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

/// Alice's store was rolled back to where it held one operation, and wrote on; meanwhile all others have pruned her
/// later writes, so that no peer can prove that her log has two histories.
@Suite struct `A log that is rolled back into a gap with another history` {
    let fixture = CheckpointFixture()
    var alice: TestAuthor { fixture.alice }
    var bob: TestAuthor { fixture.bob }
    /// Alice in the incarnation that begins when her store learns that it was rolled back.
    let renewed = TestAuthor(1, life: 1)

    /// Returns a replica of the others, and one that was rolled back to the common history.
    ///
    /// The others hold seven more states of "a" by Alice, all but the last in gaps.
    private func histories() throws -> (others: MemoryReplica, setBack: MemoryReplica) {
        var others = try emptyReplica()
        let first = RecordWrite(name: "a", type: "note", increments: [.init(field: "count", amount: 1)])
        try others.commit([first], by: alice, at: 1_000)
        try others.commit([.note("z", ["x": "bob"]), .note("y", ["x": "bob"])], by: bob, at: 1_000)
        let setBack = others
        for index in 1..<8 {
            let write = RecordWrite(
                name: "a",
                type: "note",
                set: [.init(field: "x", value: .string("\(index)"))],
                increments: [.init(field: "count", amount: 100)]
            )
            try others.commit([write], by: alice, at: 5_000)
        }
        try others.commit([.note("c", ["x": "1"])], by: bob, at: 5_000)
        try fixture.make(&others, by: bob)
        #expect(try others.shape(alice.log()) == ["4", "2", "1", "o"])
        return (others, setBack)
    }

    /// Takes the log back as a node does it.
    /// - Returns: Whether something was written again.
    @discardableResult
    private func takeBack(_ replica: inout MemoryReplica, from others: MemoryReplica, shared: UInt64 = 1) throws -> Bool
    {
        try replica.receive(try #require(try others.run(bob.log(TestZone.id, .control))))
        let size = try replica.log(alice.log())?.size ?? 0
        let run = try #require(try others.run(alice.log(), from: size))
        let unshared = try Unshared(truncatedBy: run, key: alice.log(), sharedSize: shared, in: replica)
        let receipt = try RunReceiver(run, actor: alice.author.actor, sharedSize: shared, wallMilliseconds: 9_000)
            .receive(in: &replica)
        guard case .stored(let applied) = receipt, applied.isTakenBack else {
            Issue.record("\(receipt)")
            return false
        }
        guard let unshared else { return false }
        _ = try unshared.writeAgain(author: renewed.author, sign: renewed.sign, in: &replica)
        return true
    }

    /// Lets all replicas exchange everything; they must agree, and find nothing hidden.
    private func settle(_ replica: inout MemoryReplica, _ others: inout MemoryReplica) throws {
        try others.pull(from: replica)
        try replica.pull(from: others)
        #expect(try replica.visible() == others.visible())
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: replica) == ZonePositions(of: TestZone.id).digest(in: others)
        )
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) else {
            Issue.record("the live set is another one")
            return
        }
    }

    private func values(_ replica: MemoryReplica, _ name: String) throws -> [FieldValue] {
        try replica.record(name)?.content().field(named: "x")?.entries.map(\.value) ?? []
    }

    @Test func `is restated under the new name before it is dropped, and others learn of it`() throws {
        var (others, replica) = try histories()
        try replica.commit([.note("new", ["x": "mine"])], by: alice, at: 2_000)
        try replica.commit([.note("z", ["x": "mine"])], by: alice, at: 2_000)
        #expect(try takeBack(&replica, from: others))
        #expect(try replica.value("x", of: "new") == .string("mine"), "not even for a moment it is away")
        try settle(&replica, &others)
        #expect(try others.value("x", of: "new") == .string("mine"))
        // Its author had seen the write that it replaced.
        #expect(try values(others, "z") == [.string("mine")])
    }

    @Test func `is kept beside other writes to the same record, which are shown if they are newer`() throws {
        var (others, replica) = try histories()
        try others.commit([.note("z", ["x": "bob again"])], by: bob, at: 6_000)
        for name in ["a", "z"] { try replica.commit([.note(name, ["x": "mine"])], by: alice, at: 2_000) }
        try takeBack(&replica, from: others)
        try settle(&replica, &others)
        #expect(try Set(values(others, "a")) == [.string("mine"), .string("7")])
        #expect(try others.value("x", of: "a") == .string("7"))
        #expect(try Set(values(others, "z")) == [.string("mine"), .string("bob again")])
        #expect(try others.value("x", of: "z") == .string("bob again"))
    }

    @Test func `repeats the deletion of records that no other write changed since`() throws {
        var (others, replica) = try histories()
        for name in ["a", "z"] { try replica.commit([.deletion(name)], by: alice, at: 2_000) }
        try takeBack(&replica, from: others)
        try settle(&replica, &others)
        #expect(try others.value("x", of: "a") == .string("7"))
        #expect(try others.value("x", of: "z") == nil)
    }

    @Test func `adds each history's additions to counters once, also if two copies hold the same`() throws {
        var (others, replica) = try histories()
        for amount in [10, 5] as [Int64] {
            let write = RecordWrite(name: "a", type: "note", increments: [.init(field: "count", amount: amount)])
            try replica.commit([write], by: alice, at: 2_000)
        }
        let copy = replica
        try takeBack(&replica, from: others)
        let second = TestAuthor(1, life: 2)
        var other = copy
        try other.receive(try #require(try others.run(bob.log(TestZone.id, .control))))
        let run = try #require(try others.run(alice.log(), from: 3))
        let unshared = try Unshared(truncatedBy: run, key: alice.log(), sharedSize: 1, in: other)
        _ = try RunReceiver(run, actor: alice.author.actor, sharedSize: 1, wallMilliseconds: 9_000).receive(in: &other)
        _ = try (try #require(unshared)).writeAgain(author: second.author, sign: second.sign, in: &other)
        try others.pull(from: other)
        try settle(&replica, &others)
        guard case .counter(let count) = try others.value("count", of: "a") else {
            Issue.record("no counter")
            return
        }
        #expect(count.value == 1 + 700 + 15)
    }

    @Test func `is dropped when an operation under the new name was written on top of it`() throws {
        var (others, replica) = try histories()
        try replica.commit([.note("a", ["x": "mine"])], by: alice, at: 2_000)
        try replica.commit([.note("a", ["x": "later"])], by: renewed, at: 3_000)
        #expect(try takeBack(&replica, from: others))
        try settle(&replica, &others)
        #expect(try Set(values(others, "a")) == [.string("later"), .string("7")])
    }

    @Test func `is not written again as far as others hold it as well`() throws {
        var (others, replica) = try histories()
        try replica.commit([.note("a", ["x": "1"])], by: alice, at: 2_000)
        #expect(try takeBack(&replica, from: others, shared: 2) == false)
        try settle(&replica, &others)
        #expect(try values(others, "a") == [.string("7")])
    }

    @Test func `makes the whole attempt fail while nothing can be written under the new name`() throws {
        let (others, setBack) = try histories()
        var replica = setBack
        try replica.commit([.note("a", ["x": "mine"])], by: alice, at: 2_000)
        let run = try #require(try others.run(alice.log(), from: 2))
        let unshared = try #require(
            try Unshared(truncatedBy: run, key: alice.log(), sharedSize: 1, in: replica)
        )
        try replica.commit([.note("b", [:])], by: renewed, at: 3_000)
        _ = try replica.applyCuts([:], of: renewed.author.device)
        #expect(
            replicaError {
                _ = try unshared.writeAgain(author: renewed.author, sign: renewed.sign, in: &replica)
            } == .ownLogClosed(renewed.log())
        )
    }
}
