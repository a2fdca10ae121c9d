import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `A run with gaps` {
    let fixture = CheckpointFixture()
    var alice: TestAuthor { fixture.alice }

    /// A replica with the first so many operations of Alice's log, which has not received the checkpoint.
    private func behind(_ count: Int) throws -> MemoryReplica {
        var replica = try emptyReplica()
        for index in 0..<count { try replica.commit([.note("a", ["x": "\(index)"])], by: alice) }
        return replica
    }

    @Test func `needs its checkpoint only where a gap lies behind all that is held`() throws {
        var source = try fixture.history()
        let checkpoint = try fixture.make(&source)
        #expect(try source.shape(alice.log()) == ["2", "1", "o"])
        let run = try #require(try source.run(alice.log()))
        #expect(run.from == 0 && run.checkpoint == checkpoint.hash)
        var replica = try behind(3)
        guard case .stored = try replica.receive(run) else {
            Issue.record("the run was refused")
            return
        }
        #expect(try replica.log(alice.log())?.size == 4)
        #expect(try replica.value("x", of: "a") == .string("3"))
        #expect(try replica.zone(TestZone.id)?.isUnverified == false)
        var other = try behind(2)
        let error = replicaError { try other.receive(run) }
        #expect(error == .missingCheckpoint(alice.log(), checkpoint.hash))
    }
}
