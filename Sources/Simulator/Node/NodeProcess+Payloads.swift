import Sync
import Wire

// Payloads: those that the store wants, keeps and has.
extension NodeProcess {
    /// Passes wanted payloads to the core, as many as it has room for.
    func lookForPayloads() {
        guard mayWantPayloads, simulation.options.hasMessages, core.payloadRoom > 0 else { return }
        mayWantPayloads = false
        let (known, room) = (core.wantedPayloads, core.payloadRoom)
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            do {
                let store = try node.disk.read()
                for want in try Payloads(process.committer()).wants(except: known, limit: room, in: store) {
                    try process.feed(.payloadWanted(want))
                }
            } catch is StorageError {
                // The next message that wants one, or the next start, looks again, as in production.
            }
        }
    }

    func keep(
        _ payload: PayloadID,
        _ position: UInt64?,
        session: SessionID,
        _ keep: @escaping (Committer, inout MemoryStore) throws -> Changed<PayloadOutcome>
    ) {
        let sender = links[session]?.device
        let job = CommitJob { process, transaction in
            try keep(process.committer(), &transaction)
        } completion: { [unowned self] result in
            let outcome = PayloadOutcome(result.map(\.reply))
            if outcome == .mismatch, let sender { try simulation.judge.mistrusts(sender, on: node, in: simulation) }
            try feed(.payloadKept(session, payload, position: position, outcome))
            guard outcome == .complete || outcome == .unwanted else { return }
            // There is room for another one, and further messages may be ready for delivery now.
            mayWantPayloads = true
            try settleInbox()
        }
        enqueue(job)
    }

    func readPayload(_ request: PayloadRequest, session: SessionID) {
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            var answer = PayloadAnswer.none
            do {
                answer = try Payloads(process.committer()).answer(request, in: node.disk.read())
            } catch is StorageError {
                // Reported as missing, as in production; the peer asks again.
            }
            if let misdeed = node.misdeed { answer = answer.after(misdeed, to: request, &node.random) }
            try process.feed(.payloadRead(session, request, answer))
        }
    }
}
