import Discovery
import Exposition
import Glibc
import Identity
import Invocation
import Linking
import Listening
import LocalAPI
import Logging
import NIOCore
import NIOPosix
import Node
import Sealing
import ServiceLifecycle
import Session
import Sodium
import Store
import Sync
import Transport
import UnixSignals

/// An error for a state directory that cannot be used.
struct UnusableState: Error, CustomStringConvertible {
    /// The problem with it, and the remedy.
    var description: String
    /// The outlook of another start.
    var outlook: StorageError.Outlook

    /// The program's exit code: 73 where another start would end in the same way, 75 where it may not.
    var exitCode: Int32 {
        switch outlook {
        case .stays: EX_CANTCREAT
        case .waits, .passes: EX_TEMPFAIL
        }
    }

    init(description: String, outlook: StorageError.Outlook) {
        self.description = description
        self.outlook = outlook
    }

    /// Describes an error that comes from a state directory.
    /// - Returns: `nil` for an error that has nothing to do with it.
    init?(_ error: any Error, in directory: String) {
        switch error {
        case let error as UnusableState: self = error
        case let error as NodeStartError: self.init(description: error.description, outlook: error.outlook)
        case let error as StorageError:
            let wayOn =
                error.code == .corrupt
                ? ". Keep the files, and restore the store from a backup; /usr/share/doc/kairan/docs/operations/store.md describes how to continue without one"
                : ""
            self.init(
                description: "the state directory \(directory) cannot be used: \(error.message)\(wayOn)",
                outlook: error.outlook
            )
        case let error as PrivateFile.Failure:
            self.init(
                description: "the state directory \(directory) cannot be used: \(error)",
                outlook: error.outlook
            )
        default: return nil
        }
    }
}

/// Puts the parts together.
///
/// The order of the services is the order of starting; they stop in reverse.
struct Composition {
    let configuration: DaemonConfiguration
    private let environment: [String: String]
    let logger: Logger
    private let level: LogLevel
    let shortage: DescriptorShortage
    let openCluster: ParcelClusterOpening?
    private let read: @Sendable () throws -> DaemonConfiguration

    init(
        _ configuration: DaemonConfiguration,
        environment: [String: String],
        logger: Logger,
        level: LogLevel,
        openCluster: ParcelClusterOpening?,
        read: @escaping @Sendable () throws -> DaemonConfiguration
    ) {
        self.configuration = configuration
        self.environment = environment
        self.logger = logger
        self.level = level
        self.openCluster = openCluster
        // Before the first descriptor of the reserve is taken.
        DescriptorLimit.raise()
        shortage = DescriptorShortage(reserve: DescriptorShortage.usualReserve, logger: logger)
        self.read = read
    }

