import Listening
import Logging
import Mailbox
import NIOCore
import Node
import Sealing
import ServiceLifecycle
import Session
import Sodium
import Store
import Sync
import Transport
import Wire

// The parts for parcels: the way to relays, and being a relay.
extension Composition {
    /// Opens the storage of parcels; `nil` on a machine that keeps none.
    func openParcels() async throws -> ParcelStore? {
        guard configuration.isRelay else { return nil }
        do {
            return try await ParcelStore.open(configuration, openCluster: openCluster, logger: logger)
        } catch let error as StorageError {
            throw UnusableState(
                description: "the parcels in \(configuration.state) cannot be used: \(error.message)",
                outlook: error.outlook
            )
        } catch ParcelStorageError.unavailable(let words) {
            throw UnusableState(
                description: "the cluster that parcels are kept in cannot be used: \(words)",
                outlook: .passes
            )
        }
    }

    /// Reads the seed of the relay's key, if the configuration names a file of it.
    private func relaySeed() throws -> [UInt8]? {
        guard let path = configuration.relayKeyFile else { return nil }
        let bytes: [UInt8]?
        do {
            bytes = try PrivateFile(path: path).read(limit: 256)
        } catch {
            throw configuration.places.refusal("relay-key-file", ": \(path) cannot be read: \(error)")
        }
        let text = String(decoding: bytes ?? [], as: UTF8.self).filter { !$0.isWhitespace && $0 != "=" }.lowercased()
        guard let seed = Base32.decode(text), seed.count == RelayKeys.seedByteCount else {
            throw configuration.places.refusal(
                "relay-key-file",
                ": \(path) holds no key; `head -c 32 /dev/urandom | base32` makes one"
            )
        }
        return seed
    }

    /// Returns the settings that make the node a relay.
    func relaySettings(_ storage: any ParcelStorage, port: ListeningPort) throws -> RelaySettings {
        RelaySettings(
            storage: storage,
            seed: try relaySeed(),
            byteCountMax: configuration.relayByteCountMax,
            addresses: { [addresses = configuration.relayAddresses, listen = configuration.relayListen, logger] in
                guard addresses.isEmpty else { return addresses }
                guard let port = port.value else { return [] }
                let named = listen.map(\.host).filter { $0 != "::" && $0 != "0.0.0.0" }
                return (named.isEmpty ? Self.hosts(logger) : named).map {
                    PeerAddress(host: $0, port: port).description
                }
            }
        )
    }

    /// The way to relays that the account uses, and, on a relay, the way to it.
    func relayServices(_ node: Node, port: ListeningPort, parcels: ParcelStore?) async -> [any Service] {
        // A key of this process alone: a relay cannot tell which device calls, nor that it called before the last start.
        let outgoing = PeerTransport(
            listen: [],
            identity: ChannelIdentity(AgreementKey.generate()),
            agreement: .hybrid(MLKEM768Encapsulation()),
            sink: node.mailSink,
            metrics: SessionMetrics(.relays, node.metricsPort),
            logger: logger
        )
        await node.connect(toRelays: outgoing)
        var services: [any Service] = [NodeService.mailing(node), outgoing]
        guard let relay = node.relayService else { return services }
        let incoming = PeerTransport(
            listen: configuration.relayListen.map { (host: $0.host, port: $0.port) },
            identity: ChannelIdentity(relay.staticKey()),
            agreement: .hybrid(MLKEM768Encapsulation()),
            sink: relay.transportSink,
            metrics: SessionMetrics(.clients, node.metricsPort),
            shortage: shortage,
            logger: logger
        )
        port.source = { incoming.listeningPort }
        services += [NodeService.relaying(relay), incoming]
        if case .cluster(let storage)? = parcels { services.append(ClusterWatch(storage: storage, node: node)) }
        return services
    }

    /// Returns the addresses of this machine in its networks, except those that are meaningless on other machines.
    private static func hosts(_ logger: Logger) -> [String] {
        do {
            return try System.enumerateDevices().compactMap { device in
                guard let address = device.address, let host = address.ipAddress, !address.isMulticast,
                    host != "::1", !host.hasPrefix("127."), !host.hasPrefix("169.254."), !host.hasPrefix("fe80")
                else { return nil }
                return host
            }
        } catch {
            logger.warning(
                "this machine's addresses are not known",
                metadata: ["error": "\(LibraryError.words(for: error))"]
            )
            return []
        }
    }
}
