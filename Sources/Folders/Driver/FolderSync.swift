import FileRecords
package import KairanClient
import KairanInterface

/// Keeps a folder in step with a zone, until its task is cancelled or something stands in the way.
package struct FolderSync: Sendable {
    /// Something that the loop has to deal with.
    enum Input: Sendable {
        case zone(ZoneFeed.News)
        case watch(FolderWatch.Event)
        /// Folders were read, by these rules; the time is that at which the reading began.
        case read([FolderListing], IgnoreRules, at: Int64, isWhole: Bool)
        case done(FolderDecision, FolderOutcome)
        /// A time has come.
        case tick
        case failed(any Error)
    }

    private let client: DaemonClient
    private let zone: String
    private let options: FolderOptions

    /// Describes the work.
    /// - Parameters:
    ///   - client: Asks the daemon.
    ///   - zone: The id of the zone.
    ///   - options: The folder, and the way in which it is kept in step.
    package init(client: DaemonClient, zone: String, options: FolderOptions) {
        (self.client, self.zone, self.options) = (client, zone, options)
    }

    /// Keeps the folder in step.
    /// - Parameter tell: Takes the reports, in order; an error ends the work.
    /// - Returns: The outcome of a run that ends when both sides are in step.
    /// - Throws: ``FolderError``, `KairanError` where waiting does not help, `CancellationError`, the errors of the closure.
    package func run(_ tell: (FolderReport) throws -> Void) async throws -> FolderSummary {
        let (options, zone, client) = (options, zone, client)
        let (inputs, sender) = AsyncStream<Input>.makeStream()
        let prepared = try PreparedFolder(options, zone: zone)
        // The lock lasts as long as the work.
        defer { withExtendedLifetime(prepared.lock) {} }
        let effects = FolderEffects(client: client, zone: zone, root: prepared.root, marker: prepared.marker)
        // A folder that is looked at once needs no watch.
        let watch =
            options.isOnce || options.isDryRun
            ? nil : try prepared.root.usable { _ throws(FileFault) in try FolderWatch { sender.yield(.watch($0)) } }
        let reader = FolderReader(root: prepared.root, watch: watch)
        var loop = FolderLoop(prepared, options, watch: watch)
        return try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            group.addTask {
                await ZoneFeed(client: client, zone: zone).run { sender.yield(.zone($0)) }
            }
            // The first thing to do is to read the folder.
            sender.yield(.tick)
            for await input in inputs {
                try loop.take(input, zone: zone)
                for job in try loop.jobs(tell) {
                    group.addTask { await Self.perform(job, effects, reader) { sender.yield($0) } }
                }
                if let summary = try loop.summary(tell) { return summary }
            }
            throw CancellationError()
        }
    }

    private static func perform(
        _ job: FolderLoop.Job,
        _ effects: FolderEffects,
        _ reader: FolderReader,
        _ send: @Sendable (Input) -> Void
    ) async {
        do {
            switch job {
            case .decision(let decision): send(.done(decision, try await effects.perform(decision)))
            case .read(let reading): send(try await reader.perform(reading))
            case .wait(let milliseconds):
                try await Task.sleep(for: .milliseconds(milliseconds))
                send(.tick)
            }
        } catch {
            send(.failed(error))
        }
    }
}
