import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

@Suite struct `A checkpoint` {
    let fixture = CheckpointFixture()
    var alice: TestAuthor { fixture.alice }
    var bob: TestAuthor { fixture.bob }

    @Test func `is due after a day or ten thousand operations, when something is new`() throws {
        var replica = try fixture.history()
        #expect(try fixture.due(replica, now: CheckpointFixture.day - 1) == nil)
        #expect(try fixture.due(replica, now: CheckpointFixture.day) != nil)
        #expect(try fixture.due(try emptyReplica()) == nil)
        try fixture.make(&replica)
        #expect(try fixture.due(replica) == nil)
        for batch in 0..<10 {
            try replica.commit((0..<1_000).map { .note("n\(batch)-\($0)", [:]) }, by: alice)
        }
        #expect(try fixture.due(replica, now: 1)?.size(alice.log().actorLane) == 10_004)
    }

    @Test func `covers only operations that every active device has acknowledged`() throws {
        let replica = try fixture.history()
        let held = try fixture.acknowledgements(replica)
        let all = [bob.author.device: held]
        #expect(try fixture.due(replica, acknowledged: all, active: [bob])?.size(alice.log().actorLane) == 4)
        // Bob holds his own log without having acknowledged it, and nothing of Alice's.
        let own = try #require(try fixture.due(replica, active: [bob]))
        #expect(own.size(alice.log().actorLane) == 0)
        #expect(own.size(bob.log().actorLane) == 3)
        // A third device that is not active is not waited for.
        #expect(try fixture.due(replica, active: [bob, TestAuthor(3)]) == nil)
    }

