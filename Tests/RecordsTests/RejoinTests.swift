import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

@Suite struct `After a checkpoint` {
    let fixture = CheckpointFixture()
    var alice: TestAuthor { fixture.alice }
    var bob: TestAuthor { fixture.bob }

    /// Returns a replica with the first so many of Alice's operations and nothing else, then with the checkpoint of
    /// the others.
    func returning(_ count: Int, of source: MemoryReplica) throws -> MemoryReplica {
        var replica = try emptyReplica()
        for index in 0..<count {
            try replica.commit([.note("a", ["x": "\(index)"])], by: alice)
        }
        #expect(try source.log(alice.log())?.device == alice.author.device)
        try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        return replica
    }

    @Test(arguments: 1...3)
    func `lets a replica continue that stopped inside a gap`(count: Int) throws {
        var source = try fixture.history()
        try fixture.make(&source)
        #expect(try source.shape(alice.log()) == ["2", "1", "o"])
        var replica = try returning(count, of: source)
        let size = UInt64(count)
        try replica.receive(try #require(try source.run(alice.log(), from: size)))
        try replica.pull(from: source)
        #expect(try replica.visible() == source.visible())
        #expect(try replica.log(alice.log())?.frontier == source.log(alice.log())?.frontier)
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: replica) == ZonePositions(of: TestZone.id).digest(in: source)
        )
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) else {
            Issue.record("the live set is not complete")
            return
        }
    }

    @Test func `lets a replica wait that stopped inside a gap and does not know the checkpoint before`() throws {
        var source = try fixture.history()
        let previous = try fixture.make(&source)
        try source.commit([.note("a", ["x": "later"])], by: alice)
        let checkpoint = try fixture.make(&source, by: bob)
        #expect(checkpoint.previous == previous.hash)
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "0"])], by: alice)
        var zone = try #require(try replica.zone(TestZone.id))
        zone.candidates = [checkpoint]
        try replica.save(zone)
        let run = try #require(try source.run(alice.log(), from: 1))
        #expect(replicaError { try replica.receive(run) } == .missingCheckpoint(alice.log(), previous.hash))
        try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try replica.receive(run)
        try replica.pull(from: source)
        #expect(try replica.visible() == source.visible())
    }

    @Test func `lets a replica continue for which two authors wrote on top of one another`() throws {
        var source = try emptyReplica()
        try source.commit([.note("a", ["x": "0"]), .note("c", ["y": "0"])], by: alice)
        try source.commit([.note("b", ["x": "0"])], by: bob)
        var replica = source
        for index in 1..<5 {
            // Each supersedes the other's write: neither log can be applied without the other one.
            try source.commit([.note("b", ["x": "\(index)"])], by: alice)
            try source.commit([.note("a", ["x": "\(index)"])], by: bob)
        }
        try source.commit([.note("c", ["x": "1"])], by: bob)
        try fixture.make(&source)
        try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        let shown = try replica.visible()
        let first = try #require(try source.run(alice.log(), from: try replica.log(alice.log())?.size ?? 0))
        let second = try #require(try source.run(bob.log(), from: try replica.log(bob.log())?.size ?? 0))
        try replica.receive(first)
        #expect(try replica.visible() == shown, "nothing falls back, and nothing is there before its cause")
        // A write in between builds on the shown record.
        var writer = replica
        try writer.commit([.note("c", ["z": "1"])], by: TestAuthor(3))
        try writer.receive(second)
        #expect(try writer.visible().description.contains("y"), "what the successor carries on is still there")
        try replica.receive(second)
        try replica.pull(from: source)
        #expect(try replica.visible() == source.visible())
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: replica) == ZonePositions(of: TestZone.id).digest(in: source)
        )
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) else {
            Issue.record("the live set is not complete")
            return
        }
    }

    @Test func `lets a replica continue whose record was deleted, with the deletion pruned by all`() throws {
        var source = try emptyReplica()
        try source.commit([.note("a", ["x": "1"])], by: alice)
        var replica = source
        for index in 0..<2 { try source.commit([.note("b", ["x": "\(index)"])], by: alice) }
        try source.commit([.deletion("a")], by: bob)
        try source.commit([.note("c", ["x": "1"])], by: bob)
        try fixture.make(&source)
        try source.commit([.note("d", ["x": "1"])], by: bob)
        // The second checkpoint prunes the operations that the first one covered: the deletion, and the ones that it
        // had superseded.
        try fixture.make(&source)
        try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try replica.receive(try #require(try source.run(bob.log())))
        let size = try replica.log(alice.log())?.size ?? 0
        try replica.receive(try #require(try source.run(alice.log(), from: size)))
        try replica.pull(from: source)
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: replica) == ZonePositions(of: TestZone.id).digest(in: source)
        )
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) else {
            Issue.record("the live set is not complete")
            return
        }
        // No operation stands behind the record any more, so the node withdraws it now.
        let rows = replica.allRecords(zone: TestZone.id).filter { $0.live.isEmpty && !$0.isDeleted }
        try replica.withdraw(rows)
        #expect(try replica.visible() == source.visible())
    }

    /// Two replicas: one that knows two states of "a", and one in which the second of them is in a gap that the first one
    /// reaches into, while the first state is in no gap that it must take.
    private func insideAGap() throws -> (source: MemoryReplica, replica: MemoryReplica) {
        var source = try emptyReplica()
        for (name, value) in [("a", "1"), ("z", "1"), ("a", "2")] {
            try source.commit([.note(name, ["x": value])], by: alice)
        }
        let replica = source
        for index in 0..<2 { try source.commit([.note("b", ["x": "\(index)"])], by: alice) }
        return (source, replica)
    }

    @Test func `shows no older state while the successor of a dropped operation is under way`() throws {
        var (source, replica) = try insideAGap()
        try source.commit([.note("a", ["x": "3"])], by: bob)
        try source.commit([.note("c", ["x": "1"])], by: bob)
        try fixture.make(&source)
        try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        let shown = try replica.visible()["a"]
        try replica.receive(try #require(try source.run(alice.log(), from: 3)))
        #expect(try replica.visible()["a"] == shown)
        try replica.receive(try #require(try source.run(bob.log())))
        try replica.pull(from: source)
        #expect(try replica.visible() == source.visible())
    }

    @Test func `restores no older state whose successors are all pruned, down to the deletion`() throws {
        var (source, replica) = try insideAGap()
        try source.commit([.deletion("a")], by: bob)
        try source.commit([.note("c", ["x": "1"])], by: bob)
        try fixture.make(&source)
        try source.commit([.note("d", ["x": "1"])], by: bob)
        try fixture.make(&source)
        try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try replica.receive(try #require(try source.run(bob.log())))
        try replica.receive(try #require(try source.run(alice.log(), from: 3)))
        try replica.pull(from: source)
        try requireAdoption(by: &replica)
        let rows = replica.allRecords(zone: TestZone.id).filter { $0.live.isEmpty && !$0.isDeleted }
        try replica.withdraw(rows)
        #expect(try replica.visible() == source.visible())
    }

    @Test func `adopts a checkpoint although only a later operation explains its dropped operations`() throws {
        var (source, replica) = try insideAGap()
        try source.commit([.deletion("a")], by: bob)
        try source.commit([.note("c", ["x": "1"])], by: bob)
        try fixture.make(&source)
        try source.commit([.note("d", ["x": "1"])], by: bob)
        try fixture.make(&source)
        // The record is made again: not under the checkpoint, and written on top of everything.
        try source.commit([.note("a", ["x": "4"])], by: bob)
        try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try replica.receive(try #require(try source.run(bob.log())))
        try replica.receive(try #require(try source.run(alice.log(), from: 3)))
        try replica.pull(from: source)
        try requireAdoption(by: &replica)
        #expect(try replica.visible() == source.visible())
    }

    private func requireAdoption(by replica: inout MemoryReplica) throws {
        guard case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) else {
            Issue.record("the live set is another one")
            return
        }
    }

    @Test func `does not let a gap remove held operations that are not superseded`() throws {
        var source = try emptyReplica()
        for name in ["a", "b"] {
            try source.commit([.note(name, ["x": "1"])], by: alice)
        }
        // The second operation of "a" makes the first one, and nothing else, prunable.
        try source.commit([.note("a", ["x": "2"])], by: alice)
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        try fixture.make(&source)
        try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        var run = try #require(try source.run(alice.log(), from: 0))
        #expect(try source.shape(alice.log()) == ["1", "o", "o"])
        // A sender that also hides the live "b" behind a gap over both.
        guard case .gap(let first) = run.items[0], case .operation(let second) = run.items[1] else { return }
        let hash = LogTreeHashing.node(first.hash, second.header.leafHash)
        run.items.replaceSubrange(0...1, with: [.gap(SubtreeGap(level: 1, index: 0, hash: hash))])
        try replica.receive(run)
        // "a" was superseded in the run itself. "b" was never held here, so the live set shows that it is missing.
        guard case .mismatch = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) else {
            Issue.record("a hidden operation went unnoticed")
            return
        }
        // Were "b" held as the last leaf, the gap would be refused.
        var holder = try emptyReplica()
        try holder.commit([.note("a", ["x": "1"]), .note("b", ["x": "1"]), .note("c", [:])], by: bob)
        var other = holder
        try holder.commit([.note("a", ["x": "2"]), .note("d", [:])], by: bob)
        try fixture.make(&holder)
        try other.receive(try #require(try holder.run(alice.log(TestZone.id, .control))))
        var hiding = try #require(try holder.run(bob.log(), from: 0))
        var tiles = MerkleTiles<LogTreeHashing>()
        for item in hiding.items.prefix(4) {
            switch item {
            case .operation(let operation): tiles.append(operation.header.leafHash)
            case .gap(let gap): tiles.append(gap.hash, level: gap.level)
            }
        }
        let root = try #require(tiles.root(from: 0, to: 4))
        hiding.items.replaceSubrange(0...3, with: [.gap(SubtreeGap(level: 2, index: 0, hash: root))])
        #expect(replicaError { try other.receive(hiding) } == .missingSuccessor(bob.log(), counter: 1))
    }

    @Test func `does not let a gap remove an operation that only a quarantined one has superseded`() throws {
        let carol = TestAuthor(3)
        var source = try emptyReplica()
        try source.commit([.note("b", ["x": "1"])], by: alice)
        try source.commit([.note("a", ["x": "0"])], by: alice)
        var replica = source
        try replica.commit([.note("b", ["x": "carol"])], by: carol)
        for index in 1..<4 { try source.commit([.note("a", ["x": "\(index)"])], by: alice) }
        try fixture.make(&source)
        #expect(try source.shape(alice.log()) == ["o", "1", "2", "o"])
        // A sender that hides the live "b" behind a gap over it and the pruned operations.
        var run = try #require(try source.run(alice.log()))
        var tiles = MerkleTiles<LogTreeHashing>()
        for item in run.items.prefix(3) {
            switch item {
            case .operation(let operation): tiles.append(operation.header.leafHash)
            case .gap(let gap): tiles.append(gap.hash, level: gap.level)
            }
        }
        let root = try #require(tiles.root(from: 0, to: 4))
        run.items.replaceSubrange(0..<3, with: [.gap(SubtreeGap(level: 2, index: 0, hash: root))])
        try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        var cut = replica
        try cut.cut(carol, at: 0)
        #expect(try cut.value("x", of: "b") == .string("1"))
        #expect(replicaError { try cut.receive(run) } == .missingSuccessor(alice.log(), counter: 1))
        // While Carol's write is effective, it explains that the other one is gone.
        try replica.receive(run)
        #expect(try replica.value("x", of: "b") == .string("carol"))
    }

    @Test func `lets the last operation that others hold explain a dropped one, and none behind it`() throws {
        let carol = TestAuthor(3)
        var source = try emptyReplica()
        try source.commit([.note("p", ["x": "1"])], by: bob)
        try source.commit([.note("a", ["x": "1"])], by: alice)
        try source.commit([.deletion("a")], by: alice)
        let held = source
        for index in 0..<3 { try source.commit([.note("b", ["x": "\(index)"])], by: alice) }
        // Both checkpoints cover the deletions, so nothing is left of them, and the replica shows "p" for now: its live
        // set explains nothing.
        try source.commit([.deletion("p")], by: carol)
        for index in 0..<2 {
            try source.commit([.note("q", ["x": "\(index)"])], by: carol)
            try fixture.make(&source)
        }
        #expect(try source.shape(alice.log()) == ["4", "o"])
        let run = try #require(try source.run(alice.log(), from: 2))
        func receive(sharedSize: UInt64, in replica: inout MemoryReplica) throws -> ReceivedRun {
            try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
            try replica.receive(try #require(try source.run(carol.log())))
            let actor = alice.author.actor
            return try RunReceiver(run, actor: actor, sharedSize: sharedSize, wallMilliseconds: 9_000)
                .receive(in: &replica)
        }
        var replica = held
        guard case .stored(let applied) = try receive(sharedSize: 2, in: &replica) else {
            Issue.record("the run was refused")
            return
        }
        #expect(applied.isTakenBack)
        #expect(try replica.log(alice.log())?.frontier == source.log(alice.log())?.frontier)
        #expect(try replica.value("x", of: "p") == .string("1"))
        var other = held
        #expect(
            replicaError { _ = try receive(sharedSize: 1, in: &other) } == .missingSuccessor(alice.log(), counter: 1)
        )
    }

    /// Several replicas write, exchange, checkpoint and adopt at random; fresh ones join; nothing may be lost.
    @Test(arguments: 0..<40)
    func `never changes the records that a replica shows`(seed: UInt64) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 3)
        let authors = history.authors
        for round in 0..<5 {
            for _ in 0..<15 {
                try history.step()
            }
            let maker = history.number(0...2)
            // Every replica acknowledges the operations stored there, as in a session.
            var acknowledged: [DeviceID: [LogKey: UInt64]] = [:]
            for index in 0..<3 {
                acknowledged[authors[index].author.device] = try fixture.acknowledgements(history.replicas[index])
            }
            let checkpoint = try Checkpoints(of: TestZone.id).due(
                acknowledged: acknowledged,
                activeDevices: Set(authors.map(\.author.device)),
                ownDevice: authors[maker].author.device,
                nowMilliseconds: CheckpointFixture.now,
                lastMilliseconds: 0,
                in: history.replicas[maker]
            )
            if let checkpoint {
                try history.replicas[maker].commit(.checkpoint(checkpoint), by: authors[maker], at: history.wall[maker])
            }
            for index in 0..<3 where history.flip(2) || round == 4 {
                let before = try history.replicas[index].visible()
                while case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &history.replicas[index]) {}
                #expect(try history.replicas[index].visible() == before, "seed \(seed)")
            }
        }
        try history.settle()
        var fresh = try emptyReplica()
        for _ in 0..<3 {
            for replica in history.replicas {
                try fresh.pull(from: replica)
            }
        }
        let shown = try history.replicas[0].visible()
        for replica in history.replicas + [fresh] {
            #expect(try replica.visible() == shown, "seed \(seed)")
            #expect(
                try ZonePositions(of: TestZone.id).digest(in: replica)
                    == ZonePositions(of: TestZone.id).digest(in: history.replicas[0]),
                "seed \(seed)"
            )
        }
    }
}
