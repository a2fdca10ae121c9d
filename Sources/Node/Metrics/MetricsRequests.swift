import CoreMetrics
import Sync

/// Answers requests for metrics.
struct MetricsRequests: MetricsAPI {
    /// Messages that are counted at most.
    private static let inboxCountMax = 1_000
    /// Wanted payloads that are looked at, at most.
    private static let wantedCountMax = 10_000

    let store: CallerStore
    let sync: SyncService
    let relaying: any RelayAPI
    let relay: RelayService?

    private var measures: NodeMetrics { store.commitService.measures }

    func text() async throws(NodeError) -> String {
        await readStore()
        measures.warnings.set(store.commitService.health.shown.filter { !$0.isAcknowledged })
        measures.state.set([store.commitService.daemonState: 1])
        measures.peersConnected.set(await sync.connectedCount)
        measures.commits.waiting.set(store.commits.waitingCount)
        await relay?.measure()
        return measures.port.text()
    }

    /// Sets the gauges that are read from the store; they stay as they were where the store does not answer.
    private func readStore() async {
        do {
            let relays = try await relaying.relays()
            measures.relays.set(Dictionary(grouping: relays, by: \.state).mapValues(\.count))
            measures.parcelsWaiting.set(relays.reduce(0) { $0 + Int(clamping: $1.waitingCount) })
            let (summary, waiting, assets) = try await store.read { transaction in
                let waiting = try transaction.waitingMessages(after: 0, limit: Self.inboxCountMax).count
                return (try ZoneReading(store.committer).summary(transaction), waiting, try Self.assets(transaction))
            }
            measures.zones.set(summary.zones)
            measures.operationsPending.set(Double(summary.pending))
            measures.inboxMessages.set(waiting)
            measures.assets.set(assets.count)
            measures.assetsHeld.set(Double(assets.held))
            measures.assetsWanted.set(Double(assets.wanted))
            measures.storeReadable.set(1)
        } catch {
            // The log has the cause; the reader of metrics is to see the failure.
            measures.storeReadable.set(0)
        }
    }

    private static func assets(
        _ transaction: any NodeTransaction
    ) throws -> (count: Int, held: UInt64, wanted: UInt64) {
        let totals = try transaction.assetTotals()
        let wanted = try transaction.wantedPayloads(limit: wantedCountMax).filter(\.isAsset)
        return (totals.count, totals.heldByteCount, wanted.reduce(0) { $0 + $1.byteCount })
    }
}
