import KairanInterface
import Identity
import Records
import Sync
import Wire

/// Answers requests about other devices, and about the operations that they or this one lack.
struct PeerRequests: PeerAPI {
    let store: CallerStore
    let sync: SyncService

    func list(pinging: Bool) async throws(NodeError) -> [PeerStatus] {
        await sync.freshPeerStatuses(silence: pinging ? 0 : SyncLimits.presenceMilliseconds)
    }

    func pending(zone reference: String?) async throws(NodeError) -> PendingReport {
        let facts = await sync.pendingFacts()
        return try await store.read { transaction in
            let zones =
                try reference.map { [try store.zones.row(of: $0, in: transaction)] }
                ?? store.zones.live(in: transaction)
            let reading = try PendingReading(
                facts,
                store.committer,
                isRemoved: store.identity.isRemoved,
                in: transaction
            )
            var report = PendingReport(entries: [], heldBack: [])
            for zone in zones {
                report.entries += try reading.entries(of: zone, in: transaction)
                report.heldBack += try reading.heldBack(in: zone, transaction)
            }
            return report
        }
    }
}
