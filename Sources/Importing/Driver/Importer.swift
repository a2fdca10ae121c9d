package import FileRecords
package import KairanClient

/// Imports the files of a folder as records of a zone.
///
/// A file whose record has its size and its time is passed over. Nothing is deleted, and an import that was ended at any point is continued
/// by the next one.
package struct Importer: Sendable {
    /// Whether metadata and thumbnails are made.
    package enum MetadataMode: String, Sendable, Hashable, CaseIterable {
        /// As far as the programs for it are installed.
        case auto
        /// All of them, or nothing is imported.
        case require
        /// None.
        case none
    }

    /// The choices of the person.
    package struct Options: Sendable, Hashable {
        /// The folder of the zone that the files go into; `nil` for the zone itself.
        package var into: FilePath?
        /// Whether nothing is imported.
        package var isDryRun = false
        /// Whether metadata and thumbnails are made.
        package var metadata = MetadataMode.auto
        /// The bundles of files that are worked on at the same time, from 1 on.
        package var jobCount = 4
        /// Whether names that begin with a full stop are included.
        package var includesHidden = false
        /// Whether folders on other file systems are included.
        package var crossesFileSystems = false
        /// Whether the files are linked, so that the daemon serves them from where they are, in place of a copy.
        package var links = false

        /// The defaults.
        package init() {}
    }

    /// Something that a person or a program hears of.
    package enum Notice: Sendable, Hashable {
        /// Files are imported without metadata or thumbnails.
        case shortage(ToolShortage)
        /// A file is done.
        case outcome(FileOutcome)
    }

    /// The programs without which nothing is imported are missing.
    package struct ToolsMissing: Error, Sendable, Hashable {
        /// The reason.
        package var shortage: ToolShortage
    }

    private enum Event: Sendable {
        case worked
        case saved([PendingWrite], [BatchOutcome.Outcome])
        case waited
    }

    private let client: DaemonClient
    private let zone: String
    private let folder: String
    private let options: Options

    /// Prepares an import.
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - zone: The zone: its id or unique name.
    ///   - client: Asks the daemon.
    ///   - options: The choices of the person.
    package init(_ folder: String, into zone: String, client: DaemonClient, options: Options) {
        (self.folder, self.zone) = (folder, zone)
        (self.client, self.options) = (client, options)
    }

    /// Imports the files.
    /// - Parameters:
    ///   - tell: Called for each file that is done, and for missing programs; an error of it ends the import.
    ///   - progress: Called again and again, also by several tasks at the same time.
    /// - Returns: The numbers.
    /// - Throws: ``FolderUnreadable``, ``ToolsMissing``, `KairanError`, `CancellationError`; files that are done stay imported.
    package func run(
        tell: (Notice) throws -> Void,
        progress: @escaping @Sendable (FolderProgress) -> Void
    ) async throws -> ImportSummary {
        let folder = try ImportedFolder(folder)
        guard !options.links || folder.path != nil else {
            throw FolderUnreadable(path: self.folder, reason: "its path is not UTF-8")
        }
        let access = try await ZoneAccess(zone, client)
        let media = try await media(tell)
        let choices = FolderWalk.Options(
            into: options.into,
            includesHidden: options.includesHidden,
            crossesFileSystems: options.crossesFileSystems
        )
        let walk = try await Blocking.run { FolderWalk(folder, choices) }
        let core = ImportCore(
            files: walk.files,
            others: walk.others,
            hiddenCount: walk.hiddenCount,
            known: try await access.files(linkedIn: options.links ? folder.path : nil),
            isDryRun: options.isDryRun,
            isLinking: options.links
        )
        let state = ImportState(core, progress: progress)
        let types = try await Blocking.run { MediaTypes.ofSystem() }
        let worker = FileWorker(
            folder: folder,
            zone: access,
            state: state,
            linkedFolder: options.links ? folder.path : nil,
            media: media,
            types: types
        )
        try await work(worker, access, state, tell)
        return state.with { $0.summary }
    }

    private func media(_ tell: (Notice) throws -> Void) async throws -> MediaReader {
        guard options.metadata != .none, !options.isDryRun else { return MediaReader([]) }
        let (reader, shortage) = await MediaReader.find()
        if let shortage {
            guard options.metadata == .auto else { throw ToolsMissing(shortage: shortage) }
            try tell(.shortage(shortage))
        }
        return reader
    }

    private func work(
        _ worker: FileWorker,
        _ access: ZoneAccess,
        _ state: ImportState,
        _ tell: (Notice) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Event.self) { group in
            var (runningCount, isWaiting) = (0, false)
            while true {
                for outcome in state.with({ $0.takeOutcomes() }) { try tell(.outcome(outcome)) }
                while runningCount < max(options.jobCount, 1), let bundle = state.with({ $0.nextBundle() }) {
                    runningCount += 1
                    group.addTask {
                        try await worker.work(on: bundle)
                        return .worked
                    }
                }
                let now = state.now
                if let batch = state.with({ $0.takeBatch(at: now) }) {
                    group.addTask { .saved(batch, try await access.save(batch)) }
                }
                // A worker that still ends may have had a file done since the outcomes were taken.
                guard runningCount > 0 || !state.with({ $0.isDone }) else { break }
                if !isWaiting, state.with({ $0.hasWaitingWrites }) {
                    // All workers may be busy with large files, while small ones wait for their records.
                    isWaiting = true
                    group.addTask {
                        try await Task.sleep(for: .milliseconds(WriteQueue.patienceMilliseconds))
                        return .waited
                    }
                }
                switch try await group.next() {
                case .worked: runningCount -= 1
                case .waited: isWaiting = false
                case .saved(let batch, let results):
                    if let problem = state.with({ $0.saved(batch, results) }) {
                        throw KairanError(.refused, problem: problem)
                    }
                case nil: return
                }
            }
            group.cancelAll()
        }
    }
}

extension Importer.ToolsMissing: CustomStringConvertible {
    /// The reason and the remedy.
    package var description: String { shortage.description }
}
