import Records
import ReplicaBehaviour
import Sodium
import Testing
import Wire

@Suite struct `A received run` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)
    let carol = TestAuthor(3)

    func stored(_ receipt: ReceivedRun) throws -> AppliedOperations {
        guard case .stored(let applied) = receipt else {
            Issue.record("the run was not stored: \(receipt)")
            return AppliedOperations()
        }
        return applied
    }

    @Test func `is applied and reported`() throws {
        var source = try emptyReplica()
        try source.commit([.note("a", ["x": "1"]), .note("b", ["x": "2"])], by: alice, at: 70_000)
        var target = try emptyReplica()
        let applied = try stored(try target.receive(try #require(try source.run(alice.log())), at: 60_000))
        #expect(applied.changed.map(\.name) == ["a", "b"])
        #expect(applied.appliedCount == 2)
        #expect(applied.size == 2)
        #expect(target.allRecords(zone: TestZone.id) == source.allRecords(zone: TestZone.id))
        #expect(target.changes.map(\.bySync) == [true, true])
        #expect(try target.clock().latest == source.clock().latest)
    }

    @Test func `for an unknown zone is refused`() throws {
        var source = try emptyReplica()
        try source.commit([.note("a", [:])], by: alice)
        var target = MemoryReplica()
        let run = try #require(try source.run(alice.log()))
        #expect(replicaError { try target.receive(run) } == .unknownZone(TestZone.id))
    }

    @Test func `that was received before changes nothing`() throws {
        var source = try emptyReplica()
        try source.commit([.note("a", [:]), .note("b", [:])], by: alice)
        let run = try #require(try source.run(alice.log()))
        var target = try emptyReplica()
        try target.receive(run)
        let before = try Trace(target)
        guard case .alreadyHeld(size: 2) = try target.receive(run) else {
            Issue.record("a repeated run was not recognised")
            return
        }
        #expect(try Trace(target) == before)
    }

    @Test func `that overlaps is applied from the end of the log`() throws {
        var source = try emptyReplica()
        try source.commit([.note("a", [:])], by: alice)
        var target = try emptyReplica()
        try target.pull(from: source)
        try source.commit([.note("b", [:]), .note("c", [:])], by: alice)
        let applied = try stored(try target.receive(try #require(try source.run(alice.log(), from: 0))))
        #expect(applied.storedCount == 2)
        #expect(target.allRecords(zone: TestZone.id) == source.allRecords(zone: TestZone.id))
    }

    @Test func `that begins behind the end is misplaced`() throws {
        var source = try emptyReplica()
        try source.commit([.note("a", [:])], by: alice)
        try source.commit([.note("b", [:])], by: alice)
        var target = try emptyReplica()
        guard case .misplaced(held: 0) = try target.receive(try #require(try source.run(alice.log(), from: 1))) else {
            Issue.record("a run with a hole before it was taken")
            return
        }
        #expect(try target.logs(zone: TestZone.id).isEmpty)
    }

    /// Alice writes, Bob writes on top, Carol on top of both.
    func chain() throws -> MemoryReplica {
        var replica = try emptyReplica()
        try replica.commit([.note("a", ["x": "1"])], by: alice)
        try replica.commit([.note("a", ["x": "2"])], by: bob)
        try replica.commit([.note("a", ["x": "3"]), .note("b", [:])], by: carol)
        return replica
    }

    @Test func `waits for the operations that its author had seen, and is applied when they arrive`() throws {
        let source = try chain()
        var target = try emptyReplica()
        let first = try stored(try target.receive(try #require(try source.run(carol.log()))))
        #expect(first.changed.isEmpty)
        #expect(first.appliedCount == 0)
        #expect(try target.log(carol.log())?.appliedSize == 0)
        #expect(try target.states(carol.log()) == [.pending, .pending])
        _ = try stored(try target.receive(try #require(try source.run(bob.log()))))
        #expect(try target.record("a") == nil)
        let last = try stored(try target.receive(try #require(try source.run(alice.log()))))
        #expect(last.appliedCount == 4)
        #expect(target.allRecords(zone: TestZone.id) == source.allRecords(zone: TestZone.id))
        #expect(try target.states(carol.log()) == [.live, .live])
        #expect(try target.states(alice.log()) == [.superseded])
    }

    @Test func `that waits is served to others, which also hold it back`() throws {
        let source = try chain()
        var relay = try emptyReplica()
        try relay.receive(try #require(try source.run(carol.log())))
        var target = try emptyReplica()
        try target.pull(from: relay)
        #expect(try target.log(carol.log())?.size == 2)
        #expect(try target.log(carol.log())?.appliedSize == 0)
        try target.pull(from: source)
        #expect(target.allRecords(zone: TestZone.id) == source.allRecords(zone: TestZone.id))
    }

    @Test func `keeps the heads of pending operations and thins them when applied`() throws {
        var source = try emptyReplica()
        try source.commit([.note("a", [:])], by: alice)
        var target = try emptyReplica()
        for index in 0..<5 {
            try source.commit([.note("b\(index)", [:])], by: bob)
            try target.receive(try #require(try source.run(bob.log(), from: UInt64(index))))
        }
        #expect(try target.heads(bob.log(), above: 0, limit: 100).map(\.size) == [1, 2, 3, 4, 5])
        try target.pull(from: source)
        #expect(try target.heads(bob.log(), above: 0, limit: 100).map(\.size) == [5])
    }

    @Test func `is refused when a log holds as many waiting operations as it may`() throws {
        // One subtree stands for a long log: its contents do not matter here.
        let size = ReplicaLimits.pendingOperationCountMax
        var frontier = TreeFrontier()
        let isAppended = frontier.append(subtree: Hash(digesting: .treeNode, [1]), level: 15)
        #expect(isAppended)
        #expect(frontier.size == size)
        var row = LogRow(
            key: bob.log(),
            device: bob.author.device,
            incarnation: bob.author.incarnation,
            right: .zero,
            size: size,
            frontier: frontier,
            appliedSize: size
        )
        let gap = SubtreeGap(level: 15, index: 0, hash: Hash(digesting: .treeNode, [1]))
        var source = try emptyReplica()
        try source.commit([.note("a", [:])], by: alice)
        try source.save(row)
        try source.append([StoredItem(first: 0, content: .gap(gap))], key: row.key)
        try source.commit([.note("a", ["x": "1"])], by: bob)
        var target = try emptyReplica()
        row.appliedSize = 0
        try target.save(row)
        try target.append([StoredItem(first: 0, content: .gap(gap))], key: row.key)
        let run = try #require(try source.run(bob.log(), from: size))
        #expect(replicaError { try target.receive(run) } == .pendingFull(bob.log()))
    }

    @Test func `is refused as a whole after a zone's end`() throws {
        var source = try emptyReplica()
        try source.commit([.note("a", [:])], by: alice)
        var target = try emptyReplica()
        try target.commit(.zoneDeletion(reason: "over"), by: bob)
        #expect(try target.zone(TestZone.id)?.state == .deleted(reason: "over"))
        let run = try #require(try source.run(alice.log()))
        #expect(replicaError { try target.receive(run) } == .zoneClosed(TestZone.id))
        // The deletion itself travels in the control lane.
        try source.pull(from: target)
        #expect(try source.zone(TestZone.id)?.state == .deleted(reason: "over"))
    }

    @Test func `leaves an unchanged visible record unreported`() throws {
        var one = try emptyReplica()
        try one.commit([.note("a", ["x": "1"])], by: alice)
        var two = one
        try two.commit([.note("a", ["x": "2"])], by: bob)
        // The newest state comes first where the older one has not been seen.
        var target = try emptyReplica()
        try target.receive(try #require(try two.run(bob.log())))
        let applied = try stored(try target.receive(try #require(try two.run(alice.log()))))
        #expect(applied.changed.count == 1)
        #expect(target.changes.count == 1)
    }

    @Test func `puts nothing in the place of an operation that a cut may bring back`() throws {
        var source = try emptyReplica()
        try source.commit([.note("a", ["x": "1"])], by: alice)
        let cut = LogCut(size: 1, root: try #require(try source.log(alice.log())).frontier.root)
        try source.commit([.note("a", ["x": "2"])], by: alice)
        var hiding = try #require(try source.run(alice.log()))
        guard case .operation(let operation) = hiding.items[0] else { return }
        hiding.items[0] = .gap(SubtreeGap(level: 0, index: 0, hash: operation.header.leafHash))
        var target = try emptyReplica()
        #expect(replicaError { try target.receive(hiding) } == .missingCheckpoint(alice.log(), .zero))
        #expect(try target.logs(zone: TestZone.id).isEmpty)
        try target.pull(from: source)
        let cuts = [alice.log().actorLane: cut]
        _ = try target.applyCuts(cuts, of: alice.author.device, zone: TestZone.id, wallMilliseconds: 1)
        #expect(try target.value("x", of: "a") == .string("1"))
    }
}
