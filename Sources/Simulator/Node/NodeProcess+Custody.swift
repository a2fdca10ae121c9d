import Sync
import Wire

// Custody: what relays are asked to keep, and what a node keeps as one.
extension NodeProcess {
    /// Tells the core what is to be said to relays.
    func lookForCustody() {
        guard mayOweCustody, simulation.options.hasMessages else { return }
        mayOweCustody = false
        let limit = core.limits.custodyJobCountMax
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            do {
                let jobs = try process.committer().custodyJobs(limit: limit, in: node.disk.read())
                try process.feed(.custodyDue(jobs))
            } catch is StorageError {
                // The next message looks again, as in production.
            }
        }
    }

    /// Has the store decide about what a peer leaves here, and answers.
    func decideCustody(
        _ request: CustodyRequest,
        session: SessionID,
        _ decide: @escaping (Committer, DeviceID, inout MemoryStore) throws -> CommitNotice
    ) {
        guard let device = links[session]?.device else { return }
        let job = CommitJob { process, transaction in
            try decide(process.committer(), device, &transaction)
        } completion: { [unowned self] result in
            if case .success(let notice) = result {
                try feed(.custodyDecided(session, request, notice.custody))
                (mayWantPayloads, mayOweCustody) = (true, true)
            } else {
                try feed(.custodyDecided(session, request, .full))
            }
        }
        enqueue(job)
    }

    /// Remembers what a relay has said.
    func note(_ answer: CustodyAnswer, by relay: DeviceID) {
        let job = CommitJob { process, transaction in
            try process.committer().note(answer, by: relay, in: &transaction)
        } completion: { [unowned self] _ in
            mayOweCustody = true
        }
        enqueue(job)
    }
}
