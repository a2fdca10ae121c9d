import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

/// Pruning the operations that a checkpoint covers is invisible to readers.
@Suite struct `The laws of pruning` {
    /// Makes a due checkpoint on the first replica, where all have acknowledged everything.
    private func checkpoint(_ history: inout RandomHistory) throws -> Checkpoint? {
        let logs = try history.replicas[0].logs(zone: TestZone.id).filter { $0.key.lane == .data }
        let held = Dictionary(uniqueKeysWithValues: logs.map { ($0.key, $0.size) })
        let devices = history.authors.map(\.author.device)
        let due = try Checkpoints(of: TestZone.id).due(
            acknowledged: Dictionary(uniqueKeysWithValues: devices.map { ($0, held) }),
            activeDevices: Set(devices),
            ownDevice: devices[0],
            nowMilliseconds: 10_000_000_000,
            lastMilliseconds: 0,
            in: history.replicas[0]
        )
        guard let due else { return nil }
        try history.replicas[0].commit(.checkpoint(due), by: history.authors[0], at: history.wall[0])
        return due
    }

    /// Returns rows without the names of their operations: of these, tombstones beside an edit are pruned.
    private static func seen(_ rows: [RecordRow]) -> [RecordRow] {
        rows.map { row in
            var row = row
            row.live = []
            return row
        }
    }

