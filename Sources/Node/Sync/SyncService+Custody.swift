import Logging
import Sync
import Wire

// Custody: the requests to relays to keep operations, and the operations that this device keeps as one.
extension SyncService {
    /// Passes the core the requests that are due to relays.
    func lookForCustody(in group: inout DiscardingTaskGroup) {
        guard mayOweCustody else { return }
        mayOweCustody = false
        let limit = core.limits.custodyJobCountMax
        group.addTask { [dependencies, mailbox] in
            do {
                let jobs = try await dependencies.storage.read { transaction in
                    try Custody(dependencies.replica.committer).jobs(limit: limit, in: transaction)
                }
                mailbox.put(.input(.custodyDue(jobs)))
            } catch {
                // The next message, or the next round of maintenance, looks again.
                dependencies.logger.error("jobs for relays could not be read", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Lets the store decide about a peer's deposit, and answers.
    func decideCustody(
        _ request: CustodyRequest,
        session: SessionID,
        _ decide:
            @escaping @Sendable (Committer, DeviceID, inout any NodeTransaction) throws -> Changed<
                CustodyAnswer.Outcome?
            >
    ) {
        guard let device = links[session]?.device else { return }
        let accepted = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try decide($0, device, &$2) }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            switch result {
            case .success(let decision):
                mailbox.put(.input(.custodyDecided(session, request, decision.reply)))
                // It may have to be fetched.
                mailbox.put(.payloadsMayBeDue)
            case .failure(let error):
                logger.warning("a payload cannot be kept for another device", metadata: ["error": "\(error)"])
                mailbox.put(.input(.custodyDecided(session, request, .full)))
            }
        }
        if !accepted { mailbox.put(.input(.custodyDecided(session, request, .full))) }
    }

    /// Notes a relay's answer.
    func note(_ answer: CustodyAnswer, by relay: DeviceID) {
        // An answer that cannot be noted now is sent again by the relay in the next session.
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try Custody($0).note(answer, by: relay, in: &$2) }
        } completion: { [replica = dependencies.replica, mailbox] result in
            replica.announce(result)
            mailbox.put(.payloadsMayBeDue)
        }
    }
}
