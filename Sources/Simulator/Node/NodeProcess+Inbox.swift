import Sync

// Messages are entered when the feed reports them, and answered.
extension NodeProcess {
    /// Does one part of the pending work on messages, as long as there is any.
    func settleInbox() throws {
        guard simulation.options.hasMessages, !isInboxBusy, let store = node.store else { return }
        let committer = committer()
        if try Inbox(committer).hasUnseen(in: store) {
            takeMessages()
        } else if let zone = try Prekeys(committer).zonesLacking(in: store).first {
            // Before the answers: a sender that learns that a message cannot be opened must know the key that can.
            enqueueInbox { try Prekeys($0.committer()).state(zone, in: &$1) }
        } else if let zone = try Inbox(committer).zonesOwingAnswers(in: store).first {
            enqueueInbox { try Inbox($0.committer()).writeAnswers(zone, in: &$1) }
        } else if try Inbox(committer).hasExpired(in: store) {
            enqueueInbox { try Inbox($0.committer()).dropExpired(in: &$1) }
        } else if try Prekeys(committer).hasToDrop(in: store) {
            enqueueInbox { try Prekeys($0.committer()).drop(in: &$1) }
        } else if try Payloads(committer).hasToDrop(in: store) {
            enqueueInbox { try Payloads($0.committer()).drop(in: &$1) }
        }
    }

    private func takeMessages() {
        var hasWants = false
        enqueueInbox { process, transaction in
            let intake = try Inbox(process.committer()).take(in: &transaction)
            hasWants = intake.hasWants
            return intake.notice
        } whenDone: { [unowned self] in
            if hasWants { mayWantPayloads = true }
            mayOweCustody = true
        }
    }

    private func enqueueInbox(
        _ body: @escaping (NodeProcess, inout MemoryStore) throws -> CommitNotice,
        whenDone: @escaping () -> Void = {}
    ) {
        isInboxBusy = true
        enqueue(
            CommitJob(body) { [unowned self] result in
                isInboxBusy = false
                whenDone()
                // Failed work is repeated with the next commit, or the next round of maintenance.
                if case .success(let notice) = result, notice.number != nil { try settleInbox() }
            }
        )
    }
}
