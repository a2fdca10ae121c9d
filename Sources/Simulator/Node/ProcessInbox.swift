import Sync

/// The work of a process on messages: they are entered when the feed reports them, and answered.
final class ProcessInbox {
    private unowned let process: NodeProcess
    /// Whether a job about messages waits for the disk.
    private var isBusy = false

    init(_ process: NodeProcess) { self.process = process }

    /// Does one part of the pending work on messages, as long as there is any.
    func settle() throws {
        guard process.simulation.options.hasMessages, !isBusy, let store = process.node.store else { return }
        let committer = process.committer()
        if try Inbox(committer).hasUnseen(in: store) {
            takeMessages()
        } else if let zone = try Prekeys(committer).zonesLacking(in: store).first {
            // Before the answers: a sender that learns that a message cannot be opened must know
            // the key that can.
            enqueue { try Prekeys($0).state(zone, in: &$1) }
        } else if let zone = try Inbox(committer).zonesOwingAnswers(in: store).first {
            enqueue { try Inbox($0).writeAnswers(zone, in: &$1) }
        } else if try Inbox(committer).hasExpired(in: store) {
            enqueue { try Inbox($0).dropExpired(in: &$1) }
        } else if try Prekeys(committer).hasToDrop(in: store) {
            enqueue { try Prekeys($0).drop(in: &$1) }
        } else if try Payloads(committer).hasToDrop(in: store) {
            enqueue { try Payloads($0).drop(in: &$1) }
        }
    }

    private func takeMessages() {
        var hasWants = false
        enqueue { committer, transaction in
            let intake = try Inbox(committer).take(in: &transaction)
            hasWants = intake.hasWants
            return intake.notice
        } whenDone: { [unowned self] in
            process.storeWork.messagesEntered(hasWants: hasWants)
        }
    }

    private func enqueue(
        _ body: @escaping (Committer, inout MemoryStore) throws -> CommitNotice,
        whenDone: @escaping () -> Void = {}
    ) {
        isBusy = true
        process.commits.enqueue { process, transaction in
            try body(process.committer(), &transaction)
        } completion: { [unowned self] result in
            isBusy = false
            whenDone()
            // Failed work is repeated with the next messages, or the next round of maintenance.
            if case .success(let notice) = result, notice.number != nil { try settle() }
        }
    }
}
