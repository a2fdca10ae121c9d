import Identity
import Peering
import Records
import Sync
import Wire

// Group commit: the waiting jobs become one transaction, with one sync of the disk.
extension NodeProcess {
    /// Jobs that may wait; more are refused.
    private static let waitingCountMax = 65_536
    /// Jobs taken into one transaction.
    private static let groupCountMax = 2_048
    /// Time between two rounds of maintenance, in milliseconds.
    private static let maintenanceMilliseconds: UInt64 = 60_000

    /// A transaction that has run and is being written to the disk.
    struct Group {
        var jobs: [CommitJob]
        var results: [Result<CommitJob.Success, any Error>]
        var transaction: DecidedTransaction
    }

    var isQueueFull: Bool { waiting.count >= Self.waitingCountMax }

    /// Adds a job; it runs in an event of its own.
    func enqueue(_ job: CommitJob) {
        waiting.append(job)
        guard !isCommitting else { return }
        isCommitting = true
        simulation.schedule(after: node.random.number(0...1), for: node) { try $0.process?.commitNext() }
    }

    /// Runs a transaction, and lets the disk write it for a while.
    private func commitNext() throws {
        guard let group = try nextGroup() else {
            isCommitting = false
            return
        }
        let delay = node.random.number(1...max(simulation.options.commitMilliseconds, 1))
        simulation.schedule(after: delay, for: node) { node in
            guard let process = node.process else { return }
            try process.finish(group)
            try process.commitNext()
        }
    }

    /// Runs the next transaction that can be written; the jobs of one that cannot are answered.
    private func nextGroup() throws -> Group? {
        while true {
            let jobs: [CommitJob]
            if !singles.isEmpty {
                jobs = [singles.removeFirst()]
            } else if !waiting.isEmpty {
                jobs = Array(waiting.prefix(Self.groupCountMax))
                waiting.removeFirst(jobs.count)
            } else {
                return nil
            }
            do {
                let group = try run(jobs)
                try node.disk.write(group.transaction.after)
                return group
            } catch let error as StorageError {
                try failed(jobs, error)
            }
        }
    }

    private func run(_ jobs: [CommitJob]) throws -> Group {
        let transaction = DecidedTransaction(on: node, by: self, try node.disk.read())
        var group = Group(jobs: jobs, results: [], transaction: transaction)
        group.results.reserveCapacity(jobs.count)
        for job in jobs {
            let savepoint = group.transaction.after
            do {
                let success = try job.body(self, &group.transaction.after)
                group.results.append(.success(success))
                group.transaction.notices.append(success.notice)
                if !success.notice.authorities.isEmpty {
                    group.transaction.between += [savepoint, group.transaction.after]
                }
            } catch {
                group.transaction.after = savepoint
                group.results.append(.failure(error))
            }
        }
        return group
    }

    /// Syncs the disk after it has written a group, and answers the jobs.
    private func finish(_ group: Group) throws {
        do {
            try node.disk.sync()
        } catch let error as StorageError {
            try failed(group.jobs, error)
            return
        }
        simulation.statistics.commits += 1
        mayNeedCheckpoint = true
        simulation.trace.note(.commit, at: simulation.now, node: node.index, UInt64(group.jobs.count))
        for notice in group.transaction.notices {
            for zone in notice.zones { simulation.trace.mix(zone.snapshot.state.bytes) }
        }
        try simulation.judge.committed(group.transaction, on: node, in: simulation)
        for (job, result) in zip(group.jobs, group.results) {
            switch result {
            case .success(let success):
                try announce(success.notice)
                try success.complete()
            case .failure(let error): try job.failed(error)
            }
        }
    }

    private func failed(_ jobs: [CommitJob], _ error: StorageError) throws {
        simulation.statistics.failedCommits += 1
        simulation.trace.note(.commitFailed, at: simulation.now, node: node.index, UInt64(jobs.count))
        if jobs.count > 1, error.code == .inputOutput {
            // One job may have made the transaction fail, and the others with it: each has its own transaction now.
            singles += jobs
            return
        }
        for job in jobs { try job.failed(error) }
    }

