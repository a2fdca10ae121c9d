import Identity
import Logging
import Peering
import Session
import Sodium
import Sync
import Wire

/// Runs the synchronisation core: feeds it events, and performs its orders.
///
/// It owns the core, the directory of candidates and the arbiter of sessions, all of them pure; here are only
/// connections, the clock and the store. No decision that matters to the protocol is made here.
package actor SyncService {
    /// A channel and the proved facts about its other end.
    struct Link {
        let connection: any PeerConnection
        let device: DeviceID
        /// The account that the device belongs to.
        let account: AccountID
        var roundTripMilliseconds: Double?
        var skewMilliseconds: Int64?
        /// The port at which it claims to be reachable; 0 = none.
        let listenPort: UInt16
        /// Whether both sides were found to hold the same, once in this session.
        var isInStep = false
    }

    /// The dependencies of the service.
    package struct Dependencies: Sendable {
        let identity: NodeIdentity
        let storage: any StoragePort
        let commits: CommitQueue
        let replica: ReplicaService
        let hub: EventHub
        let clock: NodeClock
        let measures: NodeMetrics
        let logger: Logger
    }

    let mailbox: SyncMailbox
    /// The queue of the service that leaves parcels with relays, and takes waiting ones.
    let mail: ChannelQueue<MailService.Fact>
    let dependencies: Dependencies
    let boot: [UInt8]
    var core: SyncCore
    /// The sessions, and the devices to call.
    var sessions: PeerSessions<PeerAddress>
    /// Addresses that people have named.
    var configuredAddresses: [PeerAddress] = []
    /// The keys by which devices of other accounts are found and called.
    var rendezvous = RendezvousKeys()
    var links: [SessionID: Link] = [:]
    var random = SystemRandom()
    var transport: (any TransportPort)?
    var discovery: (any DiscoveryPort)?
    var sightings = SightingTable()
    /// The keys by which instances in sight are called.
    var sightedKeys: [String: PeerRoute.Key] = [:]
    /// The state by which the renewal of the account's key is decided, and the time of the next check.
    var fleetKeeping = FleetKeeping()
    var fleetKeyDue: UInt64?
    /// The entry that made the key by which they go.
    var toldFleetKey: Hash?
    var advertised: ServiceAdvertisement?
    var nextDial: DialID = 1
    /// Dials of a search for a ticket or an invitation, so that their outcome does not reach the directory.
    var searchDials: [DialID: SearchDial] = [:]
    var pairing = PairingDesk()
    var joins = JoinDesk()
    var bookFacts = BookFacts()
    var guestOrders = GuestOrders()
    /// The exchanges in progress, as watchers are notified of them.
    var activities = SyncActivities()
    /// Anomalies that were published or wait to be.
    var anomalies = AnomalyWatch()
    /// Zones that may be joined.
    var offers: [ZoneID: Offer] = [:]
    /// Deadlines for which a timer sleeps.
    ///
    /// Each new one is earlier than all others, so they stay few.
    var armed: Set<UInt64> = []
    /// Other devices of the account as watchers know them.
    var toldMembers: Set<DeviceID> = []
    /// The devices that were last reported to watchers as connected.
    var toldConnected: Set<DeviceID> = []
    /// Whether the store may know of wanted payloads that the core does not know of; it does at the start.
    var mayWantPayloads = true
    /// Whether there may be requests for relays that the core does not know.
    var mayOweCustody = true
    var hasMetPeer = false
    var hadDiscovery: Bool?
    /// The interfaces on which other devices are sought, and those that are left alone; nil before the driver has
    /// named them.
    var interfaces: DiscoveryInterfaces?
    /// The devices that are in sight and not reached.
    var reachability = Reachability()
    /// The callers that wait for peers to answer.
    var presence = PresenceDesk()
    /// The callers that wait for peers to try whether they can connect to this device.
    var reachWaits = ReachWaits()

    init(
        mailbox: SyncMailbox,
        dependencies: Dependencies,
        mail: ChannelQueue<MailService.Fact>,
        boot: [UInt8]
    ) {
        self.mailbox = mailbox
        self.mail = mail
        self.dependencies = dependencies
        self.boot = boot
        let identity = dependencies.identity
        core = SyncCore(
            localDevice: identity.device,
            incarnation: identity.incarnation,
            account: identity.account,
            program: ProgramNote(version: Node.version)
        )
        sessions = PeerSessions(device: identity.device)
    }

    /// Gives the service its ways to the outside, before `run()`.
    package func connect(transport: any TransportPort, discovery: (any DiscoveryPort)?, peers: [PeerAddress]) {
        self.transport = transport
        self.discovery = discovery
        sessions = PeerSessions(device: dependencies.identity.device, newest: transport.newestVersion)
        configure(peers)
    }

    /// Sets how many bytes are kept for others at most, before `run()`.
    package func limitCustody(to byteCount: UInt64) { core.limitCustody(to: byteCount) }

    /// Sets how long devices are waited for before a relay is asked, before `run()`.
    func setGrace(milliseconds: UInt64) { core.setGrace(milliseconds: milliseconds) }

    /// Loads the state from the store, then works until it is stopped.
    package func run() async throws {
        defer {
            giveUpGuestOrders(closing: true)
            presence.close()
            reachWaits.close()
        }
        try await load()
        presence.open()
        reachWaits.open()
        await withDiscardingTaskGroup { group in
            if let discovery {
                group.addTask { [mailbox] in
                    for await event in discovery.events { mailbox.put(.discovery(event)) }
                }
            }
            for await _ in mailbox.wake {
                let (notices, resumable) = mailbox.take()
                var effects: [SyncEffect] = []
                for notice in notices {
                    handle(notice, into: &effects)
                    perform(&effects, in: &group)
                }
                lookForPayloads(in: &group)
                lookForCustody(in: &group)
                dependencies.replica.health.look()
                renewFleetKeyIfDue()
                endOfferIfExpired()
                tellConnected()
                answerPresence()
                answerReach()
                dialDue()
                dialForJoins()
                advertise()
                for id in resumable { connection(id)?.resumeReading() }
                if mailbox.isStopped || Task.isCancelled { break }
                armTimer(in: &group)
            }
            sayGoodbye()
            group.cancelAll()
        }
    }

    /// Ends `run()`.
    package nonisolated func stop() {
        mailbox.stop()
    }

    private func load() async throws {
        let identity = dependencies.identity
        loadEnrolments()
        loadJoins()
        bookChanged()
        let (snapshots, authorities, peers) = try await dependencies.storage.read {
            [replica = dependencies.replica] transaction in
            let committer = replica.committer
            return (
                try ZoneViews(committer).snapshots(transaction), try committer.authorities(transaction),
                try transaction.peers()
            )
        }
        var effects: [SyncEffect] = []
        accountChanged(into: &effects)
        for log in identity.contacts.all.values.sorted(by: { $0.account < $1.account }) {
            tellContact(log, into: &effects)
        }
        for authority in authorities { rightsChanged(authority, into: &effects) }
        for snapshot in snapshots { feed(.zoneChanged(snapshot, before: [:]), into: &effects) }
        let plan = self.routes
        for peer in peers {
            if let version = peer.channelVersion { _ = sessions.directory.pin(peer.device, at: version) }
            let keys = plan.keys(reaching: peer.device)
            guard !keys.isEmpty else { continue }
            let routes = peer.addresses.compactMap { PeerAddress($0) }.flatMap { address in
                keys.map { PeerRoute(address: address, key: $0) }
            }
            sessions.directory.remember(peer.device, addresses: routes)
        }
        mailbox.put(.tick(deadline: 0))
    }

    func feed(_ input: SyncInput, into effects: inout [SyncEffect]) {
        let clock = dependencies.clock
        core.handle(input, at: clock.monotonic(), wall: clock.wall(), random: &random, into: &effects)
    }

    private func handle(_ notice: SyncNotice, into effects: inout [SyncEffect]) {
        switch notice {
        case .opened(let connection):
            opened(connection, into: &effects)
        case .message(let id, let bytes):
            received(bytes, on: id, into: &effects)
        case .closed(let id, let reason):
            closed(id, reason: reason, into: &effects)
        case .dialFailed(let dial, let failure):
            dependencies.logger.debug("dial failed", metadata: ["error": "\(failure)"])
            dialFailed(dial, failure)
        case .discovery(let event):
            discovered(event)
        case .committed(let commit) where commit.account != dependencies.identity.account:
            // Committed just before the account was replaced: peers of the new one have no business with it.
            break
        case .committed(let commit):
            for authority in commit.authorities { rightsChanged(authority, into: &effects) }
            for zone in commit.forgotten { forgot(zone, into: &effects) }
            for payload in commit.unwanted { feed(.payloadForgotten(payload), into: &effects) }
            for change in commit.zones {
                feed(.zoneChanged(change.snapshot, before: change.before), into: &effects)
            }
            if commit.zones.contains(where: \.snapshot.genesis.isInternal) { bookChanged() }
        case .input(let input):
            feed(input, into: &effects)
        case .stored(let reply):
            stored(reply, into: &effects)
        case .accountChanged:
            // It was changed here: this device gives the keys to added members, and does not give the next ones to
            // removed members.
            accountChanged(suppliesKeys: true, into: &effects)
        case .contactChanged(let account):
            contactChanged(account, into: &effects)
        case .redeemed(let connection, let outcome):
            decided(outcome, on: connection)
        case .claimed(let claimed):
            heard(claimed)
        case .bookRead(let facts):
            bookRead(facts, into: &effects)
        case .joined(let zone):
            joined(zone)
        case .payloadsMayBeDue:
            mayWantPayloads = true
            mayOweCustody = true
        case .bookMayBeDue:
            bookMayBeDue()
        case .incarnationChanged:
            core.incarnationChanged(dependencies.identity.incarnation)
        case .tick(let deadline):
            armed.remove(deadline)
            feed(.tick, into: &effects)
            tell(activities.due(at: dependencies.clock.monotonic()))
            for anomaly in anomalies.due(at: dependencies.clock.monotonic()) { tell(anomaly) }
        }
    }

    /// Wakes this service when the core or the directory wants to be asked again.
    private func armTimer(in group: inout DiscardingTaskGroup) {
        let now = dependencies.clock.monotonic()
        let dialling = mayDial ? [sessions.directory.nextDue, joins.nextDue(at: now)] : []
        let own = [
            core.nextDeadline, activities.nextDue, anomalies.nextDue, fleetKeyDue, presence.nextDue, reachWaits.nextDue,
            dependencies.replica.health.nextDue,
        ]
        let wanted = (own + dialling).compactMap(\.self).min()
        guard let wanted else { return }
        let deadline = max(wanted, now + 5)
        // A timer that fires earlier asks again.
        guard !armed.contains(where: { $0 <= deadline }) else { return }
        armed.insert(deadline)
        group.addTask { [mailbox] in
            // Cancellation only means that the service ends; a tick too many is harmless.
            try? await Task.sleep(for: .milliseconds(Int64(deadline - now)), tolerance: .milliseconds(5))
            mailbox.put(.tick(deadline: deadline))
        }
    }

    /// No peer serves a removed device, which dials only to deliver its late writes.
    private var mayDial: Bool { transport != nil && (!isRemoved || core.hasLateWrites) }

    private func dialDue() {
        guard let transport, mayDial else { return }
        let (now, plan) = (dependencies.clock.monotonic(), routes)
        for (dial, route, version) in sessions.directory.due(at: now, nextDial: { makeDial() }) {
            guard let secret = plan.secret(of: route.key) else {
                sessions.directory.dialFailed(dial, at: now, random: &random)
                continue
            }
            transport.dial(route.address, id: dial, secret: secret, version: version)
        }
    }

    /// Dials beside the directory: a device at an unknown address is searched under a secret of its own.
    func dialForSearch(_ address: PeerAddress, _ secret: ChannelSecret, _ version: ChannelVersion) {
        guard let transport else { return }
        let dial = makeDial()
        searchDials[dial] = SearchDial(address: address, secret: secret, version: version)
        transport.dial(address, id: dial, secret: secret, version: version)
    }

    /// A channel, whatever it is for; nil for one that has ended.
    func connection(_ id: ConnectionID) -> (any PeerConnection)? {
        links[id]?.connection ?? joins.links[id]?.connection ?? pairing.connections[id]
    }

    /// The highest version of the channel that is spoken here.
    var newestVersion: ChannelVersion { transport?.newestVersion ?? .newest }

    func makeDial() -> DialID {
        defer { nextDial += 1 }
        return nextDial
    }

    private func sayGoodbye() {
        var orders: [SessionEffect] = []
        sessions.sayGoodbye(at: dependencies.clock.monotonic(), into: &orders)
        var effects: [SyncEffect] = []
        perform(orders, into: &effects)
    }
}
