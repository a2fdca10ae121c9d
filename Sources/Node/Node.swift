package import Identity
import Logging
import Sodium
import Sync
import Wire

/// A running node: answers programs from durable state and synchronises with its peers.
///
/// It is put together by `Node.start`, gets its ways to the outside by `connect`, and works while its
/// services do (``NodeService``). Copies are the same node, possibly for callers that see less of it.
package struct Node: Sendable {
    /// The product's version.
    package static let version = "0.1.0"

    /// The store, as far as the holder of this value may see it.
    var store: CallerStore
    let sync: SyncService
    let mail: MailService
    /// Keeps parcels for others; `nil` = this node does not.
    let relay: RelayService?
    let indexing: IndexBuilder
    let inbox: InboxService
    let assetService: AssetService
    let assetReporter: AssetReporter
    let linkService: LinkService
    let offers: OfferWatch
    let keys: KeyWarnings
    let relayAddresses: @Sendable () -> [String]
    let listeningPort: @Sendable () -> UInt16?
    let machine: any MachinePort

    var commitService: CommitService { store.commitService }
    var identity: NodeIdentity { commitService.identity }

    /// Puts a node together, which does nothing before its services run.
    /// - Parameters:
    ///   - storage: The open store.
    ///   - commitService: The work on the store, with the identity of this device.
    ///   - relay: The service that keeps parcels for others, if this machine is a relay.
    ///   - relayAddresses: The addresses of the relay in this network.
    ///   - listeningPort: The transport's port, once there is one.
    ///   - machine: Reports the state of the machine.
    ///   - links: The roots of linked files, and the watch of their folders.
    init(
        storage: any StoragePort,
        commitService: CommitService,
        relay: RelayService?,
        relayAddresses: @escaping @Sendable () -> [String],
        listeningPort: @escaping @Sendable () -> UInt16?,
        machine: any MachinePort,
        links: LinkSettings
    ) {
        let commits = CommitQueue(storage: storage, measures: commitService.measures.commits)
        let boot = SystemRandom.bytes(HandshakePayload.bootByteCount)
        let facts = ChannelQueue<SyncFact>(waitingByteCountMax: SyncFact.waitingByteCountMax) {
            [identity = commitService.identity] in
            identity.acceptedSecrets()
        } payload: { [identity = commitService.identity] in
            identity.handshakePayload(boot: boot, listenPort: listeningPort() ?? 0)
        } join: {
            $0.join($1)
        }
        let dependencies = SyncService.Dependencies(storage: storage, commits: commits, commitService: commitService)
        mail = MailService(dependencies: dependencies) {
            facts.put(.input(.mailed($0)))
        } claimed: {
            facts.put(.claimed($0))
        }
        let sync = SyncService(facts: facts, dependencies: dependencies, mail: mail.queue, boot: boot)
        self.sync = sync
        indexing = IndexBuilder(
            commits: commits,
            storage: storage,
            committer: { commitService.committer },
            logger: commitService.logger
        )
        inbox = InboxService(
            commits: commits,
            storage: storage,
            commitService: commitService,
            payloadsMayBeDue: { facts.put(.payloadsMayBeDue) },
            received: commitService.measures.messagesReceived,
            logger: commitService.logger
        )
        assetService = AssetService(
            commits: commits,
            storage: storage,
            commitService: commitService,
            machine: machine,
            feed: { facts.put(.input($0)) },
            logger: commitService.logger
        )
        assetReporter = AssetReporter(storage: storage, commitService: commitService) {
            await sync.prospects(of: $0)
        }
        linkService = LinkService(
            commits: commits,
            storage: storage,
            commitService: commitService,
            roots: links.roots,
            watch: links.watch
        )
        store = CallerStore(storage: storage, commits: commits, commitService: commitService)
        offers = OfferWatch(store)
        keys = KeyWarnings(store)
        (self.relay, self.relayAddresses) = (relay, relayAddresses)
        (self.listeningPort, self.machine) = (listeningPort, machine)
        commitService.listen(listener)
    }

    /// Has each part learn of the commits that concern it.
    private var listener: CommitService.Listener {
        let (facts, mail) = (sync.facts, mail.queue)
        return CommitService.Listener(
            committed: { commit in
                facts.put(.committed(commit))
                mail.put(.changed(commit.changedZones))
            },
            incarnationChanged: { facts.put(.incarnationChanged) },
            schemasMayHaveChanged: { [indexing] in indexing.wake() },
            messagesChanged: { [inbox] in inbox.feedGrew() },
            assetsMayBeDue: { [assetService] in assetService.wake() },
            assetsChanged: { [assetService, assetReporter] in
                assetService.changed($0)
                assetReporter.changed($0)
            },
            rightsMayHaveChanged: { [inbox, assetService] in
                inbox.wake()
                assetService.wake()
            },
            payloadsWanted: { facts.put(.payloadsMayBeDue) },
            payloadArrived: { [inbox] in inbox.arrived() },
            custodyMayHaveChanged: { news in
                facts.put(.input(.custodyNews(news)))
                if news.hasSettings || news.hasReleases { facts.put(.payloadsMayBeDue) }
            },
            offersMayHaveChanged: { [offers] in offers.wake() }
        )
    }

    /// The periodic work.
    var maintenance: Maintenance {
        Maintenance(
            store: store,
            zones: ZoneWarnings(store: store),
            keys: keys,
            assetWarnings: AssetWarnings(store: store, sync: sync),
            offers: offers,
            indexing: indexing,
            inbox: inbox,
            assets: assetService,
            links: linkService,
            facts: sync.facts
        )
    }

    /// The warnings, for the drivers that find facts which people should know.
    package var warnings: HealthBoard { commitService.health }

    /// The sink of the transport.
    package var transportSink: any TransportSink { sync.facts }

    /// The sink of the transport to relays.
    package var mailSink: any TransportSink { mail.queue }

    /// The service that keeps parcels for other accounts; `nil` = this node has none.
    package var relayService: RelayService? { relay }

    /// The store of the node's metrics; drivers that are connected to the node use it as well.
    package var metricsPort: any MetricsPort { commitService.measures.port }

    /// The keys that the channel proves.
    package var deviceKeys: DeviceIdentity { identity.keys }

    /// Connects the node to relays, before its services run.
    package func connect(toRelays transport: any TransportPort) async { await mail.connect(transport) }

    /// Dials these peers too, from now on.
    package func add(peers: [PeerAddress]) async {
        await sync.add(peers: peers)
    }

    /// Connects the node's drivers to the outside, before its services run.
    /// - Parameters:
    ///   - transport: Channels to peers.
    ///   - discovery: The discovery of peers on the network; `nil` = none.
    ///   - peers: The addresses to dial, independent of discovery.
    ///   - relayByteCountMax: The most bytes that a relay keeps for other devices; `nil` =
    ///     ``Sync/Custody/byteCountMax``.
    ///   - relayGraceMilliseconds: The time to wait for a device before parcels for it are left with a relay; `nil` =
    ///     ten seconds.
    package func connect(
        transport: any TransportPort,
        discovery: (any DiscoveryPort)?,
        peers: [PeerAddress],
        relayByteCountMax: UInt64? = nil,
        relayGraceMilliseconds: UInt64? = nil
    ) async {
        if let relayGraceMilliseconds {
            await sync.setGrace(milliseconds: relayGraceMilliseconds)
            await mail.setGrace(milliseconds: relayGraceMilliseconds)
        }
        if let relayByteCountMax { await sync.limitCustody(to: relayByteCountMax) }
        await sync.connect(transport: transport, discovery: discovery, peers: peers)
    }

    /// Whether commits come through: an empty one is made.
    ///
    /// - Returns: `true` also when the queue is full, which is a sign of much life.
    package func isAlive() async -> Bool {
        do {
            try await store.commits.perform { _ in () }
            return true
        } catch let error as NodeError {
            return error.code == .busy
        } catch {
            // A store that refuses, such as for want of space, answers all the same.
            return true
        }
    }
}
