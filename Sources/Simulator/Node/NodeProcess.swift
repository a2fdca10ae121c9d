package import Identity
import Mailbox
package import Peering
import Records
import Session
package import Sync
package import Wire

/// A process: the production cores, with a minimal driver between them.
///
/// The work of the production driver's tasks and queues happens here in events, in the same order.
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

    /// A session's channel.
    struct Link {
        let end: ChannelEnd
        let device: DeviceID
        let account: AccountID
    }

    unowned let node: SimulatedNode
    unowned let simulation: Simulation
    let life: Int
    /// 16 random bytes of this process.
    package let boot: [UInt8]
    let keys: DeviceIdentity
    let certificate: [UInt8]
    /// The account's secrets.
    package internal(set) var keyring: AccountKeyring
    /// The keys by which the account's devices call each other.
    var fleet: FleetChannelKeys
    /// The channels under recovery words that are answered.
    var recoverySecrets: [ChannelSecret] = []
    /// The keys received from another device, until the log tells whether they are valid.
    var offeredFleetKey: FleetKey?
    var offeredDoor: RecoveryDoor?
    /// The state of each connection, and the numbers of connections.
    var doorBook = DoorBook<UInt32>()
    /// A separate source of randomness for the account's log.
    var accountRandom: SeededGenerator
    /// A loss of power that occurred where errors are taken for errors of a disk.
    var powerLoss: PowerLoss?
    /// The account log as this process holds it.
    package internal(set) var log: AccountLog { didSet { accountRevision += 1 } }
    /// The logs of other accounts as it holds them.
    package internal(set) var contacts: [AccountID: AccountLog] = [:] { didSet { accountRevision += 1 } }
    /// Changes with the logs of accounts that this process holds.
    private(set) var accountRevision: UInt64 = 0
    /// The store's incarnation.
    package internal(set) var incarnation: Incarnation
    /// The core of its dealings with peers.
    package internal(set) var core: Core
    /// The dials under way.
    var dials: [UInt64: Dial] = [:]
    /// The readings of other devices' clocks.
    var clockWatch: ClockWatch
    /// A separate source of randomness for transactions, so that they change no history.
    private var entropy: SeededGenerator
    /// The control logs as last resolved; each use checks that this cache changes no answer.
    private let controls = ControlMemory(isChecked: true)
    var ends: [UInt64: ChannelEnd] = [:]
    var links: [SessionID: Link] = [:]
    /// The initial reading of the monotonic clock, an arbitrary number.
    private let epoch: UInt64
    private let startedAt: UInt64
    /// The time at which the earliest timer fires, in simulated milliseconds.
    private var armed: UInt64?

    // The state of `CommitQueue`.
    var waiting: [CommitJob] = []
    /// Jobs of groups that failed as a whole, to be tried one by one.
    var singles: [CommitJob] = []
    var isCommitting = false
    /// Whether the store may lack operations that this device once had.
    var isRecovering = false
    var hasMetPeer = false
    /// Whether the store or the account has changed since zones were last looked at for checkpoints.
    var mayNeedCheckpoint = true
    /// The number of rounds of maintenance so far.
    var maintenanceCount = 0
    /// Whether a job about messages waits for the disk.
    var isInboxBusy = false
    /// Whether the store may know wanted payloads that the core does not know; it does at the start.
    var mayWantPayloads = true
    /// Whether there may be requests for relays that the core does not know.
    var mayOweCustody = true
    /// Whether cuts could not be applied.
    var isUnsettled = false
    /// The client that leaves parcels with relays, and takes waiting ones.
    var mail: MailboxClient
    var mailFacts = MailFacts()
    var mailSessions: [RelayID: UInt64] = [:]
    var mailDeliveries: [SessionID: (relay: RelayID, parcel: ParcelID, isOwed: Bool)] = [:]
    var mailRandom: SeededGenerator
    var isMailChanged = true
    private var nextMailDeadline: UInt64?
    /// The connected devices and the members, as last reported to the mail client.
    var toldConnected: Set<DeviceID> = []
    var toldMembers: [DeviceID] = []
    /// The newest commit that the sentinel knows.
    var sentinelNumber: UInt64 = 0

    /// Performs the production start-up up to the point where the store is ready.
    init(node: SimulatedNode) throws {
        self.node = node
        simulation = node.simulation
        life = node.life
        startedAt = node.simulation.now
        epoch = node.random.number(0...1_000_000)
        let disk = node.disk
        entropy = SeededGenerator(seed: simulation.seed ^ UInt64(node.index) << 48 ^ UInt64(node.life) << 32)
        keys = disk.keys.device.keys
        certificate = disk.keys.device.certificate.signed.encoded
        accountRandom = SeededGenerator(
            seed: simulation.seed ^ UInt64(node.index) << 44 ^ UInt64(node.life) << 28 ^ 0x4143_4354
        )
        try Self.settleEntering(disk)
        keyring = Self.keyring(on: disk)
        log = try AccountFile.decode(disk.contents(of: .accountLog) ?? [])
        fleet = FleetChannelKeys(keyring, log.state.fleet)
        node.accountID = log.account
        clockWatch = ClockWatch(account: log.account)
        contacts = ContactsFile.decode(disk.contents(of: .contacts) ?? [])
        var store = disk.database ?? MemoryStore(feedIdentity: node.random.bytes(16))
        // Each process opens the keys of zones again.
        store.keyring = EpochKeyring()
        store.controlBounds = node.simulation.options.controlBounds
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
        let sentinel = Sentinel(
            incarnation: lifetime.incarnation,
            commitNumber: lifetime.commitNumber,
            machine: disk.machineName
        )
        try disk.write(sentinel.encoded, to: .sentinel, at: simulation.now)
        sentinelNumber = lifetime.commitNumber
        isRecovering = lifetime.isRecovering && log.state.activeDevices.count > 1
        boot = node.random.bytes(HandshakePayload.bootByteCount)
        let sync = SyncCore(
            localDevice: keys.deviceID,
            incarnation: lifetime.incarnation,
            account: log.account,
            limits: node.simulation.options.limits,
            program: ProgramNote(version: "simulated")
        )
        core = Core(sync, device: keys.deviceID, newest: node.agreement.newest)
        mail = MailboxClient(localDevice: keys.deviceID)
        mailRandom = SeededGenerator(seed: simulation.seed ^ UInt64(node.index) << 40 ^ UInt64(node.life) << 24)
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
        accountSecretsChanged()
        try loadEnrolments()
        loadInvitations()
        try step { core, turn in
            core.configure(staticAddresses, in: &turn)
            core.begin(try Core.Start(committer, in: store), in: &turn)
        }
        simulation.discovery.announce(node, instance: instanceName)
        scheduleMaintenance()
        readBook()
        readMailRelays()
    }

    // MARK: Facts

    /// This device.
    package var device: DeviceID { keys.deviceID }

    /// The writer of this store's logs.
    package var actor: ActorID { ActorID(device: device, incarnation: incarnation, right: .zero) }

    /// Milliseconds of the monotonic clock.
    package var monotonic: UInt64 { simulation.now - startedAt + epoch }

    /// The devices with a session that is not being closed, one entry a session.
    package var sessionDevices: [DeviceID] {
        core.sessions.ids.filter(core.sessions.isOpen).compactMap { core.sessions[$0]?.device }
    }

    /// The number of jobs that wait for a transaction.
    package var waitingJobCount: Int { waiting.count + singles.count }

    /// The states by the logs of all accounts known here, including this one's.
    var accounts: KnownAccounts {
        var accounts = KnownAccounts()
        for contact in contacts.values { accounts.add(contact) }
        accounts.add(log)
        return accounts
    }

    /// A committer with the present identity and knowledge of this process.
    package func committer() -> Committer {
        Committer(
            keys: keys,
            account: log.state,
            contacts: contacts.mapValues(\.state),
            keyring: keyring,
            wallMilliseconds: node.wallMilliseconds,
            witnesses: clockWatch.witnesses(at: monotonic),
            envelopes: simulation.options.isSealed ? StandInEnvelopes(deceiving: node.deceived) : nil,
            entropy: TransactionEntropy(using: &entropy),
            controls: controls,
            // Zones are small here: half of the nodes treat them as large.
            soonAdoptedCount: node.index.isMultiple(of: 2) ? 0 : ReplicaLimits.soonAdoptedCount
        )
    }

    /// The standing of each device that the account log knows.
    var standings: [DeviceID: Standing] { Standing.all(in: log.state) }

    func standing(of device: DeviceID) -> Standing { Standing(log.state.standing(of: device)) }

    var instanceName: String { "kairan-" + Hexadecimal.encode(boot.suffix(6)) }

    var staticAddresses: [NetworkAddress] {
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
                in: ProcessAccount(self),
                at: monotonic,
                wall: node.wallMilliseconds,
                random: &node.random,
                body
            )
        } catch {
            throw powerLoss ?? error
        }
        if let powerLoss { throw powerLoss }
        for effect in effects { try perform(effect) }
    }

    func feed(_ input: SyncInput) throws { try step { $0.feed(input, in: &$1) } }

    /// A timer fired.
    func woken() throws {
        // A timer that an earlier one has replaced does nothing, or there would be more and more of them.
        guard armed == simulation.now else { return }
        armed = nil
        simulation.trace.note(.wake, at: simulation.now, node: node.index)
        try feed(.tick)
        try feedMail(.tick)
        try settle()
    }

    /// Does what is due, and sets the timer; called after every event of the node.
    func settle() throws {
        lookForPayloads()
        lookForCustody()
        try settleMail()
        try step { $0.doDue(mayDial: true, nextDial: { simulation.makeNumber() }, in: &$1) }
        let now = monotonic
        let due = core.nextDue(at: now)
        if core.spins {
            throw Violation(invariant: 10, node: node.index, "the core's deadline is in the past")
        }
        if isMailChanged {
            isMailChanged = false
            nextMailDeadline = mail.nextDeadline
        }
        guard let wanted = [due, nextMailDeadline].compactMap({ $0 }).min() else { return }
        let deadline = simulation.now + max(wanted, now + 5) - now
        if let armed, armed <= deadline { return }
        armed = deadline
        simulation.insert(.wake(node, life: life), at: deadline)
    }
}
