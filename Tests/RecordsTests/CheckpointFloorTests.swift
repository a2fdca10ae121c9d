import Records
import ReplicaBehaviour
import Testing
import Wire

/// The next checkpoint where another one is adopted, or waits to be.
@Suite struct `The next checkpoint` {
    let fixture = CheckpointFixture()
    var alice: TestAuthor { fixture.alice }
    var bob: TestAuthor { fixture.bob }

    private func mayBeDue(_ replica: MemoryReplica) throws -> Bool {
        try Checkpoints(of: TestZone.id).mayBeDue(
            nowMilliseconds: CheckpointFixture.now,
            lastMilliseconds: 0,
            in: replica
        )
    }

    @Test func `is not looked for while nothing is new`() throws {
        #expect(try !mayBeDue(try emptyReplica()))
        var replica = try fixture.history()
        #expect(try mayBeDue(replica))
        try fixture.make(&replica)
        #expect(try !mayBeDue(replica))
        try replica.commit([.note("d", ["x": "1"])], by: bob)
        #expect(try mayBeDue(replica))
    }

    @Test func `is not due for operations that a waiting one covers`() throws {
        var replica = try fixture.history()
        let waiting = try #require(try fixture.due(replica))
        try replica.commit(.checkpoint(waiting), by: alice)
        #expect(try replica.zone(TestZone.id)?.candidates == [waiting])
        #expect(try fixture.due(replica) == nil)
        #expect(try !mayBeDue(replica))
    }

    @Test func `covers all that a waiting one covers, so that each replica can adopt both`() throws {
        var replica = try fixture.history()
        let waiting = try #require(try fixture.due(replica))
        try replica.commit(.checkpoint(waiting), by: alice)
        try replica.commit([.note("d", ["x": "1"])], by: bob)
        // Bob has acknowledged nothing of Alice's log, which the first one covers nevertheless.
        let next = try #require(try fixture.due(replica, active: [bob]))
        #expect(next.size(alice.log().actorLane) == 4)
        #expect(next.size(bob.log().actorLane) == 4)
    }
}
