import Records
import ReplicaBehaviour
import Sodium
import Testing
import Wire

@Suite struct `A log with two histories` {
    let alice = TestAuthor(1)
    let bob = TestAuthor(2)

    /// Two stores that went apart after a common beginning, as after a copied disk.
    func histories(_ left: Int, _ right: Int, shared: Int = 2) throws -> (MemoryReplica, MemoryReplica) {
        var one = try emptyReplica()
        for index in 0..<shared {
            try one.commit([.note("s\(index)", [:])], by: alice)
        }
        var two = one
        for index in 0..<left {
            try one.commit([.note("l\(index)", ["x": "left"])], by: alice)
        }
        for index in 0..<right {
            try two.commit([.note("r\(index)", ["x": "right"])], by: alice)
        }
        return (one, two)
    }

    func forkProof(_ receipt: ReceivedRun) -> ForkProof? {
        if case .forked(let proof) = receipt { return proof }
        return nil
    }

    /// Returns the fork proof that a replica finds in the run of another history.
    func foundProof(of other: MemoryReplica, _ key: LogKey, given replica: inout MemoryReplica) throws -> ForkProof {
        let run = try #require(try other.run(key))
        let receipt = try replica.receive(run)
        return try #require(forkProof(receipt))
    }

    /// Returns the fork proof that a replica finds in the hashes of another history.
    func shownProof(of other: MemoryReplica, _ key: LogKey, given replica: inout MemoryReplica) throws -> ForkProof {
        let run = try #require(try RunServing(key).skeleton(in: other))
        let receipt = try replica.receive(run)
        return try #require(forkProof(receipt))
    }

    func record(_ proof: ForkProof, in replica: inout MemoryReplica) throws -> AppliedOperations? {
        try proof.record(actor: alice.author.actor, wallMilliseconds: 1, in: &replica)
    }

    func restate(_ replica: inout MemoryReplica, by author: TestAuthor) throws -> Restatement {
        try LocalWrites(zone: TestZone.id, author: author.author, wallMilliseconds: 5_000, sign: author.sign)
            .restateForked(in: &replica)
    }

    // MARK: Proofs

