import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `Replicas with several histories of a log` {
    func history(seed: UInt64) throws -> ForkedHistory {
        var history = try ForkedHistory(seed: seed, copyCount: 2 + Int(seed % 2), otherCount: 1 + Int(seed % 3))
        for _ in 0..<history.number(0...30) { try history.step() }
        history.copy()
        for _ in 0..<history.number(5...50) { try history.step() }
        return history
    }

    @Test(arguments: 0..<200)
    func `hold and show the same in the end, and have lost no value that was not replaced`(seed: UInt64) throws {
        var history = try history(seed: seed)
        #expect(try history.settle(), "seed \(seed) does not settle")
        let first = history.replicas[0]
        let digest = try ZonePositions(of: TestZone.id).digest(in: first)
        for replica in history.replicas {
            #expect(try ZonePositions(of: TestZone.id).digest(in: replica) == digest, "seed \(seed)")
            let records = replica.allRecords(zone: TestZone.id).filter { !$0.isDeleted }
            #expect(records == first.allRecords(zone: TestZone.id).filter { !$0.isDeleted }, "seed \(seed)")
        }
        let lost = history.written.subtracting(history.replaced).subtracting(try history.values(0))
        #expect(lost.isEmpty, "seed \(seed) lost \(lost)")
        // At most each operation once for each copy of it.
        let held = try history.replicas.map { try $0.log(history.forked)?.size ?? 0 }.reduce(0, +)
        #expect(history.restatedCount <= held, "seed \(seed)")
        // And never again.
        for index in history.replicas.indices {
            let before = try Trace(history.replicas[index])
            try history.restate(index)
            #expect(try Trace(history.replicas[index]) == before, "seed \(seed)")
        }
    }

    @Test(arguments: 300..<360)
    func `come to the same whatever order they learn of the proofs in`(seed: UInt64) throws {
        var history = try history(seed: seed)
        var proofs: [ForkProof] = []
        for one in history.replicas {
            for other in history.replicas {
                guard let run = try RunServing(history.forked).skeleton(in: one) else { continue }
                var other = other
                guard case .forked(let proof) = try? other.receive(run) else { continue }
                proofs.append(proof)
            }
        }
        let start = history.replicas[0]
        var ends: Set<UInt64?> = []
        var shown: [[RecordRow]] = []
        for _ in 0..<6 {
            var replica = start
            for proof in proofs.shuffled(using: &history.random) {
                _ = try proof.record(actor: history.forked.actor, wallMilliseconds: 1, in: &replica)
            }
            ends.insert(try replica.log(history.forked)?.forkProof?.forkPoint)
            shown.append(replica.allRecords(zone: TestZone.id).filter { !$0.isDeleted })
        }
        #expect(ends == [proofs.map(\.forkPoint).min()], "seed \(seed)")
        #expect(shown.allSatisfy { $0 == shown[0] }, "seed \(seed)")
    }

    @Test(arguments: 500..<600)
    func `hold and show the same in the end where checkpoints cover some of it`(seed: UInt64) throws {
        var history = try ForkedHistory(seed: seed, copyCount: 2, otherCount: 1 + Int(seed % 3))
        for _ in 0..<history.number(0...20) { try history.step() }
        history.copy()
        for _ in 0..<history.number(5...50) {
            try history.step()
            if history.flip(12) { try history.cover() }
        }
        #expect(try history.settle(roundCount: 20), "seed \(seed) does not settle")
        let first = history.replicas[0]
        let shown = first.allRecords(zone: TestZone.id).filter { !$0.isDeleted }
        for var replica in history.replicas {
            #expect(
                try ZonePositions(of: TestZone.id).digest(in: replica)
                    == ZonePositions(of: TestZone.id).digest(in: first),
                "seed \(seed)"
            )
            #expect(replica.allRecords(zone: TestZone.id).filter { !$0.isDeleted } == shown, "seed \(seed)")
            #expect(try replica.endsAtHeads(), "seed \(seed)")
            while case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) {}
            #expect(replica.allRecords(zone: TestZone.id).filter { !$0.isDeleted } == shown, "seed \(seed)")
        }
    }

    @Test(arguments: 600..<800)
    func `pass on all that they show to a replica that is new`(seed: UInt64) throws {
        var history = try ForkedHistory(seed: seed, copyCount: 2, otherCount: 1 + Int(seed % 3))
        for _ in 0..<history.number(0...20) { try history.step() }
        history.copy()
        for _ in 0..<history.number(5...50) {
            try history.step()
            if history.flip(12) { try history.cover(isAlwaysOne: true) }
        }
        // The replica with the history that a checkpoint covers may be gone.
        if history.flip(2) { history.lose() }
        _ = try history.settle(roundCount: history.number(0...2))
        try history.join()
        #expect(try history.settle(roundCount: 20), "seed \(seed) does not settle")
        let first = history.replicas[0]
        let shown = first.allRecords(zone: TestZone.id).filter { !$0.isDeleted }
        for replica in history.replicas {
            #expect(
                try ZonePositions(of: TestZone.id).digest(in: replica)
                    == ZonePositions(of: TestZone.id).digest(in: first),
                "seed \(seed)"
            )
            #expect(replica.allRecords(zone: TestZone.id).filter { !$0.isDeleted } == shown, "seed \(seed)")
            #expect(try replica.endsAtHeads(), "seed \(seed)")
        }
    }

    @Test(arguments: 400..<460)
    func `have counted every increment once`(seed: UInt64) throws {
        var history = try ForkedHistory(seed: seed, copyCount: 2, otherCount: 1 + Int(seed % 3))
        for _ in 0..<history.number(0...30) { try history.countingStep() }
        history.copy()
        for _ in 0..<history.number(5...50) { try history.countingStep() }
        #expect(try history.settle(), "seed \(seed) does not settle")
        for replica in history.replicas {
            for (name, sum) in history.sums {
                guard case .counter(let state) = try replica.value("count", of: name) else {
                    Issue.record("seed \(seed): no counter in \(name)")
                    continue
                }
                #expect(state.value == sum, "seed \(seed) \(name)")
            }
        }
    }

    /// The histories above would prove little if no log forked in them, nothing was restated, or nothing conflicted.
    @Test func `meet forks, several ends of one log, and values that only restating keeps`() throws {
        var forks = 0
        var restated: UInt64 = 0
        var onlyRestated = 0
        for seed in UInt64(0)..<40 {
            var history = try history(seed: seed)
            guard try history.settle() else { continue }
            guard try history.replicas[0].log(history.forked)?.isForked == true else { continue }
            forks += 1
            restated += history.restatedCount
            let end = try history.replicas[0].log(history.forked)?.forkProof?.forkPoint ?? 0
            for row in history.replicas[0].allRecords(zone: TestZone.id) where !row.isDeleted {
                for entry in try row.content().fields.flatMap(\.entries) where entry.dot.actor == history.forked.actor {
                    if entry.dot.counter > end { onlyRestated += 1 }
                }
            }
        }
        #expect(forks > 20)
        #expect(restated > 50)
        #expect(onlyRestated > 20)
    }
}

extension MemoryReplica {
    /// Whether every log has a signed head at its end, under which it can be served as a whole.
    fileprivate func endsAtHeads() throws -> Bool {
        try logs(zone: TestZone.id).allSatisfy { row in
            try row.size == 0 || head(row.key, atOrBelow: row.size)?.size == row.size
        }
    }
}
