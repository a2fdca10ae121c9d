import Records
import Sync
import Wire

// The live set under a checkpoint, as sent to a device that was away for long, and received by one.
extension NodeProcess {
    func readLiveSet(_ request: LiveSetRequest, session: SessionID) {
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            var page = LiveSetPage(nothingOf: request.zone)
            do {
                page = try request.page(in: node.disk.read())
            } catch is StorageError {
                // Reported as missing, as in production; the peer asks again.
            }
            if node.misdeed == .falseLiveSets { page = page.withholding(&node.random) }
            try process.feed(.liveSetRead(session, page))
        }
    }

    func takeLiveSet(_ page: LiveSetPage, comparison: LiveSetComparison, session: SessionID) {
        let job = CommitJob { process, transaction in
            try process.committer().take(page, comparison: comparison, in: &transaction)
        } completion: { [unowned self] result in
            try feed(.liveSetTaken(session, page.zone, LiveSetOutcome(result.map(\.reply))))
        }
        enqueue(job)
    }
}