    @Test(arguments: [
        (1, 1, 0), (3, 3, 2), (5, 2, 3), (9, 1, 4), (6, 4, 1), (20, 3, 8), (7, 7, 0), (3, 20, 5), (2, 5, 1),
    ])
    func `is proven, with its place, by a run that repeats held operations`(
        left: Int,
        right: Int,
        shared: Int
    ) throws {
        var (one, two) = try histories(left, right, shared: shared)
        let run = try #require(try two.run(alice.log(), from: 0))
        let receipt = try one.receive(run)
        let proof = try #require(forkProof(receipt), "\(left) \(right) \(shared)")
        #expect(proof.isValid)
        #expect(proof.forkPoint == UInt64(shared))
        #expect(try ForkProof(decoding: proof.encoded) == proof)
        #expect(try one.log(alice.log())?.isForked == true)
        #expect(replicaError { try one.commit([.note("x", [:])], by: alice) } == .ownLogClosed(alice.log()))
        // A replica that receives the proof ends the log as well, once.
        #expect(try record(proof, in: &two) != nil)
        #expect(try record(proof, in: &two) == nil)
        #expect(try two.log(alice.log())?.forkProof == proof)
        #expect(
            try ZonePositions(of: TestZone.id).digest(in: one) == ZonePositions(of: TestZone.id).digest(in: two)
        )
        // It also answers a peer that offers more of it with the proof.
        guard case .beyondFork(proof, stopped: nil) = try one.receive(run) else {
            Issue.record("a run behind the fork was not answered with the proof")
            return
        }
    }

    @Test(arguments: [(1, 2, 2), (2, 1, 0), (40, 900, 3), (900, 40, 3), (300, 300, 700), (1, 1, 1_000)])
    func `is proven by the hashes of the other history, whichever is longer`(
        left: Int,
        right: Int,
        shared: Int
    ) throws {
        let (one, two) = try histories(left, right, shared: shared)
        var found: [UInt64] = []
        for (holder, shower) in [(one, two), (two, one)] {
            let run = try #require(try RunServing(alice.log()).skeleton(in: shower))
            #expect(run.isSkeleton && run.items.count < 1_000)
            var holder = holder
            let error = replicaError {
                if let proof = forkProof(try holder.receive(try Run(decoding: run.encoded))) {
                    found.append(proof.forkPoint)
                }
            }
            #expect(error == nil || error == .invalidRun(alice.log(), .rootMismatch))
        }
        // Near enough: a shorter common part costs repeated work, never data.
        let width = UInt64(max(left, right)) / 32
        #expect(!found.isEmpty)
        #expect(found.allSatisfy { $0 <= UInt64(shared) && $0 + width >= UInt64(shared) }, "\(found)")
    }

    @Test func `is suspected, not proven, by a run that only does not fit`() throws {
        var (one, two) = try histories(1, 2)
        let run = try #require(try two.run(alice.log(), from: 3))
        #expect(replicaError { try one.receive(run) } == .invalidRun(alice.log(), .rootMismatch))
        #expect(try one.log(alice.log())?.isForked == false)
        let proof = try shownProof(of: one, alice.log(), given: &two)
        #expect(proof.isValid && proof.forkPoint == 2)
    }

    @Test func `is no broken rule where the other history has a batch over the end of ours`() throws {
        var (one, two) = try histories(1, 0)
        try two.commit([.note("a", [:]), .note("b", [:]), .note("c", [:])], isAtomic: true, by: alice)
        let run = try #require(try two.run(alice.log(), from: 3))
        #expect(replicaError { try one.receive(run) } == .invalidRun(alice.log(), .rootMismatch))
        let repeated = try #require(try two.run(alice.log(), from: 2))
        let receipt = try one.receive(repeated)
        #expect(forkProof(receipt)?.forkPoint == 2)
    }

    @Test func `never parts inside a batch`() throws {
        var one = try emptyReplica()
        try one.commit([.note("s", [:])], by: alice)
        var two = one
        // The same first operation of two batches, which two authors of one clock may write.
        try one.commit([.note("a", [:]), .note("l", [:])], isAtomic: true, by: alice, at: 9_000)
        try two.commit([.note("a", [:]), .note("r", [:])], isAtomic: true, by: alice, at: 9_000)
        let proof = try foundProof(of: two, alice.log(), given: &one)
        #expect(proof.forkPoint == 1)
        #expect(try one.record("a")?.isDeleted == true)
    }

    @Test func `is not proven by tampered evidence`() throws {
        var (one, two) = try histories(5, 2, shared: 3)
        let proof = try foundProof(of: two, alice.log(), given: &one)
        func changed(_ change: (inout ForkProof.Path) -> Void, ofFirst: Bool) -> ForkProof {
            var first = proof.firstPath
            var second = proof.secondPath
            if ofFirst { change(&first) } else { change(&second) }
            return ForkProof(
                (proof.first, first),
                (proof.second, second),
                forkPoint: proof.forkPoint,
                forkRoot: proof.forkRoot,
                splitPoint: proof.splitPoint
            )
        }
        let other = Hash(digesting: .treeNode, [1])
        var bad = [
            ForkProof(
                (proof.first, proof.firstPath),
                (proof.second, proof.secondPath),
                forkPoint: proof.forkPoint + 1,
                forkRoot: proof.forkRoot,
                splitPoint: proof.splitPoint + 1
            ),
            ForkProof(
                (proof.first, proof.firstPath),
                (proof.second, proof.secondPath),
                forkPoint: proof.forkPoint,
                forkRoot: other,
                splitPoint: proof.splitPoint
            ),
            ForkProof(
                (SignedTreeHead(proof.first.head, signature: bob.sign(proof.first.bodyBytes)), proof.firstPath),
                (proof.second, proof.secondPath),
                forkPoint: proof.forkPoint,
                forkRoot: proof.forkRoot,
                splitPoint: proof.splitPoint
            ),
        ]
        for isFirst in [true, false] {
            let path = isFirst ? proof.firstPath : proof.secondPath
            for index in path.shared.indices { bad.append(changed({ $0.shared[index] = other }, ofFirst: isFirst)) }
            for index in path.split.indices { bad.append(changed({ $0.split[index] = other }, ofFirst: isFirst)) }
            bad.append(changed({ $0.shared.append(other) }, ofFirst: isFirst))
            bad.append(changed({ $0.shared.removeLast() }, ofFirst: isFirst))
            bad.append(changed({ $0.split.append(other) }, ofFirst: isFirst))
        }
        for proof in bad {
            #expect(!proof.isValid)
            #expect(replicaError { _ = try record(proof, in: &two) } == .invalidForkProof)
        }
    }

    @Test func `is never claimed of an honest log`() throws {
        var source = try emptyReplica()
        var shorter: [MemoryReplica] = []
        for index in 0..<20 {
            try source.commit([.note("r\(index)", [:])], by: alice)
            shorter.append(source)
        }
        for var replica in shorter {
            let longer = try #require(try RunServing(alice.log()).skeleton(in: source))
            var receipts: [ReceivedRun] = []
            let error = replicaError { receipts.append(try replica.receive(longer)) }
            #expect(error == nil || error == .invalidRun(alice.log(), .rootMismatch))
            let own = try #require(try RunServing(alice.log()).skeleton(in: replica))
            receipts.append(try source.receive(own))
            #expect(receipts.allSatisfy { forkProof($0) == nil })
        }
    }

    // MARK: After the proof

    @Test func `is waited for only as far as both histories go`() throws {
        let (one, two) = try histories(2, 1)
        // Bob has seen one history and writes on top of it; the target holds the other.
        var writer = one
        try writer.commit([.note("l1", ["y": "bob"])], by: bob)
        var target = two
        try target.receive(try #require(try writer.run(bob.log())))
        #expect(try target.log(bob.log())?.appliedSize == 0)
        let proof = try shownProof(of: two, alice.log(), given: &writer)
        let applied = try record(proof, in: &target)
        #expect(applied?.changed.map(\.name).contains("l1") == true)
        #expect(try target.value("y", of: "l1") == .string("bob"))
        // One that holds nothing of the log still waits for its common part.
        var fresh = try emptyReplica()
        _ = try record(proof, in: &fresh)
        try fresh.receive(try #require(try writer.run(bob.log())))
        #expect(try fresh.log(bob.log())?.appliedSize == 0)
        try fresh.pull(from: target)
        #expect(try fresh.value("y", of: "l1") == .string("bob"))
        #expect(try fresh.log(alice.log())?.size == 3)
    }

    @Test func `of a removed device brings nothing back that lies above its cut`() throws {
        var (one, two) = try histories(2, 2)
        let root = try #require(try one.log(alice.log()).flatMap { try StoredLog($0).root(at: 1, in: one) })
        let cuts = [alice.log().actorLane: LogCut(size: 1, root: root)]
        _ = try one.applyCuts(cuts, of: alice.author.device)
        #expect(try one.value("x", of: "l0") == nil)
        // It shows another history to a peer that does not know of its removal: the log is forked, and cut before
        // that.
        var other = one
        _ = try other.applyCuts(nil, of: alice.author.device)
        let proof = try foundProof(of: two, alice.log(), given: &other)
        #expect(try record(proof, in: &one) != nil)
        #expect(try restate(&one, by: bob).restatedCount == 0)
        for name in ["s1", "l0", "l1"] { #expect(try one.record(name)?.isDeleted != false) }
    }

    @Test func `ends where its histories part, and later operations are restated`() throws {
        var (one, two) = try histories(2, 2)
        let proof = try foundProof(of: two, alice.log(), given: &one)
        _ = try record(proof, in: &two)
        #expect(try one.value("x", of: "l0") == nil)
        #expect(try one.value("x", of: "s0") == two.value("x", of: "s0"))
        let restored = TestAuthor(1, life: 1)
        let restatement = try restate(&one, by: restored)
        #expect(restatement.restatedCount == 2 && !restatement.hasMore)
        #expect(restatement.changed.map(\.name).sorted() == ["l0", "l1"])
        #expect(try one.states(alice.log()) == [.live, .live, .restated, .restated])
        _ = try restate(&two, by: bob)
        try one.pull(from: two)
        try two.pull(from: one)
        for replica in [one, two] {
            for name in ["l0", "l1"] { #expect(try replica.value("x", of: name) == .string("left")) }
            for name in ["r0", "r1"] { #expect(try replica.value("x", of: name) == .string("right")) }
        }
        #expect(try ZonePositions(of: TestZone.id).digest(in: one) == ZonePositions(of: TestZone.id).digest(in: two))
        #expect(one.allRecords(zone: TestZone.id) == two.allRecords(zone: TestZone.id))
        #expect(try restate(&one, by: restored).isEmpty)
    }

    @Test func `is restated by one holder, and does not come back when that was replaced`() throws {
        var (one, two) = try histories(1, 1)
        let proof = try foundProof(of: two, alice.log(), given: &one)
        var other = one
        _ = try record(proof, in: &two)
        _ = try restate(&one, by: bob)
        let carol = TestAuthor(3)
        try two.pull(from: one)
        try two.commit([.note("l0", ["x": "carol"])], by: carol)
        // The other holder of the same history learns of both before it looks at its own log.
        try other.pull(from: two)
        let dave = TestAuthor(4)
        #expect(try restate(&other, by: dave).restatedCount == 0)
        #expect(try other.value("x", of: "l0") == .string("carol"))
        #expect(try other.record("l0")?.content().conflictFields == [])
    }

    @Test func `loses no field to a later write that had seen the other history alone`() throws {
        let carol = TestAuthor(3)
        var one = try emptyReplica()
        try one.commit([.note("s", ["a": "shared"])], by: alice)
        var two = one
        try one.commit([.note("s", ["b": "left"])], by: alice)
        try two.commit([.note("s", ["a": "right"])], by: alice)
        // Her write names as much of Alice's log, but of the other history.
        try two.commit([.note("s", ["a": "carol"])], by: carol)
        _ = try foundProof(of: two, alice.log(), given: &one)
        try one.receive(try #require(try two.run(carol.log())))
        #expect(try one.value("a", of: "s") == .string("carol"))
        #expect(try one.value("b", of: "s") == nil)
        #expect(try restate(&one, by: bob).restatedCount == 1)
        #expect(try one.value("a", of: "s") == .string("carol"))
        #expect(try one.value("b", of: "s") == .string("left"))
    }

    @Test func `loses no record without fields to a deletion that had seen the other history alone`() throws {
        let carol = TestAuthor(3)
        var one = try emptyReplica()
        try one.commit([.note("s", [:])], by: alice)
        var two = one
        try one.commit([.note("r", [:])], by: alice)
        try two.commit([.note("r", ["x": "right"])], by: alice)
        try two.commit([.deletion("r")], by: carol)
        _ = try foundProof(of: two, alice.log(), given: &one)
        try one.receive(try #require(try two.run(carol.log())))
        #expect(try one.record("r")?.isDeleted == true)
        #expect(try restate(&one, by: bob).restatedCount == 1)
        #expect(try one.record("r")?.isDeleted == false)
    }

    @Test func `keeps its own deletions`() throws {
        var one = try emptyReplica()
        try one.commit([.note("a", ["x": "1"]), .note("b", ["x": "1", "y": "2"])], by: alice)
        var two = one
        try one.commit([.deletion("a")], by: alice)
        try one.commit([RecordWrite(name: "b", remove: ["x"])], by: alice)
        try two.commit([.note("c", [:])], by: alice)
        let proof = try foundProof(of: one, alice.log(), given: &two)
        _ = try record(proof, in: &one)
        #expect(try one.value("x", of: "a") == .string("1"))
        _ = try restate(&one, by: bob)
        #expect(try one.record("a")?.isDeleted == true)
        #expect(try one.value("x", of: "b") == nil)
        #expect(try one.value("y", of: "b") == .string("2"))
    }

    @Test func `is restated in bounded parts`() throws {
        let count = ReplicaLimits.restatedRecordCountMax + 20
        var one = try emptyReplica()
        try one.commit([.note("s", [:])], by: alice)
        var two = one
        for start in stride(from: 0, to: count, by: 100) {
            try one.commit((start..<min(start + 100, count)).map { .note("n\($0)", ["x": "1"]) }, by: alice)
        }
        try two.commit([.note("r", [:])], by: alice)
        let proof = try foundProof(of: one, alice.log(), given: &two)
        _ = try record(proof, in: &one)
        let first = try restate(&one, by: bob)
        #expect(first.hasMore && first.restatedCount == UInt64(ReplicaLimits.restatedRecordCountMax))
        let second = try restate(&one, by: bob)
        #expect(!second.hasMore && second.restatedCount == 20)
        #expect(try one.value("x", of: "n\(count - 1)") == .string("1"))
    }

    // MARK: Control lane and checkpoints

    @Test func `revokes the effect of a control operation behind the fork, until its device restates it`() throws {
        var one = try emptyReplica()
        try one.commit(.genesis(TestZone.genesis), by: alice)
        var two = one
        try one.commit(.zoneDeletion(reason: "mine"), by: alice)
        try two.commit(.genesis(TestZone.genesis), by: alice)
        let key = alice.log(TestZone.id, .control)
        let proof = try foundProof(of: two, key, given: &one)
        #expect(proof.forkPoint == 1)
        #expect(try one.zone(TestZone.id)?.state == .live)
        #expect(try one.states(key) == [.live, .quarantined])
        #expect(try restate(&one, by: bob).isEmpty)
        _ = try restate(&one, by: TestAuthor(1, life: 1))
        #expect(try one.zone(TestZone.id)?.state == .deleted(reason: "mine"))
    }

    @Test func `has its control operations restated once`() throws {
        var one = try emptyReplica()
        try one.commit(.genesis(TestZone.genesis), by: alice)
        var two = one
        try one.commit(.revoke(Revocation(capabilities: [Hash(digesting: .treeNode, [1])])), by: alice)
        try two.commit(.genesis(TestZone.genesis), by: alice)
        let key = alice.log(TestZone.id, .control)
        _ = try foundProof(of: two, key, given: &one)
        let renewed = TestAuthor(1, life: 1)
        #expect(try restate(&one, by: renewed).heads.count == 1)
        #expect(try one.states(key) == [.live, .restated])
        #expect(try restate(&one, by: renewed).isEmpty)
        #expect(try one.log(renewed.log(TestZone.id, .control))?.size == 1)
    }

    @Test func `is continued as a checkpoint covers one of its histories`() throws {
        var (one, two) = try histories(3, 2)
        // Bob holds the first history and makes it final.
        var owner = one
        let due = try #require(
            try Checkpoints(of: TestZone.id).due(
                acknowledged: [:],
                activeDevices: [],
                ownDevice: bob.author.device,
                nowMilliseconds: 100_000_000,
                lastMilliseconds: 0,
                in: owner
            )
        )
        try owner.commit(.checkpoint(due), by: bob)
        try two.receive(try #require(try owner.run(bob.log(TestZone.id, .control))))
        let proof = try shownProof(of: two, alice.log(), given: &one)
        for author in [bob, TestAuthor(3)] {
            var replica = author === bob ? owner : two
            _ = try record(proof, in: &replica)
            // Twice: the operations of the other history, then those that the checkpoint covers.
            while try !restate(&replica, by: author).isEmpty {}
            if author === bob { owner = replica } else { two = replica }
        }
        #expect(try owner.log(alice.log()).map { $0.size } == 5)
        #expect(try owner.states(alice.log()) == [.live, .live, .restated, .restated, .restated])
        // The other history stays until the covered one arrives: a new replica gets the common part under its heads.
        #expect(try two.log(alice.log())?.size == 4)
        #expect(try ZonePositions(of: TestZone.id).all(in: two).first { $0.row.key == alice.log() }?.size == 2)
        var fresh = try emptyReplica()
        _ = try record(proof, in: &fresh)
        try fresh.pull(from: two)
        #expect(try ZonePositions(of: TestZone.id).digest(in: fresh) == ZonePositions(of: TestZone.id).digest(in: two))
        try two.pull(from: owner)
        // The first run of the covered history shows the new replica that it holds the other one, which it restates first.
        try fresh.pull(from: owner)
        #expect(try fresh.log(alice.log())?.size == 4)
        while try !restate(&fresh, by: TestAuthor(4)).isEmpty {}
        try fresh.pull(from: owner)
        #expect(try fresh.log(alice.log())?.size == 5)
        #expect(try fresh.value("x", of: "r1") == .string("right"))
        try owner.pull(from: two)
        #expect(try two.log(alice.log())?.size == 5)
        #expect(try ZonePositions(of: TestZone.id).digest(in: owner) == ZonePositions(of: TestZone.id).digest(in: two))
        for replica in [owner, two] {
            #expect(try replica.value("x", of: "l2") == .string("left"))
            #expect(try replica.value("x", of: "r1") == .string("right"))
        }
    }
}