    func run() async throws {
        if !ProcessMemory.protect() {
            logger.warning("this process's memory, with its keys, may end up in a core dump")
        }
        let notifier = ServiceNotifier(environment: environment)
        let port = ListeningPort()
        let relayPort = ListeningPort()
        let (store, parcels, node) = try await RoomForStart(notifier: notifier, logger: logger).wait {
            try await open(port: port, relayPort: relayPort)
        }
        shortage.listen { [node] isShort in
            node.warnings.note(descriptorShortage: isShort ? DescriptorLimit.present ?? 0 : nil)
        }
        let services = try await services(
            node,
            port: port,
            relayPort: relayPort,
            parcels: parcels,
            notifier: notifier
        )
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services,
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        )
        notifier.notify("STATUS=Starting")
        do {
            try await group.run()
        } catch {
            // Closed in order all the same: the next start need not check the whole database.
            await parcels?.close()
            try? await store.close()
            throw error
        }
        await parcels?.close()
        try await store.close()
        logger.info("stopped")
    }

    private func services(
        _ node: Node,
        port: ListeningPort,
        relayPort: ListeningPort,
        parcels: ParcelStore?,
        notifier: ServiceNotifier
    ) async throws -> [ServiceGroupConfiguration.ServiceConfiguration] {
        let transport = PeerTransport(
            listen: configuration.listen.map { (host: $0.host, port: $0.port) },
            takesOtherPort: configuration.hasDefaultListen,
            identity: ChannelIdentity(node.deviceKeys.agreementKey.duplicate()),
            agreement: .hybrid(MLKEM768Encapsulation()),
            sink: node.transportSink,
            metrics: SessionMetrics(.peers, node.metricsPort),
            shortage: shortage,
            logger: logger
        )
        port.source = { transport.listeningPort }
        let discovery =
            configuration.usesMulticastDNS
            ? AvahiDiscovery(policy: InterfacePolicy(allowed: configuration.interfaces), logger: logger) : nil
        await node.connect(
            transport: transport,
            discovery: discovery,
            peers: configuration.peers,
            relayByteCountMax: configuration.relayByteCountMax,
            relayGraceMilliseconds: configuration.relayGraceSeconds.map { 1_000 * $0 }
        )
        let endpoint: LocalAPIServer.Endpoint =
            if let descriptor = InheritedSocket.descriptor(environment: environment) {
                .inherited(descriptor: descriptor)
            } else {
                .path(configuration.socket, group: try groupIdentity())
            }
        if case .path = endpoint { try SocketDirectory(configuration).make() }
        let policy = PolicyInForce(
            AccessPolicy(
                admins: AdminPolicy(users: [getuid()], groups: Set([try groupIdentity()].compactMap { $0 })),
                applications: configuration.applications.bindings,
                disabled: configuration.applications.disabled,
                showsStatusToOthers: configuration.showsStatusToOthers,
                unmapped: unmappedIdentity()
            )
        )
        node.warnings.note(disabledApplications: configuration.applications.mistakes.map(\.notice))
        let interface = LocalAPIServer(
            node: node,
            endpoint: endpoint,
            policy: policy,
            metrics: RequestMetrics(node.metricsPort),
            shortage: shortage,
            logger: logger,
            onListening: { notifier.notify("READY=1") }
        )
        var services: [any Service] = [NodeService.commits(node), NodeService.synchronization(node), transport]
        if let discovery { services.append(discovery) }
        services += await relayServices(node, port: relayPort, parcels: parcels)
        services.append(interface)
        services += [
            NodeService.indexing(node), NodeService.messaging(node), NodeService.assets(node),
            NodeService.offers(node), NodeService.maintenance(node),
            NodeService.enrolment(node, file: EnrolmentFile(path: configuration.enrolmentTokenFile)),
            Reload(read: read, node: node, level: level, policy: policy, current: configuration, logger: logger),
            StatusLine(notifier: notifier, node: node), Watchdog(notifier: notifier, node: node),
        ]
        return services.map {
            ServiceGroupConfiguration.ServiceConfiguration(
                service: $0,
                successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup
            )
        }
    }

    /// Opens the stores of the state directory, and makes a node of them; all or nothing.
    private func open(
        port: ListeningPort,
        relayPort: ListeningPort
    ) async throws -> (SQLiteStore, ParcelStore?, Node) {
        do {
            let directory = StateDirectory(path: configuration.state)
            // The parents of an explicitly named path are not created: a mistyped path must not become a new account.
            if configuration.hasDefaultState { try directory.createParents() }
            let roots = configuration.linkedRoots
            let settings = StoreSettings(linkedFiles: LinkedRoots(roots))
            let store = try await SQLiteStore.open(directory, settings: settings, logger: logger)
            var parcels: ParcelStore?
            do {
                parcels = try await openParcels()
                let node = try await Node.start(
                    stateDirectory: configuration.state,
                    storage: store,
                    envelopes: XWingEnvelopes(),
                    deviceName: hostName(),
                    machine: machineIdentity(),
                    unlocking: { [sources = configuration.secretSources] in try sources.secret(for: $0) },
                    listeningPort: { port.value },
                    relay: try parcels.map { try relaySettings($0.storage, port: relayPort) },
                    metrics: MetricRegistry(),
                    observer: MachineReading(directory: configuration.state, environment: environment),
                    links: LinkSettings(roots: roots, watch: roots.isEmpty ? nil : RootWatch()),
                    logger: logger
                )
                return (store, parcels, node)
            } catch {
                // Closed in order: the reason that keeps the node from starting is no fault of the store's.
                await parcels?.close()
                try? await store.close()
                throw error
            }
        } catch {
            if let detail = (error as? StorageError)?.detail {
                // The message of the end is for people.
                logger.info("the store's library has failed", metadata: ["detail": "\(detail)"])
            }
            throw UnusableState(error, in: configuration.state) ?? error
        }
    }

    /// The ids of users and groups that the kernel cannot identify: in a user namespace all without a mapping share one.
    private func unmappedIdentity() -> AccessPolicy.UnmappedIdentity? {
        // If /proc cannot be read, there is no user mapping either.
        guard let bytes = try? PrivateFile(path: "/proc/self/uid_map").read() else { return nil }
        let fields = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard fields != ["0", "0", "4294967295"] else { return nil }
        logger.warning(
            "users are mapped in this namespace: callers on the socket who are not mapped are refused",
            metadata: ["fix": "do not set PrivateUsers= for this service"]
        )
        return AccessPolicy.UnmappedIdentity(user: overflow("overflowuid"), group: overflow("overflowgid"))
    }

    private func overflow(_ name: String) -> UInt32 {
        let bytes = try? PrivateFile(path: "/proc/sys/kernel/" + name).read()
        // The kernel's own default, where its settings are hidden.
        let digits = String(decoding: (bytes ?? []).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return UInt32(digits) ?? 65_534
    }

    private func hostName() -> String {
        var name = [CChar](repeating: 0, count: 65)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return isKnown && !text.isEmpty ? text : "device"
    }

    /// Returns an identity that distinguishes this machine from one that its disk was copied to; see `machine-id(5)`.
    private func machineIdentity() -> [UInt8] {
        // The path may be a link, which a private file must not be. Without a machine id, copies are still detected
        // by their files.
        guard let path = realpath("/etc/machine-id", nil) else { return [] }
        defer { free(path) }
        guard let bytes = try? PrivateFile(path: String(cString: path)).read() else { return [] }
        return Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    }

    private func groupIdentity() throws -> UInt32? {
        guard let name = configuration.group else { return nil }
        guard let entry = getgrnam(name) else {
            throw configuration.places.refusal("group", ": the group \"\(name)\" no longer exists")
        }
        return entry.pointee.gr_gid
    }
}
