import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

/// Forgetting what a checkpoint covers is seen by nobody.
@Suite struct `The laws of pruning` {
    /// Makes a due checkpoint on the first replica, all having acknowledged what all hold.
    private func checkpoint(_ history: inout RandomHistory) throws -> Checkpoint? {
        let logs = try history.replicas[0].logs(zone: TestZone.id).filter { $0.key.lane == .data }
        let held = Dictionary(uniqueKeysWithValues: logs.map { ($0.key, $0.size) })
        let devices = history.authors.map(\.author.device)
        let due = try Replica.dueCheckpoint(
            zone: TestZone.id,
            acknowledged: Dictionary(uniqueKeysWithValues: devices.map { ($0, held) }),
            activeDevices: Set(devices),
            ownDevice: devices[0],
            nowMilliseconds: 10_000_000_000,
            lastMilliseconds: 0,
            in: history.replicas[0]
        )
        guard let due else { return nil }
        try Replica.commitControl(
            .checkpoint(due),
            zone: TestZone.id,
            author: history.authors[0].author,
            wallMilliseconds: history.wall[0],
            sign: history.authors[0].sign,
            in: &history.replicas[0]
        )
        return due
    }

    /// Rows without the names of their operations: of these, tombstones beside an edit go.
    private static func seen(_ rows: [RecordRow]) -> [RecordRow] {
        rows.map { row in
            var row = row
            row.live = []
            return row
        }
    }

    /// Adopts all that can be adopted; counts what is dropped.
    private func adopt(_ replica: inout MemoryReplica) throws -> UInt64 {
        var count: UInt64 = 0
        while case .adopted(_, let dropped) = try Replica.adoptCheckpoint(zone: TestZone.id, in: &replica) {
            count += UInt64(dropped)
        }
        return count
    }

    /// Takes over everything, in as many rounds as what waits for one another needs.
    private func pull(_ target: inout MemoryReplica, from source: MemoryReplica) throws {
        for _ in 0..<20 {
            do {
                try target.pull(from: source)
                _ = try adopt(&target)
            } catch ReplicaError.missingSuccessor, ReplicaError.missingCheckpoint {
                // What must come first is taken from the logs behind it.
                for row in try source.logs(zone: TestZone.id).reversed() {
                    let size = try target.log(row.key)?.size ?? 0
                    guard let run = try source.run(row.key, from: size) else { continue }
                    do { try target.receive(run) } catch is ReplicaError { continue }
                }
            }
        }
    }

    @Test(arguments: 0..<60) func `neither the digest nor a record changes, for whoever drops and for whoever joins`(
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
                let digest = try Replica.digest(zone: TestZone.id, in: history.replicas[index])
                let sizes = try Dictionary(
                    uniqueKeysWithValues: history.replicas[index].logs(zone: TestZone.id).map { ($0.key, $0.size) }
                )
                let before = try NaiveReplica(history.replicas[index]).records
                dropped += try adopt(&history.replicas[index])
                let replica = history.replicas[index]
                // A settled tombstone goes; nothing else does, and nothing comes.
                let left = replica.allRecords(zone: TestZone.id)
                #expect(Self.seen(left.filter { !$0.isDeleted }) == shown, "seed \(seed), round \(round)")
                #expect(Self.seen(left).allSatisfy(Self.seen(records).contains), "seed \(seed), round \(round)")
                #expect(try Replica.digest(zone: TestZone.id, in: replica) == digest, "seed \(seed), round \(round)")
                #expect(try NaiveReplica(replica).records == before, "seed \(seed), round \(round)")
                let after = try replica.logs(zone: TestZone.id)
                #expect(after.allSatisfy { sizes[$0.key] == $0.size }, "seed \(seed), round \(round)")
            }
        }
        #expect(dropped > 0, "seed \(seed) drops nothing")
        var fresh = try emptyReplica()
        try pull(&fresh, from: history.replicas[1])
        #expect(try fresh.visible() == history.replicas[1].visible(), "seed \(seed)")
        let digest = try Replica.digest(zone: TestZone.id, in: history.replicas[1])
        #expect(try Replica.digest(zone: TestZone.id, in: fresh) == digest, "seed \(seed)")
    }

    @Test(arguments: 100..<130) func `whoever was cut off for long writes on, and all become the same`(
        seed: UInt64
    ) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 3)
        for _ in 0..<40 { try history.step() }
        try history.settle()
        guard try checkpoint(&history) != nil else { return }
        // The first has dropped what the others still hold, and all write before they meet.
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
