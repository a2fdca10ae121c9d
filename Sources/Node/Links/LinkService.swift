import Logging
import Sync
import Synchronization
import Wire

/// Keeps the knowledge of linked files in step with the files: it lists folders when the system reports a change, and all of them at the
/// start and each hour.
package final class LinkService: Sendable {
    private struct State {
        var keeper: LinkKeeper
        /// The minutes since all folders were listed.
        var minutes = 0
    }

    /// The time between a notice and the listing, in which a move is complete and a program has written on.
    private static let pause = Duration.seconds(2)
    /// The time after a failure until the work is tried again.
    private static let retryPause = Duration.seconds(5)
    /// The minutes between two listings of all folders.
    private static let minutesMax = 60
    /// Chunks that are compared in one transaction.
    private static let comparedCount: UInt64 = 16
    /// The warning that is raised while a root with linked files is not there.
    static let unavailableCode = "links.root_unavailable"
    /// The note that is raised while not all folders are watched.
    static let unwatchedCode = "links.not_watched"

    private let commits: CommitQueue
    private let storage: any StoragePort
    private let commitService: CommitService
    private let watch: (any LinkWatchPort)?
    private let logger: Logger
    private let roots: [String]
    private let state: Mutex<State>
    private let wakes: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation

    /// Makes a service that lists everything once when it begins to run.
    init(
        commits: CommitQueue,
        storage: any StoragePort,
        commitService: CommitService,
        roots: [String],
        watch: (any LinkWatchPort)?
    ) {
        (self.commits, self.storage, self.commitService) = (commits, storage, commitService)
        (self.roots, self.watch) = (roots, watch)
        logger = commitService.logger
        var keeper = LinkKeeper(roots: roots)
        keeper.lookAtEverything()
        state = Mutex(State(keeper: keeper))
        (wakes, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakeContinuation.yield()
    }

    /// Notes that a minute has passed: a root may be there again, and each hour everything is listed.
    func minutePassed() {
        guard !roots.isEmpty else { return }
        let isDue = state.withLock { state in
            state.minutes += 1
            if state.minutes >= Self.minutesMax {
                state.minutes = 0
                state.keeper.lookAtEverything()
                return true
            }
            guard !state.keeper.unavailable.isEmpty else { return false }
            state.keeper.lookForRoots()
            return true
        }
        if isDue { wakeContinuation.yield() }
    }

    private func noticed(_ event: LinkWatchEvent) {
        state.withLock { state in
            switch event {
            case .changed(let folder): state.keeper.lookAt(folder)
            case .overflow: state.keeper.lookAtEverything()
            }
        }
        wakeContinuation.yield()
    }

    /// Works whenever it is woken, until its task is cancelled.
    func run() async {
        watch?.report { [weak self] in self?.noticed($0) }
        var hasLookedAtRoots = false
        for await _ in wakes {
            do {
                if !hasLookedAtRoots { try await noteForeign() }
                hasLookedAtRoots = true
                while let effect = takeEffect(), !Task.isCancelled { try await perform(effect) }
                warn()
                // Changes in this time are looked at together.
                if !roots.isEmpty { try await Task.sleep(for: Self.pause) }
            } catch is CancellationError {
                return
            } catch {
                logger.warning("linked files cannot be looked at now", metadata: ["error": "\(error)"])
                do { try await Task.sleep(for: Self.retryPause) } catch { return }
                wakeContinuation.yield()
            }
        }
    }

    /// Notes that files are missing whose roots are none of this device's any more.
    private func noteForeign() async throws {
        var last: AssetLinkRow?
        while !Task.isCancelled {
            let start = last
            let found = try await storage.read { try $0.assetLinks(after: start, limit: LinkKeeper.noteCountMax) }
            let foreign = found.filter { !roots.contains($0.place.root) && $0.state != .missing }
            if !foreign.isEmpty { try await note(foreign.map { LinkKeeper.Note(finding: .missing, link: $0) }) }
            guard let end = found.last else { return }
            last = end
        }
    }

    private func takeEffect() -> LinkKeeper.Effect? {
        let isBlind = watch?.isIncomplete ?? true
        return state.withLock { state in
            state.keeper.isBlind = isBlind
            return state.keeper.next()
        }
    }

    private func perform(_ effect: LinkKeeper.Effect) async throws {
        switch effect {
        case .list(let folder): try await list(folder)
        case .compare(let comparison):
            let hasContent = try await compare(comparison)
            state.withLock { $0.keeper.compared(comparison, hasContent: hasContent) }
        case .note(let notes): try await note(notes)
        }
    }

    private func list(_ folder: LinkKeeper.Folder) async throws {
        let (entries, links) = try await storage.read { [watch] transaction in
            // Before it is read, so that no change after the reading is missed.
            watch?.watch(folder)
            let entries = LinkReading.outcome { () throws(LinkFault) in
                try transaction.linkedFiles.entries(root: folder.root, folder: folder.path)
            }
            let links = try transaction.assetLinks(root: folder.root, beginning: folder.beginning, limit: .max)
            return (entries, links)
        }
        state.withLock { $0.keeper.listed(folder, entries, links: links) }
    }

    private func compare(_ comparison: LinkKeeper.Comparison) async throws -> Bool {
        let committer = commitService.committer
        let payload = comparison.link.payload
        var position: UInt64 = 0
        repeat {
            let end = position + (comparison.isWhole ? Self.comparedCount : 1)
            let positions = position..<end
            let (hasThem, isOver) = try await storage.read { transaction in
                let hasThem = try Links(committer).has(
                    comparison.place,
                    comparison.facts,
                    of: payload,
                    at: positions,
                    in: transaction
                )
                let row = try transaction.payload(payload)
                return (hasThem, row?.sealedByteCount(at: end) == nil)
            }
            guard hasThem else { return false }
            guard !isOver else { return true }
            position = end
        } while comparison.isWhole && !Task.isCancelled
        try Task.checkCancellation()
        return true
    }

    private func note(_ notes: [LinkKeeper.Note]) async throws {
        _ = try await commits.perform { [commitService] transaction in
            var notice = CommitNotice()
            for note in notes {
                notice.merge(
                    try Links(commitService.committer).note(note.finding, about: note.link, in: &transaction)
                )
            }
            return notice
        } whenDurable: { [commitService] in
            commitService.announce($0)
        }
    }

    private func warn() {
        let unavailable = state.withLock { $0.keeper.unavailable.sorted() }
        commitService.health.set(
            Self.unavailableCode,
            .warning,
            listing: unavailable,
            { "Folders that linked-roots names are not there, or are empty, and files in them are linked: \($0)." },
            fix: "Mount their disks; `kairan asset links` names the files, whose contents other devices may have."
        )
        let isUnwatched = !roots.isEmpty && watch?.isIncomplete ?? true
        commitService.health.set(
            Self.unwatchedCode,
            .info,
            listing: isUnwatched ? ["linked-roots"] : [],
            { "Not all folders beneath the folders of \($0) are watched: their changes are noticed within an hour." },
            fix: "Raise fs.inotify.max_user_watches, or name smaller folders."
        )
    }
}
