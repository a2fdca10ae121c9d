import Records
import ReplicaBehaviour
import Testing
import Wire

/// Two checkpoints of which none covers the other: the logs of one had been lost everywhere, and came back with a disk.
@Suite struct `A replica with gaps under two checkpoints` {
    let fixture = CheckpointFixture()
    let carol = TestAuthor(3)
    let dave = TestAuthor(4)
    let erin = TestAuthor(5)

    /// Carol's log, with a gap under a checkpoint of Alice's.
    func first() throws -> MemoryReplica {
        var replica = try emptyReplica()
        for index in 0..<3 { try replica.commit([.note("a", ["x": "\(index)"])], by: carol) }
        try fixture.make(&replica)
        #expect(try replica.shape(carol.log()) == ["2", "o"])
        return replica
    }

    /// Dave's log, with a gap whose successor is in Erin's, under a checkpoint of Bob's.
    func second() throws -> MemoryReplica {
        var replica = try emptyReplica()
        try replica.commit([.note("b", ["x": "1"])], by: dave)
        try replica.commit([.note("b", ["x": "2"])], by: erin)
        try fixture.make(&replica, by: fixture.bob)
        #expect(try replica.shape(dave.log()) == ["1"])
        return replica
    }

    @Test func `is not complete by a state that omits the missing log`() throws {
        let (one, two) = (try first(), try second())
        var fresh = try emptyReplica()
        try fresh.receive(try #require(try two.run(fixture.bob.log(TestZone.id, .control))))
        try fresh.receive(try #require(try two.run(dave.log())))
        try fresh.pull(from: one)
        // Alice's checkpoint is covered and its live set is here, but the successor of Dave's operation is not.
        #expect(try Checkpoints(of: TestZone.id).adoptAndPrune(in: &fresh) == .none)
        #expect(try fresh.zone(TestZone.id)?.isUnverified == true)
        #expect(try fixture.due(fresh) == nil)
    }

    @Test func `is complete once each gap lies under one that is proven`() throws {
        let (one, two) = (try first(), try second())
        // One has adopted the one checkpoint, another one the other, a third one none.
        var replicas = [one, two, try emptyReplica()]
        for index in replicas.indices {
            for other in [one, two] { try replicas[index].pull(from: other) }
            #expect(try replicas[index].zone(TestZone.id)?.isUnverified == true)
            #expect(try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replicas[index]) == .completed)
            #expect(try replicas[index].zone(TestZone.id)?.isUnverified == false)
            #expect(try replicas[index].visible() == replicas[0].visible())
        }
        // The next maker's checkpoint covers both, and every replica adopts it.
        for maker in replicas.indices {
            var source = replicas[maker]
            try source.commit([.note("c", ["x": "1"])], by: carol)
            let third = try fixture.make(&source, by: dave)
            for var other in replicas {
                try other.pull(from: source)
                #expect(try Checkpoints(of: TestZone.id).adoptAndPrune(in: &other) == .adopted(third, droppedCount: 0))
            }
        }
    }

    /// A replica from which a peer hid Erin's operation, with both checkpoints.
    func deceived() throws -> MemoryReplica {
        let (one, two) = (try first(), try second())
        var fresh = try emptyReplica()
        try fresh.pull(from: one)
        try fresh.receive(try #require(try two.run(fixture.bob.log(TestZone.id, .control))))
        try fresh.receive(try #require(try two.run(dave.log())))
        var run = try #require(try two.run(erin.log()))
        guard case .operation(let hidden) = run.items[0] else {
            Issue.record("Erin's operation should be live")
            return fresh
        }
        run.items[0] = .gap(SubtreeGap(level: 0, index: 0, hash: hidden.header.leafHash))
        run.checkpoint = try #require(try two.zone(TestZone.id)?.adopted).hash
        try fresh.receive(run)
        return fresh
    }

    @Test func `is not complete when one of them shows that something was hidden`() throws {
        var fresh = try deceived()
        guard case .mismatch = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &fresh) else {
            Issue.record("a hidden operation went unnoticed")
            return
        }
        while try Checkpoints(of: TestZone.id).adoptAndPrune(in: &fresh) != .none {}
        #expect(try fresh.zone(TestZone.id)?.isUnverified == true)
        #expect(try fixture.due(fresh) == nil)
    }

    @Test func `serves what it holds under one that it asks no more`() throws {
        var source = try deceived()
        while try Checkpoints(of: TestZone.id).adoptAndPrune(in: &source) != .none {}
        #expect(try source.zone(TestZone.id)?.candidates.allSatisfy { $0.size(erin.log().actorLane) == 0 } == true)
        var fresh = try emptyReplica()
        try fresh.pull(from: source)
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: fresh) == ZonePositions(of: TestZone.id).digest(in: source)
        )
        // It is asked there as well, and shows no more than here.
        while try Checkpoints(of: TestZone.id).adoptAndPrune(in: &fresh) != .none {}
        #expect(try fresh.zone(TestZone.id)?.isUnverified == true)
        #expect(try fresh.visible() == source.visible())
    }
}
