import Identity
package import Peering
import Sync
package import Wire

// Announcements and sightings through mDNS. A sighting is an address to dial, never a fact about a device or account.
extension SyncService {
    /// The keys of the TXT record: the protocol's version, random bytes of this process, and the tags over them.
    fileprivate enum AttributeKey {
        static let version = "v"
        static let nonce = "r"
        static let tag = "t"
        /// Tags of zones, seven a string, since a string has 255 bytes.
        static let zoneTags = ["z0", "z1", "z2"]
        static let zoneTagCount = 7
    }

    func discovered(_ event: DiscoveryEvent) {
        switch event {
        case .sighted(let sighting):
            guard sighting.instanceName != instanceName else { return }
            step { $0.sighted(sighting, in: &$1) }
        case .withdrawn(let name, let interface):
            core.withdrawn(name, interfaceName: interface)
            lookForTroubles()
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
        let tag = dependencies.identity.discoveryTag(nonce: nonce, at: dependencies.clock.wall())
        let zoneTags = core.rendezvous.tags(nonce: nonce, at: dependencies.clock.wall()).map(Hexadecimal.encode)
        var attributes = [
            ServiceAttribute(key: AttributeKey.version, value: Array("1".utf8)),
            ServiceAttribute(key: AttributeKey.nonce, value: Array(Hexadecimal.encode(nonce).utf8)),
            ServiceAttribute(key: AttributeKey.tag, value: Array(Hexadecimal.encode(tag).utf8)),
        ]
        for (index, key) in AttributeKey.zoneTags.enumerated() {
            let part = zoneTags.dropFirst(index * AttributeKey.zoneTagCount).prefix(AttributeKey.zoneTagCount)
            if !part.isEmpty { attributes.append(ServiceAttribute(key: key, value: Array(part.joined().utf8))) }
        }
        let advertisement = ServiceAdvertisement(instanceName: instanceName, port: port, attributes: attributes)
        guard advertisement != advertised else { return }
        advertised = advertisement
        discovery.advertise(advertisement)
    }

    /// Random for each process, so that a machine cannot be followed from one network to another.
    private var instanceName: String { "kairan-" + Hexadecimal.encode(boot.suffix(6)) }
}

extension ServiceSighting: PeerSighting {
    /// Returns the entry of the key by whose tag the account's devices recognise the instance.
    package func fleetEntry(recognisedBy keys: FleetChannelKeys, at wall: UInt64) -> Hash? {
        guard let nonce = bytes(SyncService.AttributeKey.nonce), let tag = bytes(SyncService.AttributeKey.tag) else {
            return nil
        }
        return keys.entry(recognising: tag, nonce: nonce, at: wall)
    }

    /// Returns the shared zone by one of whose tags the instance is recognised.
    package func zone(recognisedBy keys: RendezvousKeys, at wall: UInt64) -> ZoneID? {
        guard let nonce = bytes(SyncService.AttributeKey.nonce) else { return nil }
        let tags = SyncService.AttributeKey.zoneTags.compactMap(bytes).flatMap { all in
            stride(from: 0, to: all.count, by: DiscoveryTag.byteCount).map {
                Array(all[$0..<min($0 + DiscoveryTag.byteCount, all.count)])
            }
        }
        return keys.zone(of: tags, nonce: nonce, at: wall)
    }

    private func bytes(_ key: String) -> [UInt8]? {
        attributes.first { $0.key == key }
            .flatMap { String(validating: $0.value, as: UTF8.self) }
            .flatMap { Hexadecimal.decode($0) }
    }
}
