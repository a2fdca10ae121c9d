import Sync
import Wire

// Custody: requests to relays, and the payloads that a node keeps as a relay.
extension NodeProcess {
    /// Passes pending requests for relays to the core.
    func lookForCustody() {
        guard mayOweCustody, simulation.options.hasMessages else { return }
        mayOweCustody = false
        let limit = core.limits.custodyJobCountMax
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            do {
                let jobs = try Custody(process.committer()).jobs(limit: limit, in: node.disk.read())
                try process.feed(.custodyDue(jobs))
            } catch is StorageError {
                // The next message looks again, as in production.
            }
        }
    }

    /// Lets the store decide about a request to keep a payload, and answers the peer.
    func decideCustody(
        _ request: CustodyRequest,
        session: SessionID,
        _ decide: @escaping (Committer, DeviceID, inout MemoryStore) throws -> Changed<CustodyAnswer.Outcome?>
    ) {
        guard let device = links[session]?.device else { return }
        let job = CommitJob { process, transaction in
            try decide(process.committer(), device, &transaction)
        } completion: { [unowned self] result in
            if case .success(let decision) = result {
                try feed(.custodyDecided(session, request, decision.reply))
                (mayWantPayloads, mayOweCustody) = (true, true)
            } else {
                try feed(.custodyDecided(session, request, .full))
            }
        }
        enqueue(job)
    }

    /// Notes a relay's answer.
    func note(_ answer: CustodyAnswer, by relay: DeviceID) {
        let job = CommitJob { process, transaction in
            try Custody(process.committer()).note(answer, by: relay, in: &transaction)
        } completion: { [unowned self] _ in
            mayOweCustody = true
        }
        enqueue(job)
    }
}
