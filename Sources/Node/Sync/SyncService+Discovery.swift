import Peering
import Sync

// Announcements and sightings through mDNS. A sighting is an address to dial, never a fact about a device or account.
extension SyncService {
    func discovered(_ event: DiscoveryEvent) {
        switch event {
        case .sighted(let sighting):
            guard sighting.instanceName != instance.name else { return }
            step { $0.sighted(sighting, in: &$1) }
        case .withdrawn(let name, let interface):
            core.withdrawn(name, interfaceName: interface)
            board.lookForTroubles(core, health: dependencies.commitService.health)
        case .interfaces(let interfaces):
            // A link has come up: a device that was out of reach may be behind it.
            if discoveryBoard.hasGained(interfaces) { core.networkChanged() }
        case .available: discoveryBoard.isAvailable()
        case .unavailable(let reason): discoveryBoard.isUnavailable(because: reason)
        }
    }

    /// Publishes again when the hour, the account or the port has changed.
    func advertise() {
        guard let discovery, let port = transport?.listeningPort else { return }
        let wall = dependencies.clock.wall()
        let advertisement = ServiceAdvertisement(
            instanceName: instance.name,
            port: port,
            nonce: instance.nonce,
            tag: dependencies.identity.discoveryTag(nonce: instance.nonce, at: wall),
            zoneTags: core.rendezvous.tags(nonce: instance.nonce, at: wall)
        )
        if instance.hasChanged(to: advertisement) { discovery.advertise(advertisement) }
    }
}
