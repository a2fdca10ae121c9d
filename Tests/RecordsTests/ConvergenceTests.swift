import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

@Suite struct `Replicas that exchange runs` {
    @Test(arguments: 0..<120)
    func `show the same records once they hold the same logs`(seed: UInt64) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 3 + Int(seed % 3))
        for _ in 0..<70 {
            try history.step()
        }
        try history.settle()
        let first = history.replicas[0]
        let digest = try ZonePositions(of: TestZone.id).digest(in: first)
        for other in history.replicas.dropFirst() {
            #expect(try ZonePositions(of: TestZone.id).digest(in: other) == digest, "seed \(seed)")
            for log in try other.logs(zone: TestZone.id) {
                #expect(log.appliedSize == log.size, "seed \(seed)")
            }
            #expect(other.allRecords(zone: TestZone.id) == first.allRecords(zone: TestZone.id), "seed \(seed)")
        }
        #expect(try first.visible() == NaiveReplica(first).records, "seed \(seed)")
    }

    @Test(arguments: 500..<540)
    func `show at every moment the result of a naive merge of the applied operations`(seed: UInt64) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 3)
        for _ in 0..<60 {
            try history.step()
        }
        for replica in history.replicas {
            let waits = try replica.logs(zone: TestZone.id).contains { $0.appliedSize < $0.size }
            // The model has no notion of waiting.
            if !waits { #expect(try replica.visible() == NaiveReplica(replica).records, "seed \(seed)") }
        }
    }

    /// The histories above would prove little if nothing ever waited, conflicted or was deleted in them.
    @Test func `meet waiting operations, conflicts and deleted records in random histories`() throws {
        var waiting = 0
        var conflicts = 0
        var deleted = 0
        for seed in 0..<UInt64(20) {
            var history = try RandomHistory(seed: seed, replicaCount: 4)
            for _ in 0..<70 {
                try history.step()
                for replica in history.replicas {
                    waiting += try replica.logs(zone: TestZone.id).count { $0.appliedSize < $0.size }
                }
            }
            try history.settle()
            let rows = history.replicas[0].allRecords(zone: TestZone.id)
            deleted += rows.count(where: \.isDeleted)
            conflicts += try rows.count { try !$0.content().conflictFields.isEmpty }
        }
        #expect(waiting > 20)
        #expect(conflicts > 10)
        #expect(deleted > 2)
    }
}
