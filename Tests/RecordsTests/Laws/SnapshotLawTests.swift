import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

/// Results computed for checkpoints in a snapshot equal those of the store in which they take effect.
@Suite struct `The laws of snapshots` {
    /// The results computed from a snapshot.
    private struct Outcome {
        let stamp: CheckpointStamp
        let before: ZoneRow
        let due: Checkpoint?
        let adoption: Adoption
        let after: ZoneRow
    }

    private func outcome(_ index: Int, _ history: RandomHistory) throws -> Outcome {
        let snapshot = history.replicas[index]
        let held = try history.replicas.map { replica in
            try Dictionary(uniqueKeysWithValues: replica.logs(zone: TestZone.id).map { ($0.key, $0.size) })
        }
        let devices = history.authors.map(\.author.device)
        let (adoption, after) = try Checkpoints(of: TestZone.id).adoption(in: snapshot)
        let due = try Checkpoints(of: TestZone.id).due(
            acknowledged: Dictionary(uniqueKeysWithValues: zip(devices, held)),
            activeDevices: Set(devices),
            ownDevice: devices[index],
            nowMilliseconds: 10_000_000_000,
            lastMilliseconds: 0,
            in: snapshot
        )
        return Outcome(
            stamp: try CheckpointStamp(zone: TestZone.id, in: snapshot),
            before: try #require(try snapshot.zone(TestZone.id)),
            due: due,
            adoption: adoption,
            after: after
        )
    }

    /// Expects that the results of a snapshot equal those of the present store, so far as the store looks at nothing
    /// else.
    private func expectSame(_ outcome: Outcome, _ replica: MemoryReplica, _ seed: UInt64) throws {
        if let due = outcome.due {
            let previous = outcome.before.adopted?.dataSizes ?? VersionVector()
            let live = try LiveSet(zone: TestZone.id, sizes: due.dataSizes, previous: previous, in: replica)
            #expect(live.root == due.liveRoot && live.count == due.liveCount, "seed \(seed)")
            for position in due.logs {
                let key = LogKey(zone: TestZone.id, actor: position.actor, lane: position.lane)
                let row = try #require(try replica.log(key))
                #expect(try StoredLog(row).root(at: position.size, in: replica) == position.root, "seed \(seed)")
            }
        }
        switch outcome.adoption {
        case .none, .completed: break
        case .adopted(let candidate), .mismatch(let candidate):
            // Others that reach further may have become adoptable; only this one is asked for.
            var alone = replica
            var row = outcome.before
            row.candidates = [candidate]
            try alone.save(row)
            #expect(try Checkpoints(of: TestZone.id).adoption(in: alone).adoption == outcome.adoption, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<60) func `an outcome holds as long as its stamp does`(seed: UInt64) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 3)
        var outcomes: [Outcome?] = [nil, nil, nil]
        var (applied, refused, adopted) = (0, 0, 0)
        for _ in 0..<200 {
            for _ in 0..<history.number(1...4) { try history.step() }
            if history.flip(6) { try history.settle() }
            let index = history.number(0...2)
            guard let outcome = outcomes[index] else {
                outcomes[index] = try self.outcome(index, history)
                continue
            }
            outcomes[index] = nil
            guard try outcome.stamp.stands(in: history.replicas[index]) else {
                refused += 1
                continue
            }
            applied += 1
            try expectSame(outcome, history.replicas[index], seed)
            if outcome.adoption != .none {
                adopted += 1
                try history.replicas[index].save(outcome.after)
            } else if let due = outcome.due {
                try history.replicas[index].commit(
                    .checkpoint(due),
                    by: history.authors[index],
                    at: history.wall[index]
                )
            }
        }
        #expect(applied > 0 && refused > 0 && adopted > 0, "seed \(seed)")
        try history.settle()
        for index in history.replicas.indices {
            while try Checkpoints(of: TestZone.id).adopt(in: &history.replicas[index]) != .none {}
            #expect(try history.replicas[index].visible() == history.replicas[0].visible(), "seed \(seed)")
        }
    }
}
