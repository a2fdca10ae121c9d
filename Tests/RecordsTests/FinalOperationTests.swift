import Records
import ReplicaBehaviour
import Testing
import Wire

/// Operations that a checkpoint covers stay effective, whatever later cuts state.
@Suite struct `Operations under a checkpoint` {
    let fixture = CheckpointFixture()
    let carol = TestAuthor(3)
    var alice: TestAuthor { fixture.alice }
    var bob: TestAuthor { fixture.bob }

    @Test func `stay effective where the checkpoint covers a single one of their log`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: bob)
        let checkpoint = try fixture.make(&replica)
        #expect(checkpoint.size(bob.log().actorLane) == 1)
        let outcome = try replica.applyCuts([:], of: bob.author.device)
        #expect(outcome.changed.isEmpty && outcome.quarantinedCount == 0)
        #expect(try replica.value("x", of: "a") == .string("1"))
    }

    @Test func `stay effective from the adoption on where the checkpoint's author does not stand`() throws {
        var replica = try fixture.history()
        let checkpoint = try #require(try fixture.due(replica))
        try replica.commit(.checkpoint(checkpoint), by: carol)
        let former = LogRuling(role: .ended(.owner, at: 1))
        _ = try RulingApplier(of: TestZone.id, wallMilliseconds: 1)
            .rule([carol.log(TestZone.id, .control): former], in: &replica)
        #expect(try replica.zone(TestZone.id)?.watermark.isEmpty == true, "nothing is final by it so far")
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) else {
            Issue.record("not adopted")
            return
        }
        let before = try replica.visible()
        let outcome = try replica.applyCuts([:], of: alice.author.device)
        #expect(outcome.changed.isEmpty && outcome.quarantinedCount == 0)
        #expect(try replica.visible() == before)
        #expect(try replica.value("x", of: "a") == .string("3"))
    }
}