    /// Commits the waiting jobs before the process ends in order.
    func finishCommits() throws {
        // The event that finishes a group on its way to the disk no longer comes: its jobs remain unanswered.
        while let group = try nextGroup() { try finish(group) }
    }

    /// Reports the changes of a job, in the order of the commits.
    func announce(_ notice: CommitNotice) throws {
        if let renewed = notice.renewed { incarnation = renewed }
        try writeSentinel(notice)
        if notice.renewed != nil {
            simulation.trace.mix(incarnation.bytes)
            core.sync.incarnationChanged(incarnation)
        }
        try step { core, turn in
            if let changes = notice.peers { core.committed(changes, in: &turn) }
        }
        if notice.zones.contains(where: \.snapshot.genesis.isInternal) { readMailRelays() }
        try feedMail(.changed)
        if notice.hasRecordChanges { try settleInbox() }
    }

    private func writeSentinel(_ notice: CommitNotice) throws {
        guard let number = notice.number, number >= sentinelNumber else { return }
        let lifetime = notice.renewed ?? incarnation
        let sentinel = Sentinel(
            incarnation: lifetime,
            commitNumber: number,
            machine: node.disk.machineName
        )
        do {
            try node.disk.write(sentinel.encoded, to: .sentinel, at: simulation.now)
            sentinelNumber = number
        } catch is StorageError {
            // It may lag behind the store.
        }
    }

    // MARK: Maintenance

    func scheduleMaintenance() {
        simulation.schedule(after: Self.maintenanceMilliseconds, for: node) { node in
            try node.process?.maintain()
            node.process?.scheduleMaintenance()
        }
    }

    private func maintain() throws {
        if isUnsettled {
            isUnsettled = false
            enqueueCuts()
        }
        try settleInbox()
        if core.book.awaitsLogs { readBook() }
        // Without a change only time can make a checkpoint due, and only after a day.
        maintenanceCount += 1
        guard let store = node.store, mayNeedCheckpoint || maintenanceCount.isMultiple(of: 15) else { return }
        mayNeedCheckpoint = false
        let committer = committer()
        for zone in try store.zones() where committer.isCurrent(zone) && zone.state == .live {
            // Most rounds find nothing to do, and a transaction that changes nothing costs the disk nothing.
            var trial = store
            guard try ZoneUpkeep(committer).maintain(zone.id, in: &trial).number != nil else { continue }
            enqueue(
                CommitJob { process, transaction in
                    try ZoneUpkeep(process.committer()).maintain(zone.id, in: &transaction)
                }
            )
        }
        for zone in try store.zones() { try settleCheckpoints(zone.id, CheckpointRound()) }
        for zone in try store.zones() { try prune(zone.id, after: nil) }
    }

    /// The number of zones that one transaction handles: so few that others commit in between.
    private static let ruledZoneCount = 1

    /// Cuts the logs of all zones where the accounts' logs require it by now, some zones a transaction.
    func enqueueCuts() {
        var zones: [ZoneID] = []
        enqueue(
            CommitJob { process, transaction in
                zones = try AccountUpkeep(process.committer()).zonesToRule(in: &transaction)
                return CommitNotice()
            } completion: { [unowned self] result in
                switch result {
                case .success: rule(zones[...])
                case .failure: isUnsettled = true
                }
            }
        )
    }

    private func rule(_ zones: ArraySlice<ZoneID>) {
        guard !zones.isEmpty else { return }
        let now = Array(zones.prefix(Self.ruledZoneCount))
        enqueue(
            CommitJob { process, transaction in
                try AccountUpkeep(process.committer()).applyCuts(to: now, in: &transaction)
            } completion: { [unowned self] result in
                if case .failure = result { isUnsettled = true }
                rule(zones.dropFirst(now.count))
            }
        )
    }
}
