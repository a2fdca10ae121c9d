import Peering
import Records
import Sync
import Wire

/// The work of a process that a change or the time makes due in its zones: the ends of logs, keys,
/// checkpoints, pruning.
final class ProcessUpkeep {
    /// Time between two rounds of maintenance, in milliseconds.
    private static let maintenanceMilliseconds: UInt64 = 60_000
    /// The number of zones that one transaction rules: so few that others commit in between.
    private static let ruledZoneCount = 1
    /// How long a piece of work on a checkpoint takes, in milliseconds: long enough for others to
    /// commit.
    private static let workMilliseconds: UInt64 = 2_000
    /// The number of operations that one step prunes: so few that a zone takes several steps, and
    /// others commit in between.
    private static let prunedOperationCount = 2

    private unowned let process: NodeProcess
    /// Whether the store has changed since zones were last looked at for checkpoints.
    private var mayNeedCheckpoint = true
    /// The number of rounds of maintenance so far.
    private var roundCount = 0
    /// Whether cuts could not be applied.
    private var isUnsettled = false

    init(_ process: NodeProcess) { self.process = process }

    private var simulation: Simulation { process.simulation }

    /// Begins the rounds of maintenance.
    func begin() {
        simulation.schedule(after: Self.maintenanceMilliseconds, for: process.node) { node in
            try node.process?.upkeep.maintain()
            node.process?.upkeep.begin()
        }
    }

    /// Notes a commit.
    func storeChanged() { mayNeedCheckpoint = true }

    private func maintain() throws {
        if isUnsettled {
            isUnsettled = false
            ruleZones()
        }
        try process.inbox.settle(.everything)
        try process.assets.settle()
        if simulation.options.hasLinks { try process.fileLinks.look() }
        if process.core.book.awaitsLogs { process.storeWork.readBook() }
        // Without a change only time can make a checkpoint due, and only after a day.
        roundCount += 1
        guard let store = process.node.store, mayNeedCheckpoint || roundCount.isMultiple(of: 15) else { return }
        mayNeedCheckpoint = false
        let committer = process.committer()
        for zone in try store.zones() where committer.isCurrent(zone) && zone.state == .live {
            // Most rounds find nothing to do, and a transaction that changes nothing costs the disk
            // nothing.
            var trial = store
            guard try ZoneUpkeep(committer).maintain(zone.id, in: &trial).number != nil else { continue }
            process.commits.enqueue { process, transaction in
                try ZoneUpkeep(process.committer()).maintain(zone.id, in: &transaction)
            }
        }
        for zone in try store.zones() { try settleCheckpoints(zone.id, CheckpointRound()) }
        for zone in try store.zones() { try prune(zone.id, after: nil) }
    }

    // MARK: Rulings

    /// Cuts the logs of all zones where the accounts' logs require it by now, some zones a
    /// transaction.
    func ruleZones() {
        var zones: [ZoneID] = []
        process.commits.enqueue { process, transaction in
            zones = try AccountUpkeep(process.committer()).zonesToRule(in: &transaction)
            return CommitNotice()
        } completion: { [unowned self] result in
            switch result {
            case .success: rule(zones[...])
            case .failure: isUnsettled = true
            }
        }
    }

    private func rule(_ zones: ArraySlice<ZoneID>) {
        guard !zones.isEmpty else { return }
        let now = Array(zones.prefix(Self.ruledZoneCount))
        process.commits.enqueue { process, transaction in
            try AccountUpkeep(process.committer()).applyCuts(to: now, in: &transaction)
        } completion: { [unowned self] result in
            if case .failure = result { isUnsettled = true }
            rule(zones.dropFirst(now.count))
        }
    }

    // MARK: Checkpoints

    /// Makes and adopts the checkpoints of a zone: the outcome is computed now, and applied after
    /// others may have committed.
    private func settleCheckpoints(_ zone: ZoneID, _ round: CheckpointRound) throws {
        guard let store = process.node.store,
            let work = try CheckpointUpkeep(process.committer()).work(on: zone, in: store)
        else { return }
        simulation.schedule(after: Self.workMilliseconds, for: process.node) { node in
            node.process?.upkeep.finish(work, zone, round)
        }
    }

    private func finish(_ work: CheckpointWork, _ zone: ZoneID, _ round: CheckpointRound) {
        var step: (before: MemoryStore, after: MemoryStore)?
        process.commits.enqueue { process, transaction in
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
                    on: process.node,
                    in: simulation
                )
            }
            var round = round
            if round.goesOn(after: done.reply) { try settleCheckpoints(zone, round) }
        }
    }

    /// Prunes everything in a zone that the adopted checkpoint does not keep live, a step at a
    /// time.
    private func prune(_ zone: ZoneID, after last: PruningStep?) throws {
        guard let store = process.node.store else { return }
        var last = last
        repeat {
            last = try CheckpointUpkeep(process.committer())
                .pruningStep(of: zone, after: last, limit: Self.prunedOperationCount, in: store)
        } while last?.isChange == false
        guard let step = last else { return }
        process.commits.enqueue { process, transaction in
            try CheckpointUpkeep(process.committer()).prune(step, in: &transaction)
        } completion: { [unowned self] result in
            // A failed step is repeated in the next round, from the beginning.
            if case .success = result { try prune(zone, after: step) }
        }
    }
}
