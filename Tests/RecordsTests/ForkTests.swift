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
            try one.commit([.note("l\(index)", [:])], by: alice)
        }
        for index in 0..<right {
            try two.commit([.note("r\(index)", [:])], by: alice)
        }
        return (one, two)
    }

    func forkProof(_ receipt: Receipt) -> ForkProof? {
        if case .forked(let proof) = receipt { return proof }
        return nil
    }

    @Test(arguments: [(1, 1, 0), (3, 3, 2), (5, 2, 3), (9, 1, 4), (6, 4, 1), (20, 3, 8), (7, 7, 0), (13, 12, 3)])
    func `is proven by a head that is not longer than what is held`(left: Int, right: Int, shared: Int) throws {
        var (one, two) = try histories(left, right, shared: shared)
        let run = try #require(try two.run(alice.log(), from: 0))
        let receipt = try one.receive(run)
        let proof = try #require(forkProof(receipt), "\(left) \(right) \(shared)")
        #expect(proof.isValid)
        #expect(try ForkProof(decoding: proof.encoded) == proof)
        #expect(try one.log(alice.log())?.isForked == true)
        #expect(replicaError { try one.receive(run) } == .forked(alice.log()))
        #expect(replicaError { try one.commit([.note("x", [:])], by: alice) } == .ownLogClosed(alice.log()))
        // Whoever gets the proof marks the log as well, once.
        let actor = alice.author.actor
        #expect(try Replica.record(proof, actor: actor, wallMilliseconds: 1, in: &two) != nil)
        #expect(try Replica.record(proof, actor: actor, wallMilliseconds: 1, in: &two) == nil)
        #expect(try two.log(alice.log())?.forkProof == proof)
    }

    @Test(arguments: [(1, 2, 3), (2, 5, 1), (3, 20, 0), (4, 9, 4)])
    func `is proven by a longer run that repeats what is held`(left: Int, right: Int, shared: Int) throws {
        var (one, two) = try histories(left, right, shared: shared)
        let run = try #require(try two.run(alice.log(), from: 0))
        let receipt = try one.receive(run)
        let proof = try #require(forkProof(receipt))
        #expect(proof.isValid)
        #expect(proof.forkPoint == 0)
    }

    @Test func `is suspected, not proven, by a run that only does not fit`() throws {
        var (one, two) = try histories(1, 2)
        let run = try #require(try two.run(alice.log(), from: 3))
        #expect(replicaError { try one.receive(run) } == .invalidRun(alice.log(), .rootMismatch))
        #expect(try one.log(alice.log())?.isForked == false)
        // The head alone, compared by the one who holds more, is the proof.
        let head = try #require(try one.head(alice.log(), atOrBelow: 3)).signed
        let proof = try #require(try Replica.compare(head, key: alice.log(), in: two))
        #expect(proof.isValid)
        #expect(try Replica.compare(head, key: alice.log(), in: one) == nil)
        two = try emptyReplica()
        #expect(try Replica.compare(head, key: alice.log(), in: two) == nil)
    }

    @Test func `is not proven by tampered evidence`() throws {
        var (one, two) = try histories(5, 2)
        let run = try #require(try two.run(alice.log(), from: 0))
        let receipt = try one.receive(run)
        let proof = try #require(forkProof(receipt))
        for index in proof.evidence.indices {
            var evidence = proof.evidence
            evidence[index] = Hash(digesting: .treeNode, [UInt8(index)])
            let bad = ForkProof(proof.first, proof.second, forkPoint: proof.forkPoint, evidence: evidence)
            #expect(!bad.isValid)
            #expect(
                replicaError {
                    _ = try Replica.record(bad, actor: alice.author.actor, wallMilliseconds: 1, in: &two)
                } == .invalidForkProof
            )
        }
        let short = ForkProof(proof.first, proof.second, evidence: Array(proof.evidence.dropLast()))
        #expect(!short.isValid)
        let long = ForkProof(proof.first, proof.second, evidence: proof.evidence + [.zero])
        #expect(!long.isValid)
        let unsigned = SignedTreeHead(head: proof.first.head, signature: bob.sign(proof.first.headBytes))
        #expect(!ForkProof(unsigned, proof.second, evidence: proof.evidence).isValid)
    }

    @Test func `is never claimed of an honest log`() throws {
        var replica = try emptyReplica()
        var heads: [SignedTreeHead] = []
        for index in 0..<20 {
            heads += try replica.commit([.note("r\(index)", [:])], by: alice).heads
        }
        for head in heads {
            #expect(try Replica.compare(head, key: alice.log(), in: replica) == nil)
        }
    }

    @Test func `is waited for by nobody`() throws {
        let (one, two) = try histories(2, 1)
        // Bob has seen one history and writes on top of it; the target holds the other.
        var writer = one
        try writer.commit([.note("l1", ["x": "bob"])], by: bob)
        var target = two
        try target.receive(try #require(try writer.run(bob.log())))
        #expect(try target.log(bob.log())?.appliedSize == 0)
        let head = try #require(try two.head(alice.log(), atOrBelow: 3)).signed
        let proof = try #require(try Replica.compare(head, key: alice.log(), in: one))
        let applied = try Replica.record(proof, actor: alice.author.actor, wallMilliseconds: 1, in: &target)
        #expect(applied?.changed.map(\.name) == ["l1"])
        #expect(try target.value("x", of: "l1") == .string("bob"))
    }
}