    @Test func `covers no operation on top of one that it does not cover`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        try replica.commit([.note("a", ["x": "2"])], by: bob)
        // Bob has acknowledged nothing of Alice's log, so it is not covered; then neither are his writes on top of
        // it.
        #expect(try fixture.due(replica, active: [bob]) == nil)
    }

    @Test func `replaces superseded operations by hashes, and keeps live ones`() throws {
        var replica = try fixture.history()
        let before = replica.allRecords(zone: TestZone.id)
        let checkpoint = try fixture.make(&replica)
        #expect(checkpoint.liveCount == 3)
        #expect(try replica.shape(alice.log()) == ["2", "1", "o"])
        #expect(try replica.shape(bob.log()) == ["o", "1", "o"])
        #expect(replica.allRecords(zone: TestZone.id) == before)
        #expect(try replica.zone(TestZone.id)?.adopted == checkpoint)
        #expect(try replica.zone(TestZone.id)?.candidates.isEmpty == true)
    }

    @Test func `is adopted by others once they hold the covered operations, with the same result`() throws {
        var one = try fixture.history()
        var two = try emptyReplica()
        try two.pull(from: one)
        var late = try emptyReplica()
        let checkpoint = try fixture.make(&one)
        try two.pull(from: one)
        let adoption = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &two)
        #expect(adoption == .adopted(checkpoint, droppedCount: 4))
        #expect(try two.shape(alice.log()) == one.shape(alice.log()))
        #expect(try ZonePositions(of: TestZone.id).digest(in: one) == ZonePositions(of: TestZone.id).digest(in: two))
        // A replica that has only the control log has to wait.
        try late.receive(try #require(try one.run(alice.log(TestZone.id, .control))))
        #expect(try Checkpoints(of: TestZone.id).adoptAndPrune(in: &late) == .none)
        #expect(try late.zone(TestZone.id)?.candidates == [checkpoint])
    }

    @Test func `covers no operations that wait here, although another one does`() throws {
        let (carol, dave) = (TestAuthor(3), TestAuthor(4))
        var source = try fixture.history()
        try source.commit([.note("d", ["x": "1"])], by: carol)
        let checkpoint = try fixture.make(&source, by: fixture.bob)
        // Carol had seen the logs of Alice and Bob.
        var late = try emptyReplica()
        try late.receive(try #require(try source.run(fixture.bob.log(TestZone.id, .control))))
        try late.receive(try #require(try source.run(carol.log())))
        try late.commit([.note("e", ["x": "1"])], by: dave)
        let waiting = try #require(try late.log(carol.log()))
        #expect(waiting.size == 1 && waiting.appliedSize == 0)
        #expect(try late.zone(TestZone.id)?.candidates == [checkpoint])
        #expect(try Checkpoints(of: TestZone.id).coverUnknownOperations(in: late))
        #expect(try fixture.due(late)?.dataSizes == [dave.author.actor: 1])
        try late.pull(from: source)
        #expect(try !Checkpoints(of: TestZone.id).coverUnknownOperations(in: late))
        _ = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &late)
        let next = try #require(try fixture.due(late))
        #expect([carol, dave].allSatisfy { next.size($0.log().actorLane) == 1 })
    }

    @Test func `lets a fresh replica take gaps, which is unverified until the live set is complete`() throws {
        var source = try fixture.history()
        try fixture.make(&source)
        try source.commit([.note("a", ["x": "later"]), .note("d", [:])], by: alice)
        var fresh = try emptyReplica()
        let run = try #require(try source.run(alice.log()))
        try fresh.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try fresh.receive(run)
        #expect(try fresh.zone(TestZone.id)?.isUnverified == true)
        #expect(try Checkpoints(of: TestZone.id).adoptAndPrune(in: &fresh) == .none)
        try fresh.pull(from: source)
        let adoption = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &fresh)
        guard case .adopted = adoption else {
            Issue.record("not adopted: \(adoption)")
            return
        }
        #expect(try fresh.zone(TestZone.id)?.isUnverified == false)
        #expect(try fresh.visible() == source.visible())
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: fresh) == ZonePositions(of: TestZone.id).digest(in: source)
        )
        // And it can serve the next one.
        var next = try emptyReplica()
        try next.pull(from: fresh)
        #expect(try next.visible() == source.visible())
    }

    @Test func `lets a replica serve gaps before its own live set is complete`() throws {
        var source = try fixture.history()
        let checkpoint = try fixture.make(&source)
        let run = try #require(try source.run(alice.log()))
        var relay = try emptyReplica()
        #expect(replicaError { try relay.receive(run) } == .missingCheckpoint(alice.log(), checkpoint.hash))
        try relay.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try relay.receive(run)
        #expect(try relay.zone(TestZone.id)?.adopted == nil)
        #expect(try relay.run(alice.log()) == run)
        // Also when the checkpoint does not wait any more, since another live set was found here.
        var zone = try #require(try relay.zone(TestZone.id))
        zone.candidates = []
        try relay.save(zone)
        #expect(try relay.run(alice.log()) == run)
    }

    @Test func `above its maker's cut permits gaps only to replicas that have adopted it`() throws {
        var source = try fixture.history()
        try fixture.make(&source, by: bob)
        var relay = try emptyReplica()
        try relay.receive(try #require(try source.run(bob.log(TestZone.id, .control))))
        let run = try #require(try source.run(alice.log()))
        try relay.receive(run)
        #expect(try relay.run(alice.log()) == run)
        _ = try relay.applyCuts([:], of: bob.author.device)
        #expect(try relay.run(alice.log()) == nil)
    }

    @Test func `does not let a sender hide a live operation in a gap`() throws {
        var source = try fixture.history()
        try fixture.make(&source)
        var fresh = try emptyReplica()
        try fresh.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        var run = try #require(try source.run(bob.log()))
        guard case .operation(let hidden) = run.items[0] else {
            Issue.record("the first of Bob's operations should be live")
            return
        }
        run.items[0] = .gap(SubtreeGap(level: 0, index: 0, hash: hidden.header.leafHash))
        try fresh.receive(run)
        try fresh.receive(try #require(try source.run(alice.log())))
        guard case .mismatch = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &fresh) else {
            Issue.record("an incomplete live set was taken for complete")
            return
        }
        #expect(try fresh.zone(TestZone.id)?.isUnverified == true)
        #expect(try fresh.zone(TestZone.id)?.adopted == nil)
        #expect(try fixture.due(fresh) == nil)
    }

    @Test func `with another live set or root is not adopted and nothing is dropped`() throws {
        let source = try fixture.history()
        let good = try #require(try fixture.due(source))
        let bad = [
            Checkpoint(logs: good.logs, liveRoot: .zero, liveCount: good.liveCount, lapsed: [], previous: .zero),
            Checkpoint(logs: good.logs, liveRoot: good.liveRoot, liveCount: 99, lapsed: [], previous: .zero),
            Checkpoint(
                logs: good.logs.map {
                    LogPosition(actor: $0.actor, lane: $0.lane, size: $0.size, root: Hash(Digest32.one))
                },
                liveRoot: good.liveRoot,
                liveCount: good.liveCount,
                lapsed: [],
                previous: .zero
            ),
        ]
        for checkpoint in bad {
            var replica = source
            try replica.commit(.checkpoint(checkpoint), by: alice)
            #expect(try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) == .mismatch(checkpoint))
            #expect(try replica.shape(alice.log()) == source.shape(alice.log()))
            #expect(try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) == .none)
        }
    }

    @Test func `keeps a tombstone until a second one covers it`() throws {
        var replica = try fixture.history()
        try fixture.make(&replica)
        #expect(try replica.shape(bob.log()) == ["o", "1", "o"])
        #expect(try replica.record("c")?.live.count == 1)
        try replica.commit([.note("d", [:])], by: alice)
        let second = try fixture.make(&replica)
        #expect(try replica.shape(bob.log()) == ["o", "1", "1"])
        #expect(try replica.record("c")?.live.isEmpty == true)
        #expect(try replica.record("c")?.isDeleted == true)
        #expect(second.liveCount == 3)
        var fresh = try emptyReplica()
        try fresh.pull(from: replica)
        #expect(try Checkpoints(of: TestZone.id).adoptAndPrune(in: &fresh) == .adopted(second, droppedCount: 0))
        #expect(try fresh.visible() == replica.visible())
        // The name is free again, and the record is a new one.
        try replica.commit([.note("c", ["x": "again"])], by: alice)
        try fresh.pull(from: replica)
        #expect(try fresh.value("x", of: "c") == .string("again"))
        #expect(try replica.record("c")?.creation == replica.record("c")?.live.first)
    }

    @Test func `keeps a live operation that was superseded after it`() throws {
        var replica = try fixture.history()
        var peer = try emptyReplica()
        try peer.pull(from: replica)
        let checkpoint = try #require(try fixture.due(replica))
        try replica.commit([.note("b", ["x": "newer"])], by: alice)
        try replica.commit(.checkpoint(checkpoint), by: alice)
        _ = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica)
        #expect(try replica.states(bob.log()) == [.superseded, .live])
        // Were the newer one cut off, the older one would be there again.
        let cuts = [
            alice.log().actorLane: LogCut(size: 4, root: try #require(checkpoint.position(alice.log().actorLane)).root)
        ]
        _ = try replica.applyCuts(cuts, of: alice.author.device, zone: TestZone.id, wallMilliseconds: 1)
        #expect(try replica.value("x", of: "b") == .string("1"))
    }

    @Test func `is a floor for cuts`() throws {
        var replica = try fixture.history()
        try fixture.make(&replica)
        let before = try replica.visible()
        _ = try replica.applyCuts([:], of: bob.author.device, zone: TestZone.id, wallMilliseconds: 1)
        #expect(try replica.visible() == before)
        #expect(try ZonePositions(of: TestZone.id).all(in: replica).first { $0.row.key == bob.log() }?.size == 3)
    }

    @Test func `that comes after a cut raises it`() throws {
        var one = try fixture.history()
        var two = one
        _ = try two.applyCuts([:], of: bob.author.device, zone: TestZone.id, wallMilliseconds: 1)
        #expect(try two.value("x", of: "b") == nil)
        try fixture.make(&one)
        try two.pull(from: one)
        #expect(try two.value("x", of: "b") == .string("1"))
    }

    @Test func `that no log states any more is to be stated again, behind the one before it`() throws {
        var replica = try fixture.history()
        try fixture.make(&replica, by: bob)
        try replica.commit([.note("d", [:])], by: alice)
        let second = try fixture.make(&replica, by: bob)
        try replica.commit([.note("e", [:])], by: alice)
        let third = try fixture.make(&replica, by: bob)
        let checkpoints = Checkpoints(of: TestZone.id)
        #expect(try checkpoints.unsaid(in: replica).isEmpty)
        // Bob's statements are void; the live set of the third is computed with the second, and with no other.
        _ = try replica.applyCuts([:], of: bob.author.device)
        #expect(try checkpoints.unsaid(in: replica) == [second, third])
        try replica.commit(.checkpoint(second), by: alice)
        #expect(try checkpoints.unsaid(in: replica) == [third])
        try replica.commit(.checkpoint(third), by: alice)
        #expect(try checkpoints.unsaid(in: replica).isEmpty)
    }

    @Test func `leaves logs that can be served from any size outside its gaps`() throws {
        var replica = try emptyReplica()
        for index in 0..<64 {
            try replica.commit([.note(index % 8 == 7 ? "n\(index)" : "a", ["x": "\(index)"])], by: alice)
        }
        var half = try emptyReplica()
        try half.pull(from: replica)
        try replica.commit([.note("a", ["x": "end"])], by: alice)
        try fixture.make(&replica)
        #expect(try replica.run(alice.log(), from: 64) != nil)
        #expect(try replica.run(alice.log(), from: 1)?.from == 0)
        try half.pull(from: replica)
        #expect(try half.visible() == replica.visible())
    }
}
