package import Identity
import Mailbox
import Records
import Session
package import Sync
package import Wire

/// A process: the production cores, and between them the least that a driver has to do.
///
/// It follows the production driver step by step: what that does in tasks and queues happens here in events, in the same
/// order.
package final class NodeProcess {
    /// A session's channel.
    struct Link {
        let end: ChannelEnd
        let device: DeviceID
        /// Whether its address is remembered already; only of members.
        var isRemembered = false
        let account: AccountID
        /// The reading of the other clock in the handshake.
        let wallMilliseconds: UInt64
        /// When the session opened, by the monotonic clock.
        let openedAt: UInt64
        /// Set once this side has decided to close: later messages are dropped.
        var isClosing = false
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
    var fleet: FleetDoors
    /// The channels of the recovery words that are answered.
    var recoverySecrets: [ChannelSecret] = []
    /// The keys that another device has handed over, until the log says whether they are good.
    var offeredFleetKey: FleetKey?
    var offeredDoor: RecoveryDoor?
    /// The entry that made the key by which it goes.
    var toldFleetKey: Hash?
    var fleetKeeping = FleetKeeping()
    var fleetKeyDue: UInt64?
    /// In which state each connection is, and how many there are.
    var doorBook = DoorBook<UInt32>()
    /// Joining, on both sides.
    var joiner = ProcessJoiner()
    /// The chance in the account's log; apart from all else.
    var accountRandom: SeededGenerator
    /// A loss of power that was met where errors are taken for those of a disk.
    var powerLoss: PowerLoss?
    /// The account log as this process holds it.
    package internal(set) var log: AccountLog
    /// The logs of other accounts as it holds them.
    package internal(set) var contacts: [AccountID: AccountLog] = [:]
    /// The store's lifetime.
    package internal(set) var incarnation: Incarnation
    /// The synchronisation core.
    package internal(set) var core: SyncCore
    /// Whom it dials.
    package internal(set) var directory: PeerDirectory<Route>
    /// The keys of zones that are shared.
    var doors = Doors()
    /// What was heard by mDNS; kept where somebody may be recognised later.
    var sightings: [String: Sighting] = [:]
    /// By which keys instances in sight are called.
    var sightedKeys: [String: Route.Key] = [:]
    /// By which key each dial under way calls, and in which version of the channel.
    var dialKeys: [UInt64: (key: Route.Key, version: ChannelVersion)] = [:]
    /// Zones of which other accounts have told that this one may take part.
    package internal(set) var offers: [ZoneID: ZoneTerms] = [:]
    /// Accounts that the book says are blocked.
    var blocked: Set<AccountID> = []
    /// Whether a request in the account's book waits for the log of an account.
    var awaitsLogs = false
    var arbiter: SessionArbiter
    /// What others' clocks show.
    var clockWatch: ClockWatch
    /// What is random in transactions; apart from all else, so that it changes no history.
    private var entropy: SeededGenerator
    /// The control logs as they were resolved last; each time it is seen that this changes no answer.
    private let controls = ControlMemory(isChecked: true)
    var ends: [UInt64: ChannelEnd] = [:]
    var links: [SessionID: Link] = [:]
    /// The monotonic clock began at any number.
    private let epoch: UInt64
    private let startedAt: UInt64
    /// When the earliest timer fires, in simulated time.
    private var armed: UInt64?
    /// When the directory wants to be asked next, in monotonic time.
    private var nextDialDue: UInt64?
    private var isDirectoryChanged = true
    /// What the core wants; asked for only after it was given something.
    private var nextCoreDeadline: UInt64?
    private var isCoreChanged = true

    /// Who waits for what a relay says.
    struct Claimant {
        let id: Redemption.ID
        let attempt: JoinAttempt
        let log: AccountLog
        let node: SimulatedNode
    }

    /// Who asks to join by an invitation of which a relay is being asked.
    var claimants: [Claimant] = []

    // What CommitQueue keeps.
    var waiting: [CommitJob] = []
    /// Groups that failed as a whole, to be tried job by job.
    var singles: [CommitJob] = []
    var isCommitting = false
    /// Whether the store may lack what this device once had.
    var isRecovering = false
    var hasMetPeer = false
    /// Whether the store or the account has changed since zones were last looked at for checkpoints.
    var mayNeedCheckpoint = true
    /// Rounds of maintenance so far.
    var maintenanceCount = 0
    /// Whether a job about messages waits for the disk.
    var isInboxBusy = false
    /// Whether the store may know of wanted payloads that the core does not know of; it does at the start.
    var mayWantPayloads = true
    /// Whether there may be something to say to relays that the core does not know of.
    var mayOweCustody = true
    /// Whether cuts could not be applied.
    var isUnsettled = false
    /// What leaves parcels with relays, and takes those that wait.
    var mail: MailboxClient
    var mailFacts = MailFacts()
    var mailSessions: [RelayID: UInt64] = [:]
    var mailDeliveries: [SessionID: (relay: RelayID, parcel: ParcelID, isOwed: Bool)] = [:]
    var mailRandom: SeededGenerator
    var isMailChanged = true
    private var nextMailDeadline: UInt64?
    /// Who the mail was last told is connected, and of whom there are.
    var toldConnected: Set<DeviceID> = []
    var toldMembers: [DeviceID] = []
    /// The newest commit of which the sentinel knows.
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
        fleet = FleetDoors(keyring, log.state)
        node.accountID = log.account
        clockWatch = ClockWatch(account: log.account)
        contacts = ContactsFile.decode(disk.contents(of: .contacts) ?? [])
        var store = disk.database ?? MemoryStore(feedIdentity: node.random.bytes(16))
        // Keys of zones are opened anew by each process.
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
        core = SyncCore(
            localDevice: keys.deviceID,
            incarnation: lifetime.incarnation,
            account: log.account,
            limits: node.simulation.options.limits,
            program: ProgramNote(version: "simulated")
        )
        directory = PeerDirectory(localDevice: keys.deviceID, newest: node.agreement.newest)
        mail = MailboxClient(localDevice: keys.deviceID)
        mailRandom = SeededGenerator(seed: simulation.seed ^ UInt64(node.index) << 40 ^ UInt64(node.life) << 24)
        arbiter = SessionArbiter(localDevice: keys.deviceID)
        simulation.trace.mix(lifetime.incarnation.bytes)
        var beginning = DecidedTransaction(on: node, by: nil, before)
        beginning.after = store
        try simulation.judge.committed(beginning, on: node, in: simulation)
    }

    /// Settles what a crash may have left undone, and tells the core what is known.
    func begin() throws {
        let committer = committer()
        var transaction = DecidedTransaction(on: node, by: self, try node.disk.read())
        var notice = try committer.applyCuts(in: &transaction.after)
        notice.merge(try committer.renewKeysWhereDue(in: &transaction.after))
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
        loadEnrolments()
        accountSecretsChanged()
        configureRoutes()
        try feed(.accountChanged(heads: log.announcedHeads, standings: standings))
        var effects: [SyncEffect] = []
        try settleRecoverySecret(into: &effects)
        try settleFleetKeys(into: &effects)
        try perform(&effects)
        for (account, contact) in contacts.sorted(by: { $0.key < $1.key }) {
            let standings = Standing.all(in: contact.state)
            try feed(.contactChanged(account, heads: contact.announcedHeads, standings: standings))
        }
        for authority in try committer.authorities(store) { try rightsChanged(authority) }
        for peer in try store.peers() {
            if let version = peer.channelVersion { _ = directory.pin(peer.device, at: version) }
            guard let key = key(reaching: peer.device) else { continue }
            let addresses = peer.addresses.compactMap { NetworkAddress($0) }
            directory.remember(peer.device, addresses: addresses.map { Route(address: $0, key: key) })
        }
        for snapshot in try committer.snapshots(store) { try feed(.zoneChanged(snapshot, before: [:])) }
        simulation.discovery.announce(node, instance: instanceName)
        scheduleMaintenance()
        bookChanged()
        readMailRelays()
        directoryChanged()
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
        links.sorted { $0.key < $1.key }.filter { !$0.value.isClosing }.map(\.value.device)
    }

    /// Jobs that wait for a transaction.
    package var waitingJobCount: Int { waiting.count + singles.count }

    /// What the logs of all accounts say that are known here, this one's among them.
    var accounts: KnownAccounts {
        var accounts = KnownAccounts()
        for contact in contacts.values { accounts.add(contact) }
        accounts.add(log)
        return accounts
    }

    /// Who we are at this moment.
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
            // Zones are small here: half of the nodes regard them as large.
            soonAdoptedCount: node.index.isMultiple(of: 2) ? 0 : ReplicaLimits.soonAdoptedCount
        )
    }

    /// What each device that the account log knows is to us.
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

    func feed(_ input: SyncInput) throws {
        var effects: [SyncEffect] = []
        handle(input, into: &effects)
        try perform(&effects)
    }

    func handle(_ input: SyncInput, into effects: inout [SyncEffect]) {
        isCoreChanged = true
        core.handle(input, at: monotonic, wall: node.wallMilliseconds, random: &node.random, into: &effects)
    }

    func directoryChanged() {
        isDirectoryChanged = true
    }

    /// A timer fired.
    func woken() throws {
        // A timer that an earlier one has overtaken does nothing, else there would be more and more of them.
        guard armed == simulation.now else { return }
        armed = nil
        simulation.trace.note(.wake, at: simulation.now, node: node.index)
        try feed(.tick)
        try feedMail(.tick)
        try settle()
    }

    /// Dials whom it is time to dial, and sets the timer; done after whatever happened to the node.
    func settle() throws {
        lookForPayloads()
        lookForCustody()
        try settleMail()
        try renewFleetKeyIfDue()
        if joiner.desk.offer != nil || !joiner.desk.retired.isEmpty { try endExpiredOffers() }
        let now = monotonic
        if isDirectoryChanged || (nextDialDue.map { $0 <= now } ?? false) {
            isDirectoryChanged = false
            if standing(of: device) == .removed, !core.hasLateWrites {
                nextDialDue = nil
            } else {
                for (dial, route, version) in directory.due(at: now, nextDial: { simulation.makeNumber() }) {
                    dialKeys[dial] = (route.key, version)
                    simulation.network.dial(from: node, to: route.address, dial: dial)
                }
                nextDialDue = directory.nextDue
            }
        }
        if isCoreChanged {
            isCoreChanged = false
            nextCoreDeadline = core.nextDeadline
            if let deadline = nextCoreDeadline, deadline <= now {
                throw Violation(invariant: 10, node: node.index, "the core wants to be woken in the past")
            }
        }
        if isMailChanged {
            isMailChanged = false
            nextMailDeadline = mail.nextDeadline
        }
        guard let wanted = [nextCoreDeadline, nextDialDue, nextMailDeadline, fleetKeyDue].compactMap({ $0 }).min()
        else { return }
        let deadline = simulation.now + max(wanted, now + 5) - now
        if let armed, armed <= deadline { return }
        armed = deadline
        simulation.insert(.wake(node, life: life), at: deadline)
    }
}
