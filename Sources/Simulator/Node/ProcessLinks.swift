import Sync

/// The work of a process on linked files: it looks at all folders when it begins, with each round of maintenance, and when a file changes.
final class ProcessLinks {
    private unowned let process: NodeProcess
    private var keeper = LinkKeeper(roots: [MemoryLinkedFiles.root])
    /// Whether findings wait for the disk.
    private var isBusy = false

    init(_ process: NodeProcess) { self.process = process }

    /// Looks at everything.
    func look() throws {
        keeper.lookAtEverything()
        try work()
    }

    /// Takes a notice of the system that something in a folder has changed.
    func notice(_ folder: LinkKeeper.Folder) throws {
        keeper.lookAt(folder)
        try work()
    }

    private func work() throws {
        while !isBusy, let store = process.node.store, let effect = keeper.next() {
            switch effect {
            case .list(let folder):
                let links = try store.assetLinks(root: folder.root, beginning: folder.beginning, limit: .max)
                keeper.listed(folder, Self.entries(of: folder, store.linkedFiles), links: links)
            case .compare(let comparison):
                let hasContent = try Links(process.committer()).has(
                    comparison.place,
                    comparison.facts,
                    of: comparison.link.payload,
                    at: 0..<(comparison.isWhole ? .max : 1),
                    in: store
                )
                keeper.compared(comparison, hasContent: hasContent)
            case .note(let notes): note(notes)
            }
        }
    }

    private static func entries(
        of folder: LinkKeeper.Folder,
        _ files: any LinkedFiles
    ) -> Result<[LinkedEntry], LinkFault> {
        do throws(LinkFault) {
            return .success(try files.entries(root: folder.root, folder: folder.path))
        } catch {
            return .failure(error)
        }
    }

    private func note(_ notes: [LinkKeeper.Note]) {
        isBusy = true
        process.commits.enqueue { process, transaction in
            var notice = CommitNotice()
            for note in notes {
                notice.merge(
                    try Links(process.committer()).note(note.finding, about: note.link, in: &transaction)
                )
            }
            return notice
        } completion: { [unowned self] _ in
            isBusy = false
            // Findings that were not written are found again by the next round of maintenance.
            try work()
        }
    }
}
