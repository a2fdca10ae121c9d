import Records
import ReplicaBehaviour
import Testing
import Wire

/// Operations that were purged, or that their author had pruned, are effective again and arrive.
@Suite struct `A run that closes a hole` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)

    /// Bob's log up to its third operation and as a whole, and a replica that keeps it above a cut.
    ///
    /// Bob alone has pruned the third to the seventh operation there.
    private func handedOver() throws -> (part: MemoryReplica, whole: MemoryReplica, kept: MemoryReplica) {
        var whole = try emptyReplica()
        try whole.commit([.note("b1", ["x": "bob"])], by: bob)
        var kept = whole
        var part = whole
        for index in 2...9 {
            try whole.commit([.note([2, 8].contains(index) ? "b\(index)" : "a", ["x": "\(index)"])], by: bob)
            if index == 3 { part = whole }
        }
        var owner = whole
        try CheckpointFixture().make(&owner, by: bob)
        try kept.cut(bob, at: 1)
        let run = try #require(try RunServing(bob.log()).deposit(above: 1, from: 1, byteCount: 1 << 20, in: owner))
        let receipt = try RunReceiver(
            run,
            actor: bob.author.actor,
            keeps: .deposit(.ofRight(sharing: [bob.author.right])),
            wallMilliseconds: 1
        ).receive(in: &kept)
        guard case .stored = receipt else { throw ReplicaError.unknownLog(bob.log()) }
        return (part, whole, kept)
    }

    @Test func `may end inside of a range of which only one hash is known, and the rest comes behind it`() throws {
        let (part, whole, kept) = try handedOver()
        var replica = kept
        try replica.cut(bob, at: nil)
        #expect(try replica.log(bob.log())?.hole == 2)
        #expect(try replica.shape(bob.log()).prefix(3) == ["o", "o", "2"])
        let run = try #require(try part.run(bob.log(), from: 2))
        guard case .stored(let applied) = try replica.receive(run) else {
            Issue.record("the run was refused")
            return
        }
        #expect(applied.size == 3)
        #expect(try replica.value("x", of: "a") == .string("3"))
        try replica.pull(from: whole)
        #expect(try replica.log(bob.log())?.hole == nil)
        #expect(try replica.digestOfAll() == whole.digestOfAll())
        #expect(try replica.shape(bob.log()).allSatisfy { $0 == "o" })
    }

    @Test func `has no gap of its own behind a fork of its log, even above a cut`() throws {
        var common = try emptyReplica()
        for index in 1...5 { try common.commit([.note("b\(index)", ["x": "bob"])], by: bob) }
        var (whole, other) = (common, common)
        try whole.commit([.note("b6", ["x": "bob"])], by: bob)
        try other.commit([.note("b6", ["x": "other"])], by: bob)
        var finder = whole
        let proof = try `A log with two histories`().foundProof(of: other, bob.log(), given: &finder)
        #expect(proof.forkPoint == 5)
        var replica = whole
        try replica.cut(bob, at: 2)
        try replica.purge(Dot(actor: bob.author.actor, counter: 4), at: alice)
        try replica.cut(bob, at: 5)
        _ = try proof.record(actor: bob.author.actor, wallMilliseconds: 1, in: &replica)
        #expect(try replica.log(bob.log())?.hole == 3)
        let full = try #require(try whole.run(bob.log(), from: 3))
        guard case .operation(let last)? = full.items.last else {
            Issue.record("the run has no operation")
            return
        }
        var run = full
        run.items[run.items.count - 1] = .gap(SubtreeGap(level: 0, index: 5, hash: last.header.leafHash))
        let error = replicaError { try replica.receive(run) }
        #expect(error == .missingCheckpoint(bob.log(), .zero))
        #expect(try replica.log(bob.log())?.hole == 3)
        try replica.receive(full)
        #expect(try replica.log(bob.log())?.hole == nil)
    }
}
