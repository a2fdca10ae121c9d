import Records
import Wire

extension ReplicaBehaviour {
    private var alice: TestAuthor { TestAuthor(1) }
    private var bob: TestAuthor { TestAuthor(2) }

    /// A store in memory that knows the test zone.
    private func peer() throws -> MemoryReplica {
        var peer = MemoryReplica()
        try peer.createTestZone()
        return peer
    }

    func checkCommit(_ store: inout some ReplicaTransaction) throws {
        try store.createTestZone()
        let commit = try store.commit([.note("a", ["x": "1"]), .note("b", ["x": "2"])], isAtomic: true, by: alice)
        try require(commit.size == 2 && commit.number == 1 && commit.changed.count == 2)
        try require(store.value("x", of: "a") == .string("1"))
        try store.commit([.deletion("a"), .note("b", ["y": "3"])], by: alice)
        try require(store.value("x", of: "a") == nil && store.record("a")?.isDeleted == true)
        try require(store.value("x", of: "b") == .string("2") && store.value("y", of: "b") == .string("3"))
        try require(store.log(alice.log())?.size == 4)
    }

    func checkConflict(_ store: inout some ReplicaTransaction) throws {
        try store.createTestZone()
        var other = try peer()
        try store.commit([.note("a", ["x": "alice"])], by: alice)
        try other.commit([.note("a", ["x": "bob"])], by: bob, at: 9_000)
        try store.pull(from: other)
        var row = try required(store.record("a"))
        try require(row.live.count == 2 && row.content().conflictFields == ["x"])
        let tag = row.tag
        try require(store.siblings(zone: TestZone.id, tag: tag).count == 2)
        var write = RecordWrite(name: "a")
        write.ifVersion = row.version
        try store.commit([write], by: alice)
        row = try required(store.record("a"))
        try require(row.content().conflictFields.isEmpty)
        try require(store.value("x", of: "a") == .string("bob"))
    }

    func checkRun(_ store: inout some ReplicaTransaction) throws {
        try store.createTestZone()
        var source = try peer()
        try source.commit([.note("a", ["x": "1"]), .note("b", ["x": "2"])], by: bob)
        let run = try required(source.run(bob.log()))
        guard case .stored(let applied) = try store.receive(run) else {
            throw Failure(description: "the run was not stored")
        }
        try require(applied.changed.map(\.name) == ["a", "b"])
        guard case .alreadyHeld(size: 2) = try store.receive(run) else {
            throw Failure(description: "the run was not recognised")
        }
        try require(store.run(bob.log()) == run)
        try require(
            ZonePositions(of: TestZone.id).digest(in: store) == ZonePositions(of: TestZone.id).digest(in: source)
        )
    }

    func checkWaiting(_ store: inout some ReplicaTransaction) throws {
        try store.createTestZone()
        var source = try peer()
        try source.commit([.note("a", ["x": "1"])], by: alice)
        try source.commit([.note("a", ["x": "2"]), .note("b", [:])], by: bob)
        try store.receive(required(source.run(bob.log())))
        try require(store.record("a") == nil && store.log(bob.log())?.appliedSize == 0)
        try store.receive(required(source.run(alice.log())))
        try require(store.value("x", of: "a") == .string("2") && store.log(bob.log())?.appliedSize == 2)
        let tag = try RecordTag(of: "a", zone: TestZone.id, in: store)
        try require(
            store.operations(zone: TestZone.id, tags: [tag], states: [.superseded]).map(\.actor) == [alice.author.actor]
        )
    }

    func checkCut(_ store: inout some ReplicaTransaction) throws {
        try store.createTestZone()
        try store.commit([.note("a", ["x": "1"])], by: alice)
        try store.commit([.note("a", ["x": "2"])], by: bob)
        let outcome = try store.applyCuts(
            [:],
            of: bob.author.device,
            zone: TestZone.id,
            wallMilliseconds: 1
        )
        try require(outcome.changed.map(\.name) == ["a"] && outcome.quarantinedCount == 1)
        try require(store.value("x", of: "a") == .string("1"))
        _ = try store.applyCuts(nil, of: bob.author.device, zone: TestZone.id, wallMilliseconds: 1)
        try require(store.value("x", of: "a") == .string("2"))
    }

    func checkCheckpoint(_ store: inout some ReplicaTransaction) throws {
        try store.createTestZone()
        for index in 0..<9 {
            try store.commit([.note("a", ["x": "\(index)"])], by: alice)
        }
        let due = try Checkpoints(of: TestZone.id).due(
            acknowledged: [:],
            activeDevices: [alice.author.device],
            ownDevice: alice.author.device,
            nowMilliseconds: ReplicaLimits.checkpointIntervalMilliseconds,
            lastMilliseconds: 0,
            in: store
        )
        try store.commit(.checkpoint(required(due)), by: alice)
        guard case .adopted(_, droppedCount: 8) = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &store) else {
            throw Failure(description: "the checkpoint was not adopted")
        }
        try require(store.items(alice.log(), from: 0, to: .max).map(\.first) == [0, 8])
        var fresh = try peer()
        try fresh.pull(from: store)
        try require(fresh.value("x", of: "a") == .string("8"))
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &fresh) else {
            throw Failure(description: "the fresh replica is not complete")
        }
    }
}
