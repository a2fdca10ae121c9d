import Sync

/// The work of a process on messages: they are entered when the feed reports them, and answered.
final class ProcessInbox {
    private unowned let process: NodeProcess
    /// Whether a job about messages waits for the disk.
    private var isBusy = false
    /// The steps that may be due.
    private var scope = InboxRound.Scope.everything

    init(_ process: NodeProcess) { self.process = process }

    /// Does rounds of the pending work on messages, as long as there is any, and looks for some steps of it.
    func settle(_ wanted: InboxRound.Scope) throws {
        if wanted == .everything { scope = .everything }
        guard process.simulation.options.hasMessages, !isBusy, let store = process.node.store else { return }
        let now = scope
        scope = .messages
        guard try InboxRound(process.committer()).isDue(now, in: store) else { return }
        enqueue(now) {
            try InboxRound($0).run(now, in: &$1)
        } whenRefused: { [unowned self] in
            enqueue(now) { try Inbox($0).take(in: &$1) }
            guard let store = process.node.store else { return }
            for step in try InboxRound(process.committer()).steps(now, in: store) {
                process.commits.enqueue { process, transaction in
                    try InboxRound(process.committer()).perform(step, in: &transaction)
                }
            }
        }
    }

    private func enqueue(
        _ scope: InboxRound.Scope,
        _ body: @escaping (Committer, inout MemoryStore) throws -> Inbox.Intake,
        whenRefused: @escaping () throws -> Void = {}
    ) {
        isBusy = true
        var hasWants = false
        process.commits.enqueue { process, transaction in
            let intake = try body(process.committer(), &transaction)
            hasWants = intake.hasWants
            return intake.notice
        } completion: { [unowned self] result in
            isBusy = false
            switch result {
            case .success(let notice):
                process.storeWork.messagesEntered(hasWants: hasWants)
                if notice.number != nil { try settle(scope) }
            // Other failed work is repeated with the next messages, or the next round of maintenance.
            case .failure(let error): if !(error is StorageError) { try whenRefused() }
            }
        }
    }
}
