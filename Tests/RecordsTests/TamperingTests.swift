import Records
import ReplicaBehaviour
import Sodium
import TestSupport
import Testing
import Wire

@Suite struct `A tampered run` {
    let alice = TestAuthor(1)

    func run() throws -> Run {
        var source = try emptyReplica()
        try source.commit([.note("a", ["x": "1"]), .note("b", ["x": "2"])], isAtomic: true, by: alice)
        try source.commit([.note("a", ["x": "3"])], by: alice)
        return try #require(try source.run(alice.log()))
    }

    func refused(_ run: Run, _ comment: Comment) throws {
        var target = try emptyReplica()
        let before = try Trace(target)
        do {
            let receipt = try target.receive(run)
            if case .misplaced = receipt { return }
            Issue.record(comment)
        } catch let error as ReplicaError {
            if case .damaged = error { Issue.record(comment) }
        }
        #expect(try Trace(target) == before, comment)
    }

    @Test func `is refused whichever bit is flipped`() throws {
        let run = try run()
        let bytes = run.encoded
        #expect(try Run(decoding: bytes) == run)
        // Every byte once, at a bit that depends on its place: some changes do not even decode.
        var decoded = 0
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            guard let run = try? Run(decoding: changed) else { continue }
            decoded += 1
            // The checkpoint's name has no meaning where there is no gap.
            if run.checkpoint != .zero, run.items == (try Run(decoding: bytes)).items { continue }
            try refused(run, "byte \(index)")
        }
        #expect(decoded > bytes.count / 2)
    }

    @Test func `is refused when a field of a header changes`() throws {
        let changes: [(String, (inout OperationHeader) -> Void)] = [
            ("counter", { $0.counter += 1 }),
            ("tag", { $0.tag = .zero }),
            ("vector", { $0.vector[TestAuthor(2).author.actor] = 1 }),
            ("own entry", { $0.vector[TestAuthor(1).author.actor] = 9 }),
            ("creation", { $0.creation = Dot(actor: TestAuthor(2).author.actor, counter: 1) }),
            ("control heads", { $0.controlHeads = Hash(digesting: .controlHeads, [1]) }),
            ("epoch", { $0.epoch = Hash(digesting: .controlHeads, [1]) }),
            ("time", { $0.time = HybridTime(raw: $0.time.raw + 1) }),
            ("batch", { $0.batch = .single }),
            ("body hash", { $0.bodyHash = .zero }),
        ]
        for (name, change) in changes {
            var run = try run()
            guard case .operation(var operation) = run.items[0] else { return }
            change(&operation.header)
            run.items[0] = .operation(operation)
            try refused(run, "\(name)")
        }
    }

    @Test func `is refused when items are swapped, left out, doubled or added`() throws {
        let run = try run()
        var changed = run
        changed.items.swapAt(0, 1)
        try refused(changed, "swapped")
        for index in run.items.indices {
            changed = run
            changed.items.remove(at: index)
            try refused(changed, "left out \(index)")
            changed = run
            changed.items.insert(run.items[index], at: index)
            try refused(changed, "doubled \(index)")
        }
        changed = run
        changed.items.append(run.items[2])
        try refused(changed, "added")
        changed = run
        changed.from = 1
        try refused(changed, "moved")
    }

    @Test func `is refused when a leaf is pruned without a checkpoint`() throws {
        var run = try run()
        guard case .operation(let operation) = run.items[2] else { return }
        run.items[2] = .gap(SubtreeGap(level: 0, index: 2, hash: operation.header.leafHash))
        var target = try emptyReplica()
        // Nobody is blamed: the sender may know a cut below the gap.
        #expect(replicaError { try target.receive(run) } == .missingCheckpoint(alice.log(), .zero))
        #expect(try target.logs(zone: TestZone.id).isEmpty)
        run.checkpoint = Hash(digesting: .checkpointHash, [1])
        #expect(replicaError { try target.receive(run) } == .missingCheckpoint(alice.log(), run.checkpoint))
    }

    @Test func `is refused when another device signs it`() throws {
        let run = try run()
        let mallory = TestAuthor(9)
        let head = run.signedHead.head
        let forged = SignedTreeHead(head, signature: mallory.sign(head.encoded))
        var changed = run
        changed.signedHead = forged
        var target = try emptyReplica()
        #expect(replicaError { try target.receive(changed) } == .invalidRun(alice.log(), .badSignature))
    }

    @Test(arguments: 0..<40)
    func `made of random changes never traps and is never accepted`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = try run().encoded
        for _ in 0..<25 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<changed.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: changed[index] = UInt8.random(in: 0...255, using: &random)
                case 1: changed.remove(at: index)
                default: changed.insert(UInt8.random(in: 0...255, using: &random), at: index)
                }
            }
            guard changed != bytes, let run = try? Run(decoding: changed) else { continue }
            if run.checkpoint != .zero { continue }
            try refused(run, "seed \(seed)")
        }
    }
}
