import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

@Suite struct `A checkpoint` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)

    static let day: UInt64 = 24 * 60 * 60 * 1_000

    /// What two devices have acknowledged: everything they hold.
    func acknowledgements(_ replica: MemoryReplica) throws -> [LogKey: UInt64] {
        Dictionary(uniqueKeysWithValues: try replica.logs(zone: TestZone.id).map { ($0.key, $0.size) })
    }

    func due(
        _ replica: MemoryReplica,
        acknowledged: [DeviceID: [LogKey: UInt64]] = [:],
        active: [TestAuthor] = [],
        now: UInt64 = CheckpointTestsClock.now
    ) throws -> Checkpoint? {
        try Replica.dueCheckpoint(
            zone: TestZone.id,
            acknowledged: acknowledged,
            activeDevices: Set(active.map(\.author.device) + [alice.author.device]),
            ownDevice: alice.author.device,
            nowMilliseconds: now,
            lastMilliseconds: 0,
            in: replica
        )
    }

    /// Makes a due checkpoint and adopts it.
    @discardableResult
    func make(_ replica: inout MemoryReplica) throws -> Checkpoint {
        let checkpoint = try #require(try due(replica))
        try Replica.commitControl(
            .checkpoint(checkpoint),
            zone: TestZone.id,
            author: alice.author,
            wallMilliseconds: 1,
            sign: alice.sign,
            in: &replica
        )
        let adoption = try Replica.adoptCheckpoint(zone: TestZone.id, in: &replica)
        guard case .adopted(checkpoint, _) = adoption else {
            Issue.record("not adopted: \(adoption)")
            return checkpoint
        }
        return checkpoint
    }

    func history() throws -> MemoryReplica {
        var replica = try emptyReplica()
        for index in 0..<4 {
            try replica.commit([.note("a", ["x": "\(index)"])], by: alice)
        }
        try replica.commit([.note("b", ["x": "1"]), .note("c", ["x": "1"])], by: bob)
        try replica.commit([.deletion("c")], by: bob)
        return replica
    }

    @Test func `is due after a day or ten thousand operations, when something is new`() throws {
        var replica = try history()
        #expect(try due(replica, now: Self.day - 1) == nil)
        #expect(try due(replica, now: Self.day) != nil)
        #expect(try due(try emptyReplica()) == nil)
        try make(&replica)
        #expect(try due(replica) == nil)
        for batch in 0..<10 {
            try replica.commit((0..<1_000).map { .note("n\(batch)-\($0)", [:]) }, by: alice)
        }
        #expect(try due(replica, now: 1)?.size(alice.log().actorLane) == 10_004)
    }

    @Test func `covers only what every active device has acknowledged`() throws {
        let replica = try history()
        let held = try acknowledgements(replica)
        let all = [bob.author.device: held]
        #expect(try due(replica, acknowledged: all, active: [bob])?.size(alice.log().actorLane) == 4)
        // Bob holds his own log without saying so, and nothing of Alice's.
        let own = try #require(try due(replica, active: [bob]))
        #expect(own.size(alice.log().actorLane) == 0)
        #expect(own.size(bob.log().actorLane) == 3)
        // Nobody waits for a third device that is not active.
        #expect(try due(replica, active: [bob, TestAuthor(3)]) == nil)
    }

    @Test func `covers nothing that was written on top of what it does not cover`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        try replica.commit([.note("a", ["x": "2"])], by: bob)
        // Bob has acknowledged nothing of Alice's log, so it is not covered; then neither is what he wrote on it.
        #expect(try due(replica, active: [bob]) == nil)
    }

    @Test func `replaces superseded operations by hashes, and keeps what lives`() throws {
        var replica = try history()
        let before = replica.allRecords(zone: TestZone.id)
        let checkpoint = try make(&replica)
        #expect(checkpoint.liveCount == 3)
        #expect(try replica.shape(alice.log()) == ["2", "1", "o"])
        #expect(try replica.shape(bob.log()) == ["o", "1", "o"])
        #expect(replica.allRecords(zone: TestZone.id) == before)
        #expect(try replica.zone(TestZone.id)?.adopted == checkpoint)
        #expect(try replica.zone(TestZone.id)?.candidates.isEmpty == true)
    }

    @Test func `is adopted by others once they hold what it covers, with the same result`() throws {
        var one = try history()
        var two = try emptyReplica()
        try two.pull(from: one)
        var late = try emptyReplica()
        let checkpoint = try make(&one)
        try two.pull(from: one)
        let adoption = try Replica.adoptCheckpoint(zone: TestZone.id, in: &two)
        #expect(adoption == .adopted(checkpoint, droppedCount: 4))
        #expect(try two.shape(alice.log()) == one.shape(alice.log()))
        #expect(try Replica.digest(zone: TestZone.id, in: one) == Replica.digest(zone: TestZone.id, in: two))
        // Whoever has only the control log has to wait.
        try late.receive(try #require(try one.run(alice.log(TestZone.id, .control))))
        #expect(try Replica.adoptCheckpoint(zone: TestZone.id, in: &late) == .none)
        #expect(try late.zone(TestZone.id)?.candidates == [checkpoint])
    }

    @Test func `lets a fresh replica take gaps, which is unverified until the live set is complete`() throws {
        var source = try history()
        try make(&source)
        try source.commit([.note("a", ["x": "later"]), .note("d", [:])], by: alice)
        var fresh = try emptyReplica()
        let run = try #require(try source.run(alice.log()))
        #expect(replicaError { try fresh.receive(run) } == .invalidRun(alice.log(), .gapNotCovered(leaf: 0)))
        try fresh.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        try fresh.receive(run)
        #expect(try fresh.zone(TestZone.id)?.isUnverified == true)
        #expect(try Replica.adoptCheckpoint(zone: TestZone.id, in: &fresh) == .none)
        try fresh.pull(from: source)
        let adoption = try Replica.adoptCheckpoint(zone: TestZone.id, in: &fresh)
        guard case .adopted = adoption else {
            Issue.record("not adopted: \(adoption)")
            return
        }
        #expect(try fresh.zone(TestZone.id)?.isUnverified == false)
        #expect(try fresh.visible() == source.visible())
        #expect(try Replica.digest(zone: TestZone.id, in: fresh) == Replica.digest(zone: TestZone.id, in: source))
        // And it can serve the next one.
        var next = try emptyReplica()
        try next.pull(from: fresh)
        #expect(try next.visible() == source.visible())
    }

    @Test func `does not let a sender hide a live operation in a gap`() throws {
        var source = try history()
        try make(&source)
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
        guard case .mismatch = try Replica.adoptCheckpoint(zone: TestZone.id, in: &fresh) else {
            Issue.record("an incomplete live set was taken for complete")
            return
        }
        #expect(try fresh.zone(TestZone.id)?.isUnverified == true)
        #expect(try fresh.zone(TestZone.id)?.adopted == nil)
        #expect(try due(fresh) == nil)
    }

    @Test func `with another live set or root is not adopted and nothing is dropped`() throws {
        let source = try history()
        let good = try #require(try due(source))
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
            try Replica.commitControl(
                .checkpoint(checkpoint),
                zone: TestZone.id,
                author: alice.author,
                wallMilliseconds: 1,
                sign: alice.sign,
                in: &replica
            )
            #expect(try Replica.adoptCheckpoint(zone: TestZone.id, in: &replica) == .mismatch(checkpoint))
            #expect(try replica.shape(alice.log()) == source.shape(alice.log()))
            #expect(try Replica.adoptCheckpoint(zone: TestZone.id, in: &replica) == .none)
        }
    }

    @Test func `keeps a tombstone until a second one covers it`() throws {
        var replica = try history()
        try make(&replica)
        #expect(try replica.shape(bob.log()) == ["o", "1", "o"])
        #expect(try replica.record("c")?.live.count == 1)
        try replica.commit([.note("d", [:])], by: alice)
        let second = try make(&replica)
        #expect(try replica.shape(bob.log()) == ["o", "1", "1"])
        #expect(try replica.record("c")?.live.isEmpty == true)
        #expect(try replica.record("c")?.isDeleted == true)
        #expect(second.liveCount == 3)
        var fresh = try emptyReplica()
        try fresh.pull(from: replica)
        #expect(try Replica.adoptCheckpoint(zone: TestZone.id, in: &fresh) == .adopted(second, droppedCount: 0))
        #expect(try fresh.visible() == replica.visible())
        // The name is free again, and the record is a new one.
        try replica.commit([.note("c", ["x": "again"])], by: alice)
        try fresh.pull(from: replica)
        #expect(try fresh.value("x", of: "c") == .string("again"))
        #expect(try replica.record("c")?.creation == replica.record("c")?.live.first)
    }

    @Test func `keeps a live operation that was superseded after it`() throws {
        var replica = try history()
        var peer = try emptyReplica()
        try peer.pull(from: replica)
        let checkpoint = try #require(try due(replica))
        try replica.commit([.note("b", ["x": "newer"])], by: alice)
        try Replica.commitControl(
            .checkpoint(checkpoint),
            zone: TestZone.id,
            author: alice.author,
            wallMilliseconds: 1,
            sign: alice.sign,
            in: &replica
        )
        _ = try Replica.adoptCheckpoint(zone: TestZone.id, in: &replica)
        #expect(try replica.states(bob.log()) == [.superseded, .live])
        // Were the newer one cut off, the older one would be there again.
        let cuts = [
            alice.log().actorLane: LogCut(size: 4, root: try #require(checkpoint.position(alice.log().actorLane)).root)
        ]
        _ = try Replica.applyCuts(cuts, of: alice.author.device, zone: TestZone.id, wallMilliseconds: 1, in: &replica)
        #expect(try replica.value("x", of: "b") == .string("1"))
    }

    @Test func `is a floor for cuts`() throws {
        var replica = try history()
        try make(&replica)
        let before = try replica.visible()
        _ = try Replica.applyCuts([:], of: bob.author.device, zone: TestZone.id, wallMilliseconds: 1, in: &replica)
        #expect(try replica.visible() == before)
        #expect(try Replica.positions(zone: TestZone.id, in: replica).first { $0.row.key == bob.log() }?.size == 3)
    }

    @Test func `that comes after a cut raises it`() throws {
        var one = try history()
        var two = one
        _ = try Replica.applyCuts([:], of: bob.author.device, zone: TestZone.id, wallMilliseconds: 1, in: &two)
        #expect(try two.value("x", of: "b") == nil)
        try make(&one)
        try two.pull(from: one)
        #expect(try two.value("x", of: "b") == .string("1"))
    }

    @Test func `leaves logs that can be served from any size outside its gaps`() throws {
        var replica = try emptyReplica()
        for index in 0..<64 {
            try replica.commit([.note(index % 8 == 7 ? "n\(index)" : "a", ["x": "\(index)"])], by: alice)
        }
        var half = try emptyReplica()
        try half.pull(from: replica)
        try replica.commit([.note("a", ["x": "end"])], by: alice)
        try make(&replica)
        #expect(try replica.run(alice.log(), from: 64) != nil)
        #expect(try replica.run(alice.log(), from: 1)?.from == 0)
        try half.pull(from: replica)
        #expect(try half.visible() == replica.visible())
    }

    /// A replica with the first so many of Alice's operations and nothing else, then everyone else's checkpoint.
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
    func `lets a replica go on that stopped inside a gap`(count: Int) throws {
        var source = try history()
        try make(&source)
        #expect(try source.shape(alice.log()) == ["2", "1", "o"])
        var replica = try returning(count, of: source)
        let size = UInt64(count)
        try replica.receive(try #require(try source.run(alice.log(), from: size)))
        try replica.pull(from: source)
        #expect(try replica.visible() == source.visible())
        #expect(try replica.log(alice.log())?.frontier == source.log(alice.log())?.frontier)
        #expect(try Replica.digest(zone: TestZone.id, in: replica) == Replica.digest(zone: TestZone.id, in: source))
        guard case .adopted = try Replica.adoptCheckpoint(zone: TestZone.id, in: &replica) else {
            Issue.record("the live set is not complete")
            return
        }
    }

    @Test func `does not let a gap take away what is held and not superseded`() throws {
        var source = try emptyReplica()
        for name in ["a", "b"] {
            try source.commit([.note(name, ["x": "1"])], by: alice)
        }
        // The second operation of "a" makes the first one, and nothing else, forgettable.
        try source.commit([.note("a", ["x": "2"])], by: alice)
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        try make(&source)
        try replica.receive(try #require(try source.run(alice.log(TestZone.id, .control))))
        var run = try #require(try source.run(alice.log(), from: 0))
        #expect(try source.shape(alice.log()) == ["1", "o", "o"])
        // A sender that also hides the live "b" behind a gap over both.
        guard case .gap(let first) = run.items[0], case .operation(let second) = run.items[1] else { return }
        let hash = LogTreeHashing.node(first.hash, second.header.leafHash)
        run.items.replaceSubrange(0...1, with: [.gap(SubtreeGap(level: 1, index: 0, hash: hash))])
        try replica.receive(run)
        // "a" was superseded in the run itself. "b" was never held here, so the live set shows that it is missing.
        guard case .mismatch = try Replica.adoptCheckpoint(zone: TestZone.id, in: &replica) else {
            Issue.record("a hidden operation went unnoticed")
            return
        }
        // Were "b" held as the last leaf, the gap would be refused.
        var holder = try emptyReplica()
        try holder.commit([.note("a", ["x": "1"]), .note("b", ["x": "1"]), .note("c", [:])], by: bob)
        var other = holder
        try holder.commit([.note("a", ["x": "2"]), .note("d", [:])], by: bob)
        try make(&holder)
        try other.receive(try #require(try holder.run(alice.log(TestZone.id, .control))))
        var hiding = try #require(try holder.run(bob.log(), from: 0))
        var tiles = MerkleTiles<LogTreeHashing>()
        for item in hiding.items.prefix(4) {
            switch item {
            case .operation(let operation): tiles.append(operation.header.leafHash)
            case .gap(let gap): tiles.append(gap.hash, level: gap.level)
            case .stub: break
            }
        }
        let root = try #require(tiles.root(from: 0, to: 4))
        hiding.items.replaceSubrange(0...3, with: [.gap(SubtreeGap(level: 2, index: 0, hash: root))])
        let before = try Trace(other)
        #expect(replicaError { try other.receive(hiding) } == .missingSuccessor(bob.log(), counter: 1))
        #expect(try Trace(other) == before)
    }

    /// Several replicas write, exchange, checkpoint and adopt at random; fresh ones join; nothing may be lost.
    @Test(arguments: 0..<40)
    func `never changes what any replica shows`(seed: UInt64) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 3)
        let authors = history.authors
        for round in 0..<5 {
            for _ in 0..<15 {
                try history.step()
            }
            let maker = history.number(0...2)
            // Everyone acknowledges what is stored there, as in a session.
            var acknowledged: [DeviceID: [LogKey: UInt64]] = [:]
            for index in 0..<3 {
                acknowledged[authors[index].author.device] = try acknowledgements(history.replicas[index])
            }
            let checkpoint = try Replica.dueCheckpoint(
                zone: TestZone.id,
                acknowledged: acknowledged,
                activeDevices: Set(authors.map(\.author.device)),
                ownDevice: authors[maker].author.device,
                nowMilliseconds: CheckpointTestsClock.now,
                lastMilliseconds: 0,
                in: history.replicas[maker]
            )
            if let checkpoint {
                try Replica.commitControl(
                    .checkpoint(checkpoint),
                    zone: TestZone.id,
                    author: authors[maker].author,
                    wallMilliseconds: history.wall[maker],
                    sign: authors[maker].sign,
                    in: &history.replicas[maker]
                )
            }
            for index in 0..<3 where history.flip(2) || round == 4 {
                let before = try history.replicas[index].visible()
                while case .adopted = try Replica.adoptCheckpoint(zone: TestZone.id, in: &history.replicas[index]) {}
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
                try Replica.digest(zone: TestZone.id, in: replica)
                    == Replica.digest(zone: TestZone.id, in: history.replicas[0]),
                "seed \(seed)"
            )
        }
    }
}

/// A wall clock far enough on that any checkpoint is due.
enum CheckpointTestsClock {
    static let now: UInt64 = 10_000_000_000
}
