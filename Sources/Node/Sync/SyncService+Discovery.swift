import Identity
import Logging
import Sync
import Wire

// What is said through mDNS, and what is heard. A sighting is an address to dial, never a fact about anybody.
extension SyncService {
    /// The keys of the TXT record: the protocol's version, random bytes of this process, and the tag over them.
    private enum AttributeKey {
        static let version = "v"
        static let nonce = "r"
        static let tag = "t"
    }

    func discovered(_ event: DiscoveryEvent) {
        switch event {
        case .sighted(let sighting):
            guard sighting.instanceName != instanceName else { return }
            sightings.insert(sighting)
            guard isOurs(sighting) else { return }
            directory.sighted(instance: sighting.instanceName, address: sighting.address)
        case .withdrawn(let name, let interface):
            guard sightings.remove(name, interfaceName: interface) else { return }
            directory.withdrawn(instance: name)
        case .available:
            guard hadDiscovery != true else { return }
            hadDiscovery = true
            dependencies.replica.health.clear("mdns.unavailable")
            dependencies.logger.info("mDNS is available")
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
            dependencies.logger.warning("mDNS is unavailable", metadata: ["reason": "\(reason)"])
        }
    }

    /// Publishes anew when the hour, the account or the port has changed.
    func advertise() {
        guard let discovery, let port = transport?.listeningPort else { return }
        let nonce = Array(boot.prefix(DiscoveryTag.nonceByteCount))
        let tag = dependencies.identity.discoveryTag(nonce: nonce, at: dependencies.clock.wall())
        let advertisement = ServiceAdvertisement(
            instanceName: instanceName,
            port: port,
            attributes: [
                ServiceAttribute(key: AttributeKey.version, value: Array("1".utf8)),
                ServiceAttribute(key: AttributeKey.nonce, value: Array(Hexadecimal.encode(nonce).utf8)),
                ServiceAttribute(key: AttributeKey.tag, value: Array(Hexadecimal.encode(tag).utf8)),
            ]
        )
        guard advertisement != advertised else { return }
        advertised = advertisement
        discovery.advertise(advertisement)
    }

    /// Random for each process, so that a machine cannot be followed from one network to another.
    private var instanceName: String { "kairan-" + Hexadecimal.encode(boot.suffix(6)) }

    private func isOurs(_ sighting: ServiceSighting) -> Bool {
        func bytes(_ key: String) -> [UInt8]? {
            sighting.attributes.first { $0.key == key }
                .flatMap { String(validating: $0.value, as: UTF8.self) }
                .flatMap { Hexadecimal.decode($0) }
        }
        guard let nonce = bytes(AttributeKey.nonce), let tag = bytes(AttributeKey.tag) else { return false }
        return dependencies.identity.recognises(tag: tag, nonce: nonce, at: dependencies.clock.wall())
    }
}
