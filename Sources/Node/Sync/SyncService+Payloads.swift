import Logging
import Records
import Sync
import Wire

// Payloads: the wanted, the kept and the present ones of the store.
extension SyncService {
    /// Tells the core which payloads are wanted, as many as it has room for.
    func lookForPayloads(in group: inout DiscardingTaskGroup) {
        guard mayWantPayloads, core.payloadRoom > 0 else { return }
        mayWantPayloads = false
        let (known, room) = (core.wantedPayloads, core.payloadRoom)
        group.addTask { [dependencies, mailbox] in
            do {
                let wants = try await dependencies.storage.read { transaction in
                    try Payloads(dependencies.replica.committer).wants(except: known, limit: room, in: transaction)
                }
                for want in wants { mailbox.put(.input(.payloadWanted(want))) }
            } catch {
                // The next message that wants one, or the next start, looks again.
                dependencies.logger.error("wanted payloads could not be read", metadata: ["error": "\(error)"])
            }
        }
    }

    func keep(
        _ payload: PayloadID,
        _ position: UInt64?,
        session: SessionID,
        _ keep: @escaping @Sendable (Committer, inout any NodeTransaction) throws -> Changed<PayloadOutcome>
    ) {
        let accepted = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try keep($0, &$2) }
        } completion: { [replica = dependencies.replica, mailbox] result in
            replica.announce(result)
            let outcome = PayloadOutcome(result.map(\.reply))
            mailbox.put(.input(.payloadKept(session, payload, position: position, outcome)))
            // There is room for another one.
            if outcome == .complete || outcome == .unwanted { mailbox.put(.payloadsMayBeDue) }
        }
        if !accepted { mailbox.put(.input(.payloadKept(session, payload, position: position, .storageFailed))) }
    }

    func readPayload(_ request: PayloadRequest, session: SessionID, in group: inout DiscardingTaskGroup) {
        group.addTask { [dependencies, mailbox] in
            do {
                let answer = try await dependencies.storage.read { transaction in
                    try Payloads(dependencies.replica.committer).answer(request, in: transaction)
                }
                mailbox.put(.input(.payloadRead(session, request, answer)))
            } catch {
                dependencies.logger.error("payload could not be read", metadata: ["error": "\(error)"])
                mailbox.put(.input(.payloadRead(session, request, .none)))
            }
        }
    }
}
