import Peering
import Sync
import Wire

/// The facts of the synchronisation service about operations that are not there yet.
struct PendingFacts: Sendable {
    /// The devices that it knows, by id.
    var peers: [DeviceID: PeerStatus] = [:]
    /// Operations that connected devices claim to hold and that are not here.
    var missing: [ZoneID: [DeviceID: UInt64]] = [:]
    /// The last failures.
    var failures: [SyncFailure.Key: SyncFailure] = [:]
}
