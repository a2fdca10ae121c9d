import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

@Suite struct `A cut` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)

    func cut(
        _ replica: inout MemoryReplica,
        _ author: TestAuthor,
        at size: UInt64?,
        root: Hash? = nil
    ) throws -> RulingOutcome {
        let held = try replica.log(author.log())
        let known = try held.flatMap { row in try size.flatMap { try StoredLog(row).root(at: $0, in: replica) } }
        let cuts = size.map { [author.log().actorLane: LogCut(size: $0, root: root ?? known ?? .zero)] }
        return try replica.applyCuts(
            cuts,
            of: author.author.device,
            zone: TestZone.id,
            wallMilliseconds: 1
        )
    }

    /// Alice writes "a", Bob three times on top, Alice once more.
    func written() throws -> MemoryReplica {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "alice"]), .note("k", ["x": "kept"])], by: alice)
        for index in 1...3 {
            try replica.commit([.note("a", ["x": "bob \(index)"]), .note("b\(index)", ["x": "bob"])], by: bob)
        }
        return replica
    }

    @Test func `quarantines operations above it and revives those that only these had superseded`() throws {
        var replica = try written()
        let outcome = try cut(&replica, bob, at: 2)
        #expect(outcome.quarantinedCount == 4)
        #expect(outcome.changed.map(\.name).sorted() == ["a", "b2", "b3"])
        #expect(outcome.mismatched.isEmpty)
        #expect(try replica.value("x", of: "a") == .string("bob 1"))
        #expect(try replica.value("x", of: "b1") == .string("bob"))
        #expect(try replica.record("b2")?.isDeleted == true)
        #expect(
            try replica.states(bob.log()) == [.live, .live, .quarantined, .quarantined, .quarantined, .quarantined]
        )
    }

    @Test func `at zero removes everything of a log`() throws {
        var replica = try written()
        _ = try cut(&replica, bob, at: 0)
        #expect(try replica.value("x", of: "a") == .string("alice"))
        #expect(try replica.states(alice.log()) == [.live, .live])
        #expect(try ZonePositions(of: TestZone.id).all(in: replica).map(\.size).sorted() == [0, 2])
    }

    @Test func `applied again changes nothing, lifted restores everything`() throws {
        var replica = try written()
        let before = replica.allRecords(zone: TestZone.id)
        _ = try cut(&replica, bob, at: 2)
        let once = try Trace(replica)
        #expect(try cut(&replica, bob, at: 2).changed.isEmpty)
        #expect(try Trace(replica) == once)
        _ = try cut(&replica, bob, at: nil)
        #expect(replica.allRecords(zone: TestZone.id) == before)
        #expect(try replica.log(bob.log())?.cut == nil)
    }

    @Test func `makes equal digests of replicas that hold more and less`() throws {
        let source = try written()
        var full = source
        _ = try cut(&full, bob, at: 4)
        // One that holds only the effective part, one that learns of the cut before it has anything.
        var early = try emptyReplica()
        try early.pull(from: try prefix(of: source, heads: 2))
        #expect(try early.log(bob.log())?.size == 4)
        _ = try cut(&early, bob, at: 4)
        #expect(try ZonePositions(of: TestZone.id).digest(in: full) == ZonePositions(of: TestZone.id).digest(in: early))
        #expect(full.allRecords(zone: TestZone.id).filter { !$0.isDeleted } == early.allRecords(zone: TestZone.id))
        #expect(try full.run(bob.log(), from: 4) == nil)
    }

    /// A replica with only the first of Bob's commits.
    func prefix(of source: MemoryReplica, heads: Int) throws -> MemoryReplica {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "alice"]), .note("k", ["x": "kept"])], by: alice)
        for index in 1...heads {
            try replica.commit([.note("a", ["x": "bob \(index)"]), .note("b\(index)", ["x": "bob"])], by: bob)
        }
        #expect(try replica.log(alice.log())?.frontier == source.log(alice.log())?.frontier)
        return replica
    }

    @Test func `refuses runs completely above it and quarantines the rest of a run across it`() throws {
        let source = try written()
        var target = try emptyReplica()
        try target.receive(try #require(try source.run(alice.log())))
        let run = try #require(try source.run(bob.log()))
        let held = try #require(try source.log(bob.log()))
        let root = try #require(try StoredLog(held).root(at: 2, in: source))
        guard
            case .stored = try RunReceiver(
                run,
                actor: bob.author.actor,
                ruling: LogRuling(cut: LogCut(size: 2, root: root)),
                wallMilliseconds: 1
            ).receive(in: &target)
        else {
            Issue.record("a run across the cut was refused")
            return
        }
        #expect(try target.states(bob.log()).count { $0 == .quarantined } == 4)
        #expect(try target.value("x", of: "a") == .string("bob 1"))
        var more = source
        try more.commit([.note("b9", [:])], by: bob)
        guard case .beyondCut(size: 2, _) = try target.receive(try #require(try more.run(bob.log(), from: 6))) else {
            Issue.record("a run above the cut was taken")
            return
        }
        #expect(try target.log(bob.log())?.size == 6)
    }

    @Test func `at zero of an unknown log is remembered, and operations that wait for that log are applied`() throws {
        var source = try emptyReplica()
        try source.commit([.note("b", ["x": "bob"])], by: bob)
        try source.commit([.note("b", ["x": "alice"])], by: alice)
        var target = try emptyReplica()
        try target.receive(try #require(try source.run(alice.log())))
        #expect(try target.log(alice.log())?.appliedSize == 0)
        guard
            case .beyondCut(size: 0, let freed) = try RunReceiver(
                try #require(try source.run(bob.log())),
                actor: bob.author.actor,
                ruling: LogRuling(cut: LogCut(size: 0, root: .zero)),
                wallMilliseconds: 1
            ).receive(in: &target)
        else {
            Issue.record("a run of a removed device was taken")
            return
        }
        #expect(freed?.changed.map(\.name) == ["b"], "those who watch are told")
        #expect(try target.log(alice.log())?.appliedSize == 1)
        #expect(try target.value("x", of: "b") == .string("alice"))
        #expect(try target.log(bob.log())?.size == 0)
    }

    @Test func `at zero of an unknown log is noted only if something waits for that log`() throws {
        var source = try emptyReplica()
        try source.commit([.note("b", ["x": "bob"])], by: bob)
        try source.commit([.note("b", ["x": "alice"])], by: alice)
        var target = try emptyReplica()
        let zero = LogCut(size: 0, root: .zero)
        let row = LogRow(
            key: bob.log(),
            device: bob.author.device,
            incarnation: bob.author.incarnation,
            right: .zero,
            cut: zero
        )
        func note(_ row: LogRow) throws -> [String]? {
            try RulingApplier(of: TestZone.id, wallMilliseconds: 1).noteEmptyLogs([row], in: &target)?.map(\.name)
        }
        #expect(try note(row) == nil)
        try target.receive(try #require(try source.run(alice.log())))
        var uncut = row
        uncut.cut = nil
        #expect(try note(uncut) == nil)
        #expect(try target.log(bob.log()) == nil)
        #expect(try note(row) == ["b"])
        #expect(try target.value("x", of: "b") == .string("alice"))
        #expect(try note(row) == nil)
    }

    @Test func `names logs of which another history is held`() throws {
        var replica = try written()
        let outcome = try cut(&replica, bob, at: 2, root: Hash(Digest32.one))
        #expect(outcome.mismatched == [bob.log()])
    }

    @Test func `revokes the effect of control operations above it`() throws {
        var replica = try written()
        try replica.commit(.zoneDeletion(reason: "mine"), by: bob)
        #expect(try replica.zone(TestZone.id)?.state == .deleted(reason: "mine"))
        _ = try cut(&replica, bob, at: 6)
        #expect(try replica.zone(TestZone.id)?.state == .live)
        #expect(try replica.states(bob.log(TestZone.id, .control)) == [.quarantined])
    }

    @Test func `does not permit that a control operation above it is missing`() throws {
        var source = try emptyReplica()
        for byte in UInt8(1)...2 { try source.commit(.unknown(tag: 99, bytes: [byte]), by: bob) }
        let control = bob.log(TestZone.id, .control)
        let held = try #require(try source.log(control))
        let root = try #require(try StoredLog(held).root(at: 1, in: source))
        let whole = try #require(try source.run(control))
        guard case .operation(let last)? = whole.items.last else {
            Issue.record("the run has no operation")
            return
        }
        var run = whole
        run.items[1] = .gap(SubtreeGap(level: 0, index: 1, hash: last.header.leafHash))
        var target = try emptyReplica()
        func receive(_ run: Run) throws -> ReceivedRun {
            let ruling = LogRuling(cut: LogCut(size: 1, root: root))
            return try RunReceiver(run, actor: bob.author.actor, ruling: ruling, wallMilliseconds: 1)
                .receive(in: &target)
        }
        #expect(replicaError { _ = try receive(run) } == .missingCheckpoint(control, .zero))
        #expect(try target.log(control) == nil)
        guard case .stored = try receive(whole) else {
            Issue.record("a run across the cut was refused")
            return
        }
        #expect(try target.states(control) == [.live, .quarantined])
    }

    @Test func `keeps a control operation waiting for its causes, also once it is effective again`() throws {
        let carol = TestAuthor(3)
        var source = try emptyReplica()
        for author in [carol, bob] {
            try source.commit(.unknown(tag: 99, bytes: [1]), by: author)
        }
        let control = bob.log(TestZone.id, .control)
        var replica = try emptyReplica()
        try replica.receive(try #require(try source.run(control)))
        #expect(try replica.log(control)?.appliedSize == 0)
        let none = LogCut(size: 0, root: TreeFrontier().root)
        _ = try replica.applyCuts([control.actorLane: none], of: bob.author.device)
        #expect(try replica.log(control)?.appliedSize == 0)
        _ = try replica.applyCuts(nil, of: bob.author.device)
        #expect(try replica.log(control)?.appliedSize == 0, "what it builds on is not here")
        try replica.receive(try #require(try source.run(carol.log(TestZone.id, .control))))
        #expect(try replica.log(control)?.appliedSize == 1)
    }

    @Test(arguments: 0..<40)
    func `gives the same records whether it comes before or after the operations`(seed: UInt64) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 4)
        for _ in 0..<50 {
            try history.step()
        }
        let removed = history.authors[3]
        let source = history.replicas[3]
        let row = try source.log(removed.log())
        let size = UInt64(history.number(0...Int(row?.size ?? 0)))
        let root = try row.flatMap { try StoredLog($0).root(at: size, in: source) } ?? .zero
        let cuts = [removed.log().actorLane: LogCut(size: size, root: size == 0 ? .zero : root)]
        func apply(_ index: Int) throws {
            _ = try history.replicas[index].applyCuts(
                cuts,
                of: removed.author.device,
                zone: TestZone.id,
                wallMilliseconds: 1
            )
        }
        // One learns of it before the exchange, the others after it.
        try apply(0)
        try history.settle()
        for index in 0..<4 {
            try apply(index)
        }
        // The first refused runs above the cut, but others may still lack operations below it.
        try history.settle()
        let first = history.replicas[1].allRecords(zone: TestZone.id).filter { !$0.isDeleted }
        for index in [0, 2, 3] {
            let logs = try history.replicas[index].logs(zone: TestZone.id)
            #expect(logs.allSatisfy { $0.appliedSize == $0.size }, "seed \(seed)")
            let records = history.replicas[index].allRecords(zone: TestZone.id).filter { !$0.isDeleted }
            #expect(records == first, "seed \(seed)")
            #expect(
                try ZonePositions(of: TestZone.id).digest(in: history.replicas[index])
                    == ZonePositions(of: TestZone.id).digest(in: history.replicas[1]),
                "seed \(seed)"
            )
        }
    }
}
