import Logging
import Sync
import Synchronization
import Wire

/// Reports assets whose state has changed to watchers.
final class AssetReporter: Sendable {
    /// The most zones to whose watchers one asset is reported.
    private static let zoneCountMax = 1_000

    /// An asset, with the zones whose records name it.
    private struct Report: Sendable {
        let asset: PayloadID
        let zones: [ZoneID]
        let state: AssetState
    }

    private let storage: any StoragePort
    private let commitService: CommitService
    private let prospects: @Sendable (Set<PayloadID>) async -> [PayloadID: PayloadProspect]
    private let news = Mutex(AssetNews())
    private let wakes: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation

    /// Makes a reporter.
    /// - Parameters:
    ///   - storage: The store.
    ///   - commitService: The work on it, with the watchers.
    ///   - prospects: Asks the core for the prospects of wanted payloads.
    init(
        storage: any StoragePort,
        commitService: CommitService,
        prospects: @escaping @Sendable (Set<PayloadID>) async -> [PayloadID: PayloadProspect]
    ) {
        self.storage = storage
        self.commitService = commitService
        self.prospects = prospects
        (wakes, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Notes assets whose state a durable commit has changed.
    func changed(_ assets: Set<PayloadID>) {
        guard commitService.hub.subscriberCount > 0 else { return news.withLock { $0.clear() } }
        news.withLock { $0.note(assets) }
        wakeContinuation.yield()
    }

    /// Reports until its task is cancelled.
    func run() async {
        for await _ in wakes {
            while !Task.isCancelled {
                let now = commitService.clock.monotonic()
                let (due, next) = news.withLock { news in
                    let due = news.take(at: now)
                    return (due, news.nextDue)
                }
                if !due.isEmpty { await report(due) }
                guard let next else { break }
                do {
                    try await Task.sleep(for: .milliseconds(Int64(clamping: max(next, now + 1) - now)))
                } catch {
                    return
                }
            }
        }
    }

    private func report(_ assets: [PayloadID]) async {
        do {
            let reports = try await storage.read { [commitService] transaction in
                try assets.map { asset in
                    let row = try transaction.payload(asset)
                    return Report(
                        asset: asset,
                        zones: try transaction.assetZones(of: asset, limit: Self.zoneCountMax),
                        state: try Assets(commitService.committer).state(of: row, in: transaction)
                    )
                }
            }
            let wanted = Set(reports.filter(\.state.awaitsSessions).map(\.asset))
            let prospects = wanted.isEmpty ? [:] : await self.prospects(wanted)
            for report in reports {
                let state = report.state.awaitsSessions ? report.state.with(prospects[report.asset]) : report.state
                for zone in report.zones.sorted() {
                    commitService.hub.publish(
                        .asset(
                            AssetEvent(
                                zone: zone,
                                asset: report.asset,
                                state: state.word,
                                percent: report.state.shownPercent
                            )
                        )
                    )
                }
            }
        } catch {
            // The trouble of the store shows at the next commit; a watcher reads the state of an asset at any time.
            commitService.logger.debug("assets cannot be reported now", metadata: ["error": "\(error)"])
        }
    }
}
