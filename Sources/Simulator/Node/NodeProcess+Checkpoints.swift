import Records
import Sync
import Wire

// Work on checkpoints: computed from the present store, and applied in a transaction after others may have committed.
extension NodeProcess {
    /// How long a piece of work on a checkpoint takes, in milliseconds: long enough for others to commit.
    private static let workMilliseconds: UInt64 = 2_000

    /// Makes and adopts the checkpoints of a zone: the outcome is computed now, and applied after others may have
    /// committed.
    func settleCheckpoints(_ zone: ZoneID, _ round: CheckpointRound) throws {
        guard let store = node.store, let work = try CheckpointUpkeep(committer()).work(on: zone, in: store) else {
            return
        }
        simulation.schedule(after: Self.workMilliseconds, for: node) { node in
            try node.process?.finish(work, zone, round)
        }
    }

    private func finish(_ work: CheckpointWork, _ zone: ZoneID, _ round: CheckpointRound) throws {
        var step: (before: MemoryStore, after: MemoryStore)?
        enqueue(
            CommitJob { process, transaction in
                let before = transaction
                let done = try CheckpointUpkeep(process.committer()).perform(work, in: &transaction)
                step = (before, transaction)
                return done
            } completion: { [unowned self] result in
                // A failed step is repeated in the next round.
                guard case .success(let done) = result, let step else { return }
                if done.reply != .stale {
                    try simulation.judge.settledCheckpoints(
                        of: zone,
                        made: done.reply.checkpoint,
                        before: step.before,
                        after: step.after,
                        on: node,
                        in: simulation
                    )
                }
                var round = round
                if round.goesOn(after: done.reply) { try settleCheckpoints(zone, round) }
            }
        )
    }

    /// The number of operations that one step prunes: so few that a zone takes several steps, and others commit in
    /// between.
    private static let prunedOperationCount = 2

    /// Prunes everything in a zone that the adopted checkpoint does not keep live, a step at a time.
    func prune(_ zone: ZoneID, after last: PruningStep?) throws {
        guard let store = node.store else { return }
        var last = last
        repeat {
            last = try CheckpointUpkeep(committer())
                .pruningStep(of: zone, after: last, limit: Self.prunedOperationCount, in: store)
        } while last?.isChange == false
        guard let step = last else { return }
        enqueue(
            CommitJob { process, transaction in
                try CheckpointUpkeep(process.committer()).prune(step, in: &transaction)
            } completion: { [unowned self] result in
                // A failed step is repeated in the next round, from the beginning.
                if case .success = result { try prune(zone, after: step) }
            }
        )
    }
}
