import Sync

/// The work of a process on the assets that records name: new references are looked at, and content that no record names is dropped.
final class ProcessAssets {
    private unowned let process: NodeProcess
    /// Whether a round waits for the disk.
    private var isBusy = false

    init(_ process: NodeProcess) { self.process = process }

    /// Does rounds as long as something is due.
    func settle() throws {
        guard process.simulation.options.hasAssets, !isBusy, let store = process.node.store,
            try Assets(process.committer()).isDue(in: store)
        else { return }
        isBusy = true
        process.commits.enqueue { process, transaction in
            try Assets(process.committer()).round(in: &transaction).notice
        } completion: { [unowned self] result in
            isBusy = false
            // Failed work is repeated with the next commit, or the next round of maintenance.
            if case .success = result { try settle() }
        }
    }
}
