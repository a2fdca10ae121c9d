import Identity
import Logging
import Mailbox
import Sealing
import ServiceLifecycle
import Session
import Sodium
import Store
import Synchronization
import Transport

@testable import Node

/// A node as the daemon puts it together, with a real store and a real transport on the loopback, and without mDNS.
final class RunningNode: Sendable {
    let node: Node
    let storage: FaultyStorage
    let directory: TestDirectory
    private let transport: PeerTransport
    private let parcels: SQLiteParcelStorage?
    private let relayTransport: PeerTransport?
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// The address for other nodes.
    var address: PeerAddress { PeerAddress(host: "127.0.0.1", port: transport.listeningPort ?? 0) }

    private let hasEnded: SharedFlag

    private var isListening: Bool {
        transport.listeningPort != nil && (relayTransport == nil || relayTransport?.listeningPort != nil)
    }

    /// Waits until it listens, or has ended.
    func untilListening() async {
        // No event reports the moment in which it listens; it is near.
        while !isListening, !hasEnded.isSet { await Task.yield() }
    }

    /// The address for the accounts for which it keeps parcels.
    var relayAddress: PeerAddress { PeerAddress(host: "127.0.0.1", port: relayTransport?.listeningPort ?? 0) }

    init(
        _ directory: TestDirectory,
        name: String,
        machine: String,
        peers: [PeerAddress],
        clock: NodeClock,
        log: LogCatcher?,
        unlocking: StateSeal.Source,
        agreement: ChannelAgreement,
        isSealing: Bool,
        isRelay: Bool,
        metrics: any MetricsPort
    ) async throws {
        var logger = Logger(label: "test.\(name)") { _ -> any LogHandler in
            if let log { log } else { SwiftLogNoOpLogHandler() }
        }
        logger.logLevel = log == nil ? .critical : .trace
        let store = try await SQLiteStore.open(StateDirectory(path: directory.path), logger: logger)
        storage = FaultyStorage(store)
        self.directory = directory
        let parcels = isRelay ? try await SQLiteParcelStorage.open(StateDirectory(path: directory.path)) : nil
        self.parcels = parcels
        let port = SharedPort()
        do {
            node = try await Node.start(
                stateDirectory: directory.path,
                storage: storage,
                envelopes: isSealing ? XWingEnvelopes() : nil,
                deviceName: name,
                machine: Array(machine.utf8),
                clock: clock,
                unlocking: unlocking,
                passphraseCost: .least,
                listeningPort: { port.transport.withLock { $0 }?.listeningPort },
                relay: parcels.map { RelaySettings(storage: $0, byteCountMax: nil) { [] } },
                metrics: metrics,
                logger: logger
            )
        } catch {
            try parcels?.close()
            try await store.close()
            throw error
        }
        let transport = PeerTransport(
            listen: [(host: "127.0.0.1", port: 0)],
            identity: ChannelIdentity(node.deviceKeys.agreementKey.duplicate()),
            agreement: agreement,
            sink: node.transportSink,
            metrics: SessionMetrics(.peers, metrics),
            logger: logger
        )
        port.transport.withLock { $0 = transport }
        self.transport = transport
        await node.connect(transport: transport, discovery: nil, peers: peers)
        var services: [any Service] = [
            NodeService.commits(node), NodeService.synchronization(node), transport, NodeService.messaging(node),
            NodeService.assets(node), NodeService.offers(node),
        ]
        relayTransport = node.relayService.map { relay in
            PeerTransport(
                listen: [(host: "127.0.0.1", port: 0)],
                identity: ChannelIdentity(relay.staticKey()),
                agreement: agreement,
                sink: relay.transportSink,
                metrics: SessionMetrics(.clients, metrics),
                logger: logger
            )
        }
        if let relay = node.relayService, let relayTransport {
            let outgoing = PeerTransport(
                listen: [],
                identity: ChannelIdentity(AgreementKey.generate()),
                agreement: agreement,
                sink: node.mailSink,
                metrics: SessionMetrics(.relays, metrics),
                logger: logger
            )
            await node.connect(toRelays: outgoing)
            services += [NodeService.mailing(node), outgoing, NodeService.relaying(relay), relayTransport]
        }
        let group = ServiceGroup(services: services, logger: logger)
        let ended = SharedFlag()
        self.group = group
        hasEnded = ended
        running = Task {
            defer { ended.set() }
            try await group.run()
        }
    }

    /// The codes of the present warnings, except the one that a test's keys lie in the clear.
    func troubles() async throws -> [String] {
        try await node.health.status().health.map(\.code).filter { $0 != "keys.unsealed" }
    }

    /// Stops the node in order.
    ///
    /// The directory may be used again.
    func stop() async throws {
        await group.triggerGracefulShutdown()
        _ = await running.result
        storage.fail(with: nil)
        try parcels?.close()
        try await storage.close()
    }

    /// Ends the node without letting it finish anything, as far as one process can do that to a part of itself.
    func kill() async throws {
        running.cancel()
        _ = await running.result
        try await storage.close()
        try directory.remove("store/clean")
    }
}

/// A flag that two tasks share.
final class SharedFlag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}

/// The transport of a node, for parts that exist before it does.
private final class SharedPort: Sendable {
    let transport = Mutex<PeerTransport?>(nil)
}
