import CoreMetrics
import Sync

extension Node {
    /// Messages that are counted at most.
    private static let inboxCountMax = 1_000

    /// See `NodeAPI`.
    package func metrics() async throws(NodeError) -> String {
        await readStore()
        measures.warnings.set(replica.health.shown.filter { !$0.isAcknowledged })
        measures.state.set([state(replica.health.all): 1])
        measures.peersConnected.set(await sync.connectedCount)
        measures.commits.waiting.set(commits.waitingCount)
        await relay?.measure()
        return measures.port.text()
    }

    /// Sets the gauges that are read from the store; they stay as they were where the store does not answer.
    private func readStore() async {
        do {
            let relays = try await relays()
            measures.relays.set(Dictionary(grouping: relays, by: \.state).mapValues(\.count))
            measures.parcelsWaiting.set(relays.reduce(0) { $0 + Int(clamping: $1.waitingCount) })
            let (summary, waiting) = try await reading { [replica] transaction in
                let waiting = try transaction.waitingMessages(after: 0, limit: Self.inboxCountMax).count
                return (try replica.summary(transaction), waiting)
            }
            measures.zones.set(summary.zones)
            measures.operationsPending.set(Double(summary.pending))
            measures.inboxMessages.set(waiting)
            measures.storeReadable.set(1)
        } catch {
            // The log has the cause; the reader of metrics is to see the failure.
            measures.storeReadable.set(0)
        }
    }
}
