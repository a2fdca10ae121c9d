import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

@Suite struct `A purged operation that is effective again` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)
    let carol = TestAuthor(3)

    private func bobs(_ counter: UInt64) -> Dot { Dot(actor: bob.author.actor, counter: counter) }

    /// Bob writes six times, each under a head of its own.
    private func written() throws -> MemoryReplica {
        var replica = try emptyReplica()
        try replica.commit([.note("k", ["x": "alice"])], by: alice)
        for index in 1...6 { try replica.commit([.note("b\(index)", ["x": "bob"])], by: bob) }
        return replica
    }

    @Test func `comes from any replica that has it, and no present operation is lost, with the author gone`() throws {
        // Bob is cut behind his first write, and deposits one after the other.
        var source = try emptyReplica()
        try source.commit([.note("b1", ["x": "bob"])], by: bob)
        var (left, right) = (source, source)
        try left.cut(bob, at: 1)
        try right.cut(bob, at: 1)
        for index in 2...6 {
            try source.commit([.note("b\(index)", ["x": "bob"])], by: bob)
            let run = try #require(try source.run(bob.log(), from: UInt64(index - 1)))
            try left.keep(run, of: bob)
            try right.keep(run, of: bob)
        }
        try left.purge(bobs(3), at: alice)
        try right.purge(bobs(5), at: alice)
        try left.cut(bob, at: nil)
        try right.cut(bob, at: nil)
        #expect(try left.log(bob.log())?.heldSize == 2)
        #expect(try right.log(bob.log())?.heldSize == 4)
        #expect(try left.value("x", of: "b4") == nil, "it counts only behind what is missing")
        try left.pull(from: right)
        try right.pull(from: left)
        for replica in [left, right] {
            #expect(try replica.digestOfAll() == source.digestOfAll())
            #expect(try replica.shape(bob.log()).allSatisfy { $0 == "o" })
            for index in 1...6 { #expect(try replica.value("x", of: "b\(index)") == .string("bob"), "b\(index)") }
        }
    }

    @Test func `leaves a log that ends where its author signed it, whatever was thinned out`() throws {
        let source = try written()
        var replica = source
        try replica.deleteHeads(bob.log(), sizes: [1, 2, 3, 4, 5])
        try replica.cut(bob, at: 2)
        try replica.purge(bobs(4), at: alice)
        try replica.cut(bob, at: nil)
        let row = try #require(try replica.log(bob.log()))
        #expect(row.heldSize == 3)
        #expect(try replica.head(bob.log(), atOrBelow: row.size)?.size == row.size)
        #expect(try replica.run(bob.log()) == nil, "nobody could check it")
        // Others write on, and operations that wait for Bob's are tried again.
        try replica.commit([.note("k", ["x": "more"])], by: alice)
        #expect(try replica.value("x", of: "b2") == .string("bob"))
        try replica.pull(from: source)
        #expect(try replica.log(bob.log())?.hole == nil)
        for index in 1...6 { #expect(try replica.value("x", of: "b\(index)") == .string("bob"), "b\(index)") }
    }

    @Test func `does not come under a head that omits what operations before it had seen`() throws {
        let seen: VersionVector = [alice.author.actor: 1]
        var replica = try emptyReplica()
        try replica.commit([.note("k", ["x": "alice"])], by: alice)
        var log = HandMadeLog(bob)
        try log.append(log.body("b1"), vector: seen)
        try replica.receive(log.run(seen: seen))
        for name in ["b2", "b3"] { try log.append(log.body(name)) }
        let missing = log
        try log.append(log.body("b4"))
        try replica.cut(bob, at: 1)
        try replica.keep(log.run(from: 1, seen: seen), of: bob)
        try replica.purge(bobs(3), at: alice)
        try replica.cut(bob, at: nil)
        #expect(try replica.log(bob.log())?.hole == 2)
        let refused = RunError.invalidOperation(counter: 1, .unseenEntry)
        #expect(replicaError { try replica.receive(missing.run(from: 2)) } == .invalidRun(bob.log(), refused))
        #expect(try replica.log(bob.log())?.hole == 2)
        try replica.receive(missing.run(from: 2, seen: seen))
        #expect(try replica.log(bob.log())?.hole == nil)
    }

    /// Makes Bob's log, cut behind his first write, with the third to the sixth pruned under a checkpoint of his own.
    private func handedOver() throws -> (whole: MemoryReplica, kept: MemoryReplica) {
        var whole = try emptyReplica()
        try whole.commit([.note("b1", ["x": "bob"])], by: bob)
        var kept = whole
        for index in 2...9 {
            try whole.commit([.note([2, 8].contains(index) ? "b\(index)" : "a", ["x": "\(index)"])], by: bob)
        }
        var owner = whole
        try CheckpointFixture().make(&owner, by: bob)
        try kept.cut(bob, at: 1)
        let run = try #require(try RunServing(bob.log()).deposit(above: 1, from: 1, byteCount: 1 << 20, in: owner))
        #expect(run.items.contains { if case .gap(let gap) = $0 { gap.level > 0 } else { false } })
        try kept.keep(run, of: bob)
        return (whole, kept)
    }

    @Test func `is also kept if its author had pruned a part, and has no effect`() throws {
        let (_, kept) = try handedOver()
        #expect(try kept.log(bob.log())?.size == 9)
        #expect(try kept.zone(TestZone.id)?.isUnverified == false)
        let entries = try Quarantine(of: TestZone.id).entries(limit: 20, in: kept)
        #expect(entries.map(\.name) == ["b2", "b8", "a"])
        #expect(try kept.value("x", of: "b8") == nil)
        // The cut is raised up to the missing part, and not over it.
        let raisable = try Quarantine(of: TestZone.id).raisable(under: bob.author.right, in: kept)
        #expect(raisable.positions.map(\.size) == [1])
        #expect(raisable.obstacles == [.purged(bob.log(), bobs(3))])
        var adopter = kept
        #expect(try adopter.adopt(bobs(8), by: alice).number != nil)
        #expect(try adopter.value("x", of: "b8") == .string("8"))
    }

    /// Makes Bob's log, of which a checkpoint of his own released all but the last operation: all that the first of its
    /// two heads is signed over.
    private func released() throws -> MemoryReplica {
        var owner = try emptyReplica()
        // So many that the head over them is kept.
        let count = ReplicaLimits.headSpacingOperationCount
        try owner.commit((0..<count).map { .note("a", ["x": "\($0)"]) }, by: bob)
        try owner.commit([.note("a", ["x": "last"])], by: bob)
        try CheckpointFixture().make(&owner, by: bob)
        #expect(try owner.heads(bob.log(), above: 0, limit: 9).map(\.size) == [count, count + 1])
        #expect(try owner.states(bob.log()) == [.live])
        return owner
    }

    @Test func `is not uploaded if its author had pruned all that it signed`() throws {
        var owner = try released()
        try owner.deleteHeads(bob.log(), sizes: [ReplicaLimits.headSpacingOperationCount + 1])
        #expect(try RunServing(bob.log()).deposit(above: 0, from: 0, byteCount: 1 << 20, in: owner) == nil)
    }

    @Test func `is uploaded under the next head if its author had pruned all that the first is signed over`() throws {
        let owner = try released()
        let size = ReplicaLimits.headSpacingOperationCount + 1
        // No more than the first head has room.
        let run = try #require(try RunServing(bob.log()).deposit(above: 0, from: 0, byteCount: 1, in: owner))
        #expect(run.signedHead.head.size == size)
        var kept = try emptyReplica()
        try kept.keep(run, of: bob, ruling: LogRuling(cut: LogCut(size: 0, root: TreeFrontier().root)))
        #expect(try kept.adopt(bobs(size), by: alice).number != nil)
        #expect(try kept.value("x", of: "a") == .string("last"))
    }

    @Test(arguments: [2, 3, 4, 5, 6, 7, 9]) func `is filled in if its author had pruned a part`(end: Int) throws {
        // The cut is raised elsewhere, perhaps into the middle of the part that is missing here.
        let (whole, kept) = try handedOver()
        var replica = kept
        try replica.cut(bob, at: end == 9 ? nil : UInt64(end))
        if end > 2 { #expect(try replica.log(bob.log())?.heldSize == 2) }
        try replica.pull(from: whole)
        #expect(try replica.log(bob.log())?.hole == nil)
        try replica.cut(bob, at: nil)
        try replica.pull(from: whole)
        #expect(try replica.digestOfAll() == whole.digestOfAll())
        #expect(try replica.shape(bob.log()).allSatisfy { $0 == "o" })
    }

    @Test func `stays when the cut falls again, and is no hole then`() throws {
        var replica = try written()
        try replica.cut(bob, at: 2)
        try replica.purge(bobs(4), at: alice)
        let digest = try replica.digestOfAll()
        let list = try Quarantine(of: TestZone.id).entries(limit: 10, in: replica)
        try replica.cut(bob, at: 6)
        #expect(try replica.log(bob.log())?.hole == 3)
        try replica.cut(bob, at: 2)
        #expect(try replica.log(bob.log())?.hole == nil)
        #expect(try replica.digestOfAll() == digest)
        #expect(try Quarantine(of: TestZone.id).entries(limit: 10, in: replica) == list)
    }

    @Test func `is not accepted from another history`() throws {
        var replica = try emptyReplica()
        for index in 1...3 { try replica.commit([.note("b\(index)", ["x": "bob"])], by: bob) }
        var other = replica
        for index in 4...6 { try replica.commit([.note("b\(index)", ["x": "bob"])], by: bob) }
        for index in 4...8 { try other.commit([.note("b\(index)", ["x": "other"])], by: bob) }
        try replica.cut(bob, at: 2)
        try replica.purge(bobs(4), at: alice)
        try replica.cut(bob, at: nil)
        let receipt = try replica.receive(try #require(try other.run(bob.log(), from: 3)))
        guard case .forked(let proof) = receipt else {
            Issue.record("taken: \(receipt)")
            return
        }
        #expect(proof.forkPoint == 3)
        #expect(try replica.log(bob.log())?.size == 6, "what is held stays, to be restated")
    }

    @Test(arguments: [0, 4]) func `is released if a checkpoint released it meanwhile`(kept: Int) throws {
        // The gap begins at the hole, or reaches back over it.
        var source = try emptyReplica()
        for index in 1...4 { try source.commit([.note(index > kept ? "a" : "b\(index)", ["x": "bob"])], by: bob) }
        for _ in 5...6 { try source.commit([.note("a", ["x": "bob"])], by: bob) }
        var replica = source
        try source.commit([.note("a", ["x": "alice"])], by: alice)
        try source.commit([.note("c", ["x": "bob"])], by: bob)
        try CheckpointFixture().make(&source)
        #expect(try source.shape(bob.log()).contains("o"))
        try replica.cut(bob, at: 1)
        try replica.purge(bobs(5), at: alice)
        try replica.cut(bob, at: nil)
        #expect(try replica.log(bob.log())?.hole == 4)
        try replica.pull(from: source)
        #expect(try replica.log(bob.log())?.hole == nil)
        #expect(try replica.digestOfAll() == source.digestOfAll())
        #expect(try replica.value("x", of: "a") == .string("alice"))
        #expect(try replica.value("x", of: "c") == .string("bob"))
    }

    @Test func `restores no operation above the cut if its author had pruned a part`() throws {
        let (whole, kept) = try handedOver()
        var (source, replica) = (whole, kept)
        try source.cut(bob, at: 7)
        try CheckpointFixture().make(&source)
        try replica.cut(bob, at: 7)
        #expect(try replica.log(bob.log())?.hole == 2)
        try replica.pull(from: source)
        let row = try #require(try replica.log(bob.log()))
        #expect(row.hole == nil && row.size == 9)
        #expect(try replica.digestOfAll() == source.digestOfAll())
        #expect(try replica.value("x", of: "a") == .string("7"))
        #expect(try Quarantine(of: TestZone.id).entries(limit: 9, in: replica).map(\.name) == ["b8", "a"])
        try replica.cut(bob, at: nil)
        #expect(try replica.log(bob.log())?.appliedSize == 9)
        #expect(try replica.value("x", of: "b8") == .string("8"))
        #expect(try replica.value("x", of: "a") == .string("9"))
    }

    @Test(arguments: [0, 4]) func `restores no operation above the cut that a checkpoint had released`(
        kept: Int
    ) throws {
        var whole = try emptyReplica()
        for index in 1...8 { try whole.commit([.note(index > kept ? "a" : "b\(index)", ["x": "bob"])], by: bob) }
        var source = whole
        for index in 9...10 { try whole.commit([.note("b\(index)", ["x": "bob"])], by: bob) }
        try source.commit([.note("a", ["x": "alice"])], by: alice)
        try CheckpointFixture().make(&source)
        try source.cut(bob, at: 8)
        var replica = whole
        try replica.cut(bob, at: 1)
        try replica.purge(bobs(5), at: alice)
        try replica.cut(bob, at: 8)
        #expect(try replica.log(bob.log())?.hole == 4)
        try replica.pull(from: source)
        let row = try #require(try replica.log(bob.log()))
        #expect(row.hole == nil && row.size == 10)
        #expect(try replica.digestOfAll() == source.digestOfAll())
        #expect(try replica.value("x", of: "a") == .string("alice"))
        #expect(try Quarantine(of: TestZone.id).entries(limit: 9, in: replica).map(\.name) == ["b9", "b10"])
        try replica.cut(bob, at: nil)
        #expect(try replica.value("x", of: "b10") == .string("bob"))
        var fresh = try emptyReplica()
        try fresh.pull(from: replica)
        #expect(try fresh.digestOfAll() == replica.digestOfAll(), "it can be served on")
    }

    @Test(arguments: ["b2", "c"]) func `waits only for its causes, if the head names ineffective operations`(
        name: String
    ) throws {
        var source = try emptyReplica()
        try source.commit([.note("b1", ["x": "bob"])], by: bob)
        var replica = source
        try source.commit([.note("c", ["x": "carol"])], by: carol)
        try source.commit([.note(name, ["x": "bob"]), .note("c", ["x": "bob"])], by: bob)
        try replica.cut(bob, at: 1)
        try replica.keep(try #require(try source.run(bob.log(), from: 1)), of: bob)
        try replica.cut(bob, at: 2)
        #expect(try replica.log(bob.log())?.appliedSize == (name == "c" ? 1 : 3))
        #expect(try replica.value("x", of: name) == (name == "c" ? nil : .string("bob")))
    }

    @Test func `waits for the operations that its author had seen, as on a replica that gets it only now`() throws {
        var source = try emptyReplica()
        try source.commit([.note("c", ["x": "carol"])], by: carol)
        try source.commit([.note("c", ["x": "bob"])], by: bob)
        var replica = try emptyReplica()
        let run = try #require(try source.run(bob.log()))
        try replica.keep(run, of: bob, ruling: LogRuling(cut: LogCut(size: 0, root: TreeFrontier().root)))
        try replica.cut(bob, at: nil)
        #expect(try replica.record("c") == nil)
        #expect(try replica.log(bob.log())?.appliedSize == 0)
        try replica.pull(from: source)
        #expect(try replica.value("x", of: "c") == .string("bob"))
        #expect(try replica.digestOfAll() == source.digestOfAll())
    }
}

extension MemoryReplica {
    /// Keeps an author's deposit above its log's cut.
    fileprivate mutating func keep(_ run: Run, of author: TestAuthor, ruling: LogRuling = LogRuling()) throws {
        let receipt = try RunReceiver(
            run,
            actor: author.author.actor,
            ruling: ruling,
            keeps: .deposit(.ofRight(sharing: [author.author.right])),
            wallMilliseconds: 1
        ).receive(in: &self)
        guard case .stored = receipt else {
            Issue.record("refused: \(receipt)")
            return
        }
    }
}
