import Identity
import Peering
import Sync
import Wire

// Announcements and sightings through mDNS. A sighting is an address to dial, never a fact about a device or account.
extension SyncService {
    func discovered(_ event: DiscoveryEvent) {
        switch event {
        case .sighted(let sighting):
            guard sighting.instanceName != instanceName else { return }
            step { $0.sighted(sighting, in: &$1) }
        case .withdrawn(let name, let interface):
            core.withdrawn(name, interfaceName: interface)
            board.lookForTroubles(core, health: dependencies.replica.health)
        case .interfaces(let interfaces):
            // A link has come up: a device that was out of reach may be behind it.
            let former = Set(self.interfaces?.used ?? [])
            if !former.isSuperset(of: interfaces.used) { core.networkChanged() }
            self.interfaces = interfaces
            let warnings = interfaces.warnings
            for code in DiscoveryInterfaces.warningCodes where !warnings.contains(where: { $0.code == code }) {
                dependencies.replica.health.clear(code)
            }
            for warning in warnings { dependencies.replica.health.set(warning) }
        case .available:
            guard hadDiscovery != true else { return }
            hadDiscovery = true
            dependencies.replica.health.clear("mdns.unavailable")
        case .unavailable(let reason):
            guard hadDiscovery != false else { return }
            hadDiscovery = false
            dependencies.replica.health.set(
                HealthWarning(
                    code: "mdns.unavailable",
                    severity: .warning,
                    message:
                        "Avahi does not answer: \(reason). Peers are reached by configured and last known addresses.",
                    fix: "Start avahi-daemon and D-Bus, or configure peers."
                )
            )
        }
    }

    /// Publishes again when the hour, the account or the port has changed.
    func advertise() {
        guard let discovery, let port = transport?.listeningPort else { return }
        let nonce = Array(boot.prefix(DiscoveryTag.nonceByteCount))
        let wall = dependencies.clock.wall()
        let advertisement = ServiceAdvertisement(
            instanceName: instanceName,
            port: port,
            nonce: nonce,
            tag: dependencies.identity.discoveryTag(nonce: nonce, at: wall),
            zoneTags: core.rendezvous.tags(nonce: nonce, at: wall)
        )
        guard advertisement != advertised else { return }
        advertised = advertisement
        discovery.advertise(advertisement)
    }

    /// Random for each process, so that a machine cannot be followed from one network to another.
    private var instanceName: String { "kairan-" + Hexadecimal.encode(boot.suffix(6)) }
}