    /// Adopts every checkpoint that can be adopted; returns the number of pruned operations.
    private func adopt(_ replica: inout MemoryReplica) throws -> UInt64 {
        var count: UInt64 = 0
        while case .adopted(_, let dropped) = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &replica) {
            count += UInt64(dropped)
        }
        return count
    }

    /// Takes over everything, in as many rounds as the operations that wait for one another need.
    private func pull(_ target: inout MemoryReplica, from source: MemoryReplica) throws {
        for _ in 0..<20 {
            do {
                try target.pull(from: source)
                _ = try adopt(&target)
            } catch ReplicaError.missingSuccessor, ReplicaError.missingCheckpoint {
                // The operations that must come first are taken from the logs behind.
                for row in try source.logs(zone: TestZone.id).reversed() {
                    let size = try target.log(row.key)?.size ?? 0
                    guard let run = try source.run(row.key, from: size) else { continue }
                    do { try target.receive(run) } catch is ReplicaError { continue }
                }
            }
        }
    }

    @Test(arguments: 0..<60) func `neither the digest nor a record changes, for dropping and for joining replicas`(
        seed: UInt64
    ) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 3)
        var dropped: UInt64 = 0
        for round in 0..<3 {
            for _ in 0..<30 { try history.step() }
            try history.settle()
            guard try checkpoint(&history) != nil else { continue }
            try history.settle()
            for index in history.replicas.indices {
                let records = history.replicas[index].allRecords(zone: TestZone.id)
                let shown = Self.seen(records.filter { !$0.isDeleted })
                let digest = try ZonePositions(of: TestZone.id).digest(in: history.replicas[index])
                let sizes = try Dictionary(
                    uniqueKeysWithValues: history.replicas[index].logs(zone: TestZone.id).map { ($0.key, $0.size) }
                )
                let before = try NaiveReplica(history.replicas[index]).records
                dropped += try adopt(&history.replicas[index])
                let replica = history.replicas[index]
                // A settled tombstone is pruned; nothing else is, and nothing comes.
                let left = replica.allRecords(zone: TestZone.id)
                #expect(Self.seen(left.filter { !$0.isDeleted }) == shown, "seed \(seed), round \(round)")
                #expect(Self.seen(left).allSatisfy(Self.seen(records).contains), "seed \(seed), round \(round)")
                #expect(
                    try ZonePositions(of: TestZone.id).digest(in: replica) == digest,
                    "seed \(seed), round \(round)"
                )
                #expect(try NaiveReplica(replica).records == before, "seed \(seed), round \(round)")
                let after = try replica.logs(zone: TestZone.id)
                #expect(after.allSatisfy { sizes[$0.key] == $0.size }, "seed \(seed), round \(round)")
            }
        }
        #expect(dropped > 0, "seed \(seed) drops nothing")
        var fresh = try emptyReplica()
        try pull(&fresh, from: history.replicas[1])
        #expect(try fresh.visible() == history.replicas[1].visible(), "seed \(seed)")
        let digest = try ZonePositions(of: TestZone.id).digest(in: history.replicas[1])
        #expect(try ZonePositions(of: TestZone.id).digest(in: fresh) == digest, "seed \(seed)")
    }

    @Test(arguments: 200..<260) func `steps between writes, and restarted passes, change no effective state`(
        seed: UInt64
    ) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 3)
        for _ in 0..<2 {
            for _ in 0..<30 { try history.step() }
            try history.settle()
            guard try checkpoint(&history) != nil else { continue }
            try history.settle()
        }
        for index in history.replicas.indices {
            while try Checkpoints(of: TestZone.id).adopt(in: &history.replicas[index]) != .none {}
        }
        var last: [PruningStep?] = [nil, nil, nil]
        for _ in 0..<60 {
            try history.step()
            let index = history.number(0...2)
            let before = history.replicas[index]
            // A crash: the progress of the pass is forgotten.
            if history.flip(8) { last[index] = nil }
            let limit = history.number(1...3)
            let step = try Pruning(of: TestZone.id).step(after: last[index], limit: limit, in: before)
            // A step that was found in a snapshot is taken in a store that has changed since.
            if history.flip(3) { try history.commit(index) }
            let changed = history.replicas[index]
            guard let step, try step.prune(in: &history.replicas[index]) != nil else { continue }
            last[index] = step.isLast ? nil : step
            try expectSame(changed, history.replicas[index], seed)
        }
        for _ in 0..<3 {
            for to in 0..<3 {
                for from in 0..<3 where from != to {
                    let source = history.replicas[from]
                    try pull(&history.replicas[to], from: source)
                }
            }
        }
        let first = try history.replicas[0].visible()
        for index in history.replicas.indices {
            try Pruning(of: TestZone.id).pruneAll(limit: 1, in: &history.replicas[index])
            #expect(try history.replicas[index].visible() == first, "seed \(seed)")
            #expect(try NaiveReplica(history.replicas[index]).records == first, "seed \(seed)")
        }
    }

    /// Expects that a step has changed no log, no reader's view, and not the live set at the adopted checkpoint.
    private func expectSame(_ before: MemoryReplica, _ after: MemoryReplica, _ seed: UInt64) throws {
        #expect(try before.visible() == after.visible(), "seed \(seed)")
        #expect(try before.logs(zone: TestZone.id) == after.logs(zone: TestZone.id), "seed \(seed)")
        let digest = try ZonePositions(of: TestZone.id).digest(in: before)
        #expect(try ZonePositions(of: TestZone.id).digest(in: after) == digest, "seed \(seed)")
        #expect(try before.zone(TestZone.id) == after.zone(TestZone.id), "seed \(seed)")
        for row in try after.logs(zone: TestZone.id) where row.size > 0 {
            let leaves = try after.items(row.key, from: 0, to: row.size).reduce(UInt64(0)) { $0 + $1.leafCount }
            #expect(leaves == row.size, "seed \(seed)")
        }
        let adopted = try #require(try after.zone(TestZone.id)?.adopted)
        var previous = VersionVector()
        if !adopted.previous.isZero {
            let held = try HeldControl.all(zone: TestZone.id, in: after)
            for case .checkpoint(let checkpoint) in held.map(\.body) where checkpoint.hash == adopted.previous {
                previous = checkpoint.dataSizes
            }
            #expect(!previous.isEmpty, "seed \(seed)")
        }
        let live = try LiveSet(zone: TestZone.id, sizes: adopted.dataSizes, previous: previous, in: after)
        #expect(live.root == adopted.liveRoot, "seed \(seed)")
    }

    @Test(arguments: 100..<130) func `replicas that were disconnected for long continue to write, and all converge`(
        seed: UInt64
    ) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 3)
        for _ in 0..<40 { try history.step() }
        try history.settle()
        guard try checkpoint(&history) != nil else { return }
        // The first has pruned operations that the others still hold, and all write before they meet.
        _ = try adopt(&history.replicas[0])
        for index in 0..<3 {
            for _ in 0..<3 { try history.commit(index) }
        }
        for _ in 0..<3 {
            for to in 0..<3 {
                for from in 0..<3 where from != to {
                    let source = history.replicas[from]
                    try pull(&history.replicas[to], from: source)
                }
            }
        }
        let first = try history.replicas[0].visible()
        for replica in history.replicas {
            #expect(try replica.visible() == first, "seed \(seed)")
            #expect(try replica.visible() == NaiveReplica(replica).records, "seed \(seed)")
        }
    }
}
