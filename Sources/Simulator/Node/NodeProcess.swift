package import Identity
package import Peering
import Records
import Session
package import Sync
package import Wire

/// A process: the production cores, with a minimal driver between them.
///
/// The work of the production driver's tasks and queues happens here in events, in the same order.
/// Each part of the driver is a type that owns its state.
package final class NodeProcess {
    /// The types with which the simulator runs the core.
    package enum Environment: PeerEnvironment {
        /// An address of the virtual network.
        package typealias Address = NetworkAddress
        /// An announcement by the virtual mDNS.
        package typealias Sighting = ProcessSighting
        /// The account as the process holds it.
        package typealias Account = ProcessAccount
        /// The node's source of randomness.
        package typealias Random = SeededGenerator
    }

    /// The core of the daemon, over virtual things.
    package typealias Core = PeerCore<Environment>

    unowned let node: SimulatedNode
    unowned let simulation: Simulation
    let life: Int
    /// 16 random bytes of this process.
    package let boot: [UInt8]
    /// The account, with its secrets.
    package let account: ProcessAccount
    /// The store's incarnation.
    package private(set) var incarnation: Incarnation
    /// The core of its dealings with peers.
    package internal(set) var core: Core
    private let clock: ProcessClock
    var sentinel: ProcessSentinel
    /// The time at which the earliest timer fires, in simulated milliseconds.
    private var armed: UInt64?
    private(set) lazy var channels = ProcessChannels(self)
    private(set) lazy var commits = ProcessCommits(self)
    private(set) lazy var storeWork = ProcessStoreWork(self)
    private(set) lazy var upkeep = ProcessUpkeep(self)
    private(set) lazy var inbox = ProcessInbox(self)
    private(set) lazy var assets = ProcessAssets(self)
    private(set) lazy var fileLinks = ProcessLinks(self)
    private(set) lazy var mail = ProcessMail(self)

    /// Performs the production start-up up to the point where the store is ready.
    init(node: SimulatedNode) throws {
        self.node = node
        simulation = node.simulation
        life = node.life
        clock = ProcessClock(node)
        account = try ProcessAccount(node, clock)
        let disk = node.disk
        var store = disk.database ?? MemoryStore(feedIdentity: node.random.bytes(16))
        // Each process opens the keys of zones again.
        store.keyring = EpochKeyring()
        store.controlBounds = node.simulation.options.controlBounds
        store.linkedFiles = node.linkedFiles
        let before = store
        let lifetime = try StoreLifetime.begin(
            hasKeys: node.hasStarted,
            sentinel: IncarnationDecision.SentinelState(bytes: disk.contents(of: .sentinel)),
            machine: disk.machineName,
            random: &node.random,
            in: &store
        )
        try disk.write(store)
        try disk.sync()
        incarnation = lifetime.incarnation
        sentinel = try ProcessSentinel(lifetime, on: disk, at: node.simulation.now)
        boot = node.random.bytes(HandshakePayload.bootByteCount)
        var limits = node.simulation.options.limits
        // Without contents there is nothing to ask about.
        if !node.simulation.options.hasAssets { limits.holderDelayMilliseconds = nil }
        let sync = SyncCore(
            localDevice: account.keys.deviceID,
            incarnation: lifetime.incarnation,
            account: account.log.account,
            limits: limits,
            program: ProgramNote(version: "simulated")
        )
        core = Core(sync, device: account.keys.deviceID, newest: node.agreement.newest)
        simulation.trace.mix(lifetime.incarnation.bytes)
        var beginning = DecidedTransaction(on: node, by: nil, before)
        beginning.after = store
        try simulation.judge.committed(beginning, on: node, in: simulation)
    }

    /// Completes work that a crash may have interrupted, and passes the known facts to the core.
    func begin() throws {
        let committer = committer()
        var transaction = DecidedTransaction(on: node, by: self, try node.disk.read())
        var notice = try AccountUpkeep(committer).applyCuts(in: &transaction.after)
        notice.merge(try EpochKeys(committer).renewWhereDue(in: &transaction.after))
        if notice.number != nil {
            try node.disk.write(transaction.after)
            try node.disk.sync()
            transaction.notices = [notice]
            try simulation.judge.committed(transaction, on: node, in: simulation)
            try announce(notice)
        } else {
            node.disk.keep(transaction.after.keyring)
        }
        let store = transaction.after
        try loadEnrolments()
        loadInvitations()
        try step { core, turn in
            core.configure(staticAddresses, in: &turn)
            core.begin(try Core.Start(committer, in: store), in: &turn)
        }
        simulation.discovery.announce(node, instance: instanceName)
        upkeep.begin()
        storeWork.readBook()
        mail.readRelays()
        try assets.settle()
        if simulation.options.hasLinks { try fileLinks.look() }
    }

    // MARK: Facts

    /// The keys of the device.
    var keys: DeviceIdentity { account.keys }
    /// This device.
    package var device: DeviceID { keys.deviceID }
    /// The account log as this process holds it.
    package var log: AccountLog { account.log }
    /// The account's secrets.
    package var keyring: AccountKeyring { account.keyring }
    /// The keys by which the account's devices call each other.
    var fleet: FleetChannelKeys { account.fleetKeys }
    /// The states by the logs of all accounts known here, including this one's.
    var accounts: KnownAccounts { account.known }
    /// Changes with the logs of accounts that this process holds.
    var accountRevision: UInt64 { account.revision }
    /// The connections.
    var ends: [UInt64: ChannelEnd] { channels.ends }
    /// The channels that are sessions.
    var links: [SessionID: ProcessChannels.Link] { channels.links }
    /// The number of jobs that wait for a transaction.
    package var waitingJobCount: Int { commits.waitingCount }
    /// Milliseconds of the monotonic clock.
    package var monotonic: UInt64 { clock.monotonic }

    /// The devices with a session that is not being closed, one entry a session.
    package var sessionDevices: [DeviceID] {
        core.sessions.ids.filter(core.sessions.isOpen).compactMap { core.sessions[$0]?.device }
    }

    /// A committer with the present identity and knowledge of this process.
    package func committer() -> Committer { account.committer() }

    func standing(of device: DeviceID) -> Standing { Standing(log.state.standing(of: device)) }

    var instanceName: String { "kairan-" + Hexadecimal.encode(boot.suffix(6)) }

    private var staticAddresses: [NetworkAddress] {
        let network = simulation.network
        let count = simulation.nodes.count
        switch simulation.options.staticPeers {
        case .all: return (0..<count).map { network.address(of: $0) }
        case .ring: return count > 1 ? [network.address(of: (node.index + 1) % count)] : []
        case .none: return []
        }
    }

    // MARK: The core

    /// Makes a step of the core, and performs its effects.
    func step(_ body: (inout Core, inout Core.Turn) throws -> Void) throws {
        let effects: [Core.Effect]
        do {
            effects = try core.step(
                in: account,
                at: monotonic,
                wall: node.wallMilliseconds,
                random: &node.random,
                body
            )
        } catch {
            throw account.powerLoss ?? error
        }
        if let powerLoss = account.powerLoss { throw powerLoss }
        for effect in effects { try perform(effect) }
    }

    func feed(_ input: SyncInput) throws { try step { $0.feed(input, in: &$1) } }

    /// Passes the core the decision about a request to take part in a zone.
    func decided(_ outcome: RedemptionOutcome, on id: SessionID) throws {
        try step { $0.decided(outcome, on: id, in: &$1) }
    }

    /// Handles the sighting of an announcement.
    func sighted(_ sighting: ProcessSighting) throws {
        guard sighting.instanceName != instanceName else { return }
        try step { $0.sighted(sighting, in: &$1) }
    }

    /// Handles the end of an announcement.
    func withdrawn(_ instance: String) { core.withdrawn(instance, interfaceName: "virtual") }

    /// Sends a goodbye to all peers, at the end of the process.
    func sayGoodbye() throws { try step { $0.sayGoodbye(in: &$1) } }

    /// Reports the changes of a job, in the order of the commits.
    func announce(_ notice: CommitNotice) throws {
        if let renewed = notice.renewed { incarnation = renewed }
        try sentinel.follow(notice, of: incarnation, at: simulation.now)
        if notice.renewed != nil {
            simulation.trace.mix(incarnation.bytes)
            core.sync.incarnationChanged(incarnation)
        }
        try step { core, turn in
            if let changes = notice.peers { core.committed(changes, in: &turn) }
        }
        if notice.zones.contains(where: \.snapshot.genesis.isInternal) { mail.readRelays() }
        try mail.feed(.changed(notice.peers?.changedZones ?? []))
        if notice.needsInbox || notice.mayChangeRights {
            try inbox.settle(notice.mayChangeRights ? .everything : .messages)
        }
        if notice.hasWants { storeWork.assetsWanted() }
        if !notice.custody.isEmpty { try storeWork.custodyChanged(notice.custody) }
        if notice.needsAssetRound || notice.mayChangeRights { try assets.settle() }
    }

    // MARK: Time

    /// A timer fired.
    func woken() throws {
        // A timer that an earlier one has replaced does nothing, or there would be more and more of
        // them.
        guard armed == simulation.now else { return }
        armed = nil
        simulation.trace.note(.wake, at: simulation.now, node: node.index)
        try feed(.tick)
        try mail.feed(.tick)
        try settle()
    }

    /// Does what is due, and sets the timer; called after every event of the node.
    func settle() throws {
        storeWork.lookForPayloads()
        try mail.settle()
        try step { $0.doDue(mayDial: true, nextDial: { simulation.makeNumber() }, in: &$1) }
        let now = monotonic
        let due = core.nextDue(at: now)
        if core.spins {
            throw Violation(invariant: 10, node: node.index, "the core's deadline is in the past")
        }
        guard let wanted = [due, mail.nextDue].compactMap({ $0 }).min() else { return }
        let deadline = simulation.now + max(wanted, now + 5) - now
        if let armed, armed <= deadline { return }
        armed = deadline
        simulation.insert(.wake(node, life: life), at: deadline)
    }
}
