import Records
import Sync
import Wire

/// Group commit: the waiting jobs of a process become one transaction, with one sync of the disk.
final class ProcessCommits {
    /// One unit of work inside a group commit.
    private struct Job {
        /// The outcome of a job whose changes are in the group's transaction.
        struct Success {
            var notice: CommitNotice
            /// Completes the job with its value; called once when the group is durable.
            var complete: () throws -> Void
        }

        /// Runs inside a savepoint: when it throws, its changes are undone and the other jobs of
        /// the group stand.
        var body: (NodeProcess, inout MemoryStore) throws -> Success
        /// Called once when the job or its group has failed.
        var failed: (any Error) throws -> Void
    }

    /// A transaction that has run and is being written to the disk.
    private struct Group {
        var jobs: [Job]
        var results: [Result<Job.Success, any Error>]
        var transaction: DecidedTransaction
    }

    private unowned let process: NodeProcess
    private var backlog = CommitBacklog<Job>()
    private(set) var isCommitting = false

    init(_ process: NodeProcess) { self.process = process }

    private var node: SimulatedNode { process.node }
    private var simulation: Simulation { process.simulation }

    /// The number of jobs that wait for a transaction.
    var waitingCount: Int { backlog.count }

    /// Whether a job waits that does not wait for another one.
    var isDue: Bool { backlog.isDue }

    /// Whether a job is to be refused.
    var isFull: Bool { backlog.isFull }

    /// Adds a job, whose completion is called once when it is durable or has failed.
    func enqueue(
        _ body: @escaping (NodeProcess, inout MemoryStore) throws -> CommitNotice,
        completion: @escaping (Result<CommitNotice, any Error>) throws -> Void = { _ in }
    ) {
        let job = Job { process, transaction in
            let notice = try body(process, &transaction)
            return Job.Success(notice: notice) { try completion(.success(notice)) }
        } failed: {
            try completion(.failure($0))
        }
        enqueue(job, isPatient: false)
    }

    /// Adds a job that has a reply.
    func enqueue<Reply>(
        isPatient: Bool = false,
        _ body: @escaping (NodeProcess, inout MemoryStore) throws -> Changed<Reply>,
        completion: @escaping (Result<Changed<Reply>, any Error>) throws -> Void
    ) {
        let job = Job { process, transaction in
            let changed = try body(process, &transaction)
            return Job.Success(notice: changed.notice) { try completion(.success(changed)) }
        } failed: {
            try completion(.failure($0))
        }
        enqueue(job, isPatient: isPatient)
    }

    /// Runs the job in an event of its own, with others that wait by then.
    private func enqueue(_ job: Job, isPatient: Bool) {
        switch backlog.add(job, isPatient: isPatient) {
        case .refused: assertionFailure("no history has as many jobs as a backlog takes")
        case .joined: break
        case .due: commitSoon()
        case .timed:
            simulation.schedule(after: CommitBacklog<Job>.patienceMilliseconds, for: node) { node in
                guard let commits = node.process?.commits, commits.backlog.patienceEnded() else { return }
                commits.commitSoon()
            }
        }
    }

    private func commitSoon() {
        guard !isCommitting else { return }
        isCommitting = true
        simulation.schedule(after: node.random.number(0...1), for: node) { try $0.process?.commits.commitNext() }
    }

    /// Commits the waiting jobs before the process ends in order.
    func finishWaiting() throws {
        backlog.hurry()
        // The event that finishes a group on its way to the disk no longer comes: its jobs remain
        // unanswered.
        while let group = try nextGroup() { try finish(group) }
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
            try process.commits.finish(group)
            try process.commits.commitNext()
        }
    }

    /// Runs the next transaction that can be written; the jobs of one that cannot are answered.
    private func nextGroup() throws -> Group? {
        while let jobs = backlog.next() {
            do {
                let group = try run(jobs)
                try node.disk.write(group.transaction.after)
                return group
            } catch let error as StorageError {
                try failed(jobs, error)
            }
        }
        return nil
    }

    private func run(_ jobs: [Job]) throws -> Group {
        let transaction = DecidedTransaction(on: node, by: process, try node.disk.read())
        var group = Group(jobs: jobs, results: [], transaction: transaction)
        group.results.reserveCapacity(jobs.count)
        for job in jobs {
            let savepoint = group.transaction.after
            do {
                let success = try job.body(process, &group.transaction.after)
                group.results.append(.success(success))
                group.transaction.notices.append(success.notice)
                if !success.notice.authorities.isEmpty {
                    group.transaction.between += [savepoint, group.transaction.after]
                }
            } catch {
                group.transaction.after = savepoint
                group.results.append(.failure(error))
                continue
            }
            if let notice = group.transaction.notices.last {
                try MemoryLaw(node, in: group.transaction.after).check(notice)
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
        process.upkeep.storeChanged()
        simulation.trace.note(.commit, at: simulation.now, node: node.index, UInt64(group.jobs.count))
        for notice in group.transaction.notices {
            for zone in notice.zones { simulation.trace.mix(zone.snapshot.state.bytes) }
        }
        try simulation.judge.committed(group.transaction, on: node, in: simulation)
        for (job, result) in zip(group.jobs, group.results) {
            switch result {
            case .success(let success):
                try process.announce(success.notice)
                try success.complete()
            case .failure(let error): try job.failed(error)
            }
        }
    }

    private func failed(_ jobs: [Job], _ error: StorageError) throws {
        simulation.statistics.failedCommits += 1
        simulation.trace.note(.commitFailed, at: simulation.now, node: node.index, UInt64(jobs.count))
        guard !backlog.retries(jobs, after: error) else { return }
        for job in jobs { try job.failed(error) }
    }
}
