import Sync
import Wire

/// What the synchronisation service knows of why something is not there yet.
struct PendingFacts: Sendable {
    /// The devices that it knows, by id.
    var peers: [DeviceID: PeerStatus] = [:]
    /// Operations that connected devices say to hold and that are not here.
    var missing: [ZoneID: [DeviceID: UInt64]] = [:]
    /// What went wrong last.
    var failures: [SyncFailure.Key: SyncFailure] = [:]
}

extension SyncService {
    /// What is known at this moment.
    func pendingFacts() -> PendingFacts {
        var facts = PendingFacts(missing: core.missing, failures: activities.failures)
        for peer in peerStatuses() { facts.peers[peer.device] = peer }
        return facts
    }
}
