import Identity
import Logging
import Peering
import Session
import Sodium
import Sync
import Wire

/// Runs the core of this device's dealings with peers: passes it events, and performs its effects.
///
/// It owns connections, the clock and the store, and those who wait for outcomes. No decision that matters to the protocol is made here.
package actor SyncService {
    /// The types with which the daemon runs the core.
    enum Environment: PeerEnvironment {
        typealias Address = PeerAddress
        typealias Sighting = ServiceSighting
        typealias Account = NodeIdentity
        typealias Random = SystemRandom
    }

    typealias Core = PeerCore<Environment>

    /// The store and the work on it, for services that deal with peers.
    package struct Dependencies: Sendable {
        let storage: any StoragePort
        let commits: CommitQueue
        let commitService: CommitService

        var identity: NodeIdentity { commitService.identity }
        var hub: EventHub { commitService.hub }
        var clock: NodeClock { commitService.clock }
        var measures: NodeMetrics { commitService.measures }
        var logger: Logger { commitService.logger }
    }

    let facts: ChannelQueue<SyncFact>
    /// The queue of the service that leaves parcels with relays, and takes waiting ones.
    let mail: ChannelQueue<MailService.Fact>
    let dependencies: Dependencies
    var core: Core
    /// Effects of the core that are not performed yet.
    private var waiting: [Core.Effect] = []
    /// The sessions as people see them.
    var board: PeerBoard
    var reporter: PeerReporter
    var random = SystemRandom()
    var transport: (any TransportPort)?
    var discovery: (any DiscoveryPort)?
    /// This process as mDNS shows it.
    var instance: OwnInstance
    var discoveryBoard: DiscoveryBoard
    private var nextDial: DialID = 1
    var guestOrders = GuestOrders()
    var holderCalls = HolderCalls()
    /// Deadlines for which a timer sleeps.
    ///
    /// Each new one is earlier than all others, so they stay few.
    var armed: Set<UInt64> = []
    /// Whether the store may know of wanted payloads that the core does not know of; it does at the start.
    var mayWantPayloads = true
    /// Whether there may be requests for relays that the core does not know.
    var mayOweCustody = true
    /// The callers that wait for peers to answer.
    var presence = PresenceWaits()
    /// The callers that wait for peers to try whether they can connect to this device.
    var reachWaits = ReachWaits()

    init(
        facts: ChannelQueue<SyncFact>,
        dependencies: Dependencies,
        mail: ChannelQueue<MailService.Fact>,
        boot: [UInt8]
    ) {
        self.facts = facts
        self.mail = mail
        self.dependencies = dependencies
        instance = OwnInstance(boot: boot)
        discoveryBoard = DiscoveryBoard(dependencies.commitService.health)
        let identity = dependencies.identity
        board = PeerBoard(identity: identity, clock: dependencies.clock, hub: dependencies.hub)
        reporter = PeerReporter(dependencies)
        let core = SyncCore(
            localDevice: identity.device,
            incarnation: identity.incarnation,
            account: identity.account,
            program: ProgramNote(version: Node.version)
        )
        self.core = Core(core, device: identity.device)
    }

    /// Gives the service its ways to the outside, before `run()`.
    package func connect(transport: any TransportPort, discovery: (any DiscoveryPort)?, peers: [PeerAddress]) {
        self.transport = transport
        self.discovery = discovery
        core.speak(upTo: transport.newestVersion, as: dependencies.identity.device)
        step { $0.configure(peers, in: &$1) }
    }

    /// Sets how many bytes are kept for others at most, before `run()`.
    package func limitCustody(to byteCount: UInt64) { core.sync.limitCustody(to: byteCount) }

    /// Sets how long devices are waited for before a relay is asked, before `run()`.
    func setGrace(milliseconds: UInt64) { core.sync.setGrace(milliseconds: milliseconds) }

    /// Loads the state from the store, then works until it is stopped.
    package func run() async throws {
        defer {
            guestOrders.close()
            holderCalls.close()
            presence.close()
            reachWaits.close()
        }
        try await load()
        presence.open()
        reachWaits.open()
        await withDiscardingTaskGroup { group in
            if let discovery {
                group.addTask { [facts] in
                    for await event in discovery.events { facts.put(.discovery(event)) }
                }
            }
            for await _ in facts.wake {
                let (notices, resumable) = facts.take()
                performWaiting(in: &group)
                for notice in notices {
                    handle(notice)
                    performWaiting(in: &group)
                }
                lookForPayloads(in: &group)
                lookForCustody(in: &group)
                lookForContents(in: &group)
                dependencies.commitService.health.look()
                step { $0.doDue(mayDial: transport != nil, nextDial: makeDial, in: &$1) }
                performWaiting(in: &group)
                if let connected = board.publishConnected(core) { mail.put(.connected(connected)) }
                answerPresence()
                answerReach()
                advertise()
                for id in resumable { board.connections[id]?.resumeReading() }
                if facts.isStopped || Task.isCancelled { break }
                armTimer(in: &group)
            }
            step { $0.sayGoodbye(in: &$1) }
            performWaiting(in: &group)
            group.cancelAll()
        }
    }

    /// Makes a step of the core; its effects are performed by ``run()``.
    func step(_ body: (inout Core, inout Core.Turn) throws -> Void) rethrows {
        let clock = dependencies.clock
        let effects = try core.step(
            in: dependencies.identity,
            at: clock.monotonic(),
            wall: clock.wall(),
            random: &random,
            body
        )
        for effect in effects {
            if case .secretsChanged = effect {
                // At once: a ticket that a caller hands out is accepted.
                dependencies.identity.setTicketSecrets(core.joiningSecrets)
                dependencies.identity.setSharingSecrets(core.sharingSecrets)
            } else {
                waiting.append(effect)
            }
        }
    }

    /// Makes a step on behalf of a caller, and wakes ``run()`` for its effects.
    func stepAside(_ body: (inout Core, inout Core.Turn) throws -> Void) rethrows {
        try step(body)
        facts.put(.tick(deadline: 0))
    }

    /// Looks at the core on behalf of a caller.
    func look<Value: Sendable>(_ body: @Sendable (borrowing Core) -> Value) -> Value { body(core) }

    /// Changes the core on behalf of a caller, and wakes ``run()`` for what follows.
    func use<Value: Sendable>(_ body: @Sendable (inout Core) -> Value) -> Value {
        defer { facts.put(.tick(deadline: 0)) }
        return body(&core)
    }

    /// Opens an invitation, which is stored first: a link is opened once, and its answer may come after a restart.
    /// - Returns: Whether there was room for it.
    /// - Throws: An error of the file; then it is not opened.
    func open(_ link: InviteLink) throws -> Bool {
        guard core.open(link, at: dependencies.clock.wall()) else { return false }
        do {
            try keepInvitations()
            return true
        } catch {
            stepAside { $0.forget(link.secret.identifier, in: &$1) }
            throw error
        }
    }

    /// Stores the opened invitations.
    func keepInvitations() throws {
        try dependencies.identity.files.joins.replace(OpenedInvitations(core.invitations).encoded)
    }

    /// Performs the effects of the steps so far, and of the steps that they lead to.
    private func performWaiting(in group: inout DiscardingTaskGroup) {
        while !waiting.isEmpty {
            let effects = waiting
            waiting = []
            for effect in effects { perform(effect, in: &group) }
        }
    }

    /// Ends `run()`.
    package nonisolated func stop() {
        facts.stop()
    }

    private func load() async throws {
        let (files, logger) = (dependencies.identity.files, dependencies.logger)
        if let book = EnrolmentBook.read(files.enrolments, dependencies.commitService.health) {
            step { $0.load(book, in: &$1) }
        }
        for (link, opened) in OpenedInvitations.read(files.joins, logger) { _ = core.open(link, at: opened) }
        readBook()
        let start = try await dependencies.storage.read { [commitService = dependencies.commitService] transaction in
            try Core.Start(commitService.committer, in: transaction)
        }
        step { $0.begin(start, in: &$1) }
        facts.put(.tick(deadline: 0))
    }

    private func handle(_ notice: ChannelQueue<SyncFact>.Notice) {
        switch notice {
        case .opened(let connection):
            opened(connection)
        case .message(let id, let bytes):
            step { $0.received(bytes, on: id, in: &$1) }
        case .closed(let id, let reason):
            closed(id, reason: reason)
        case .dialFailed(let dial, let failure):
            dependencies.logger.debug("dial failed", metadata: ["error": "\(failure)"])
            step { $0.dialFailed(dial, because: DialObstacle(failure), in: &$1) }
            board.lookForTroubles(core, health: dependencies.commitService.health)
        case .fact(let fact):
            handle(fact)
        }
    }

    private func handle(_ fact: SyncFact) {
        switch fact {
        case .discovery(let event):
            discovered(event)
        case .committed(let changes) where changes.account != dependencies.identity.account:
            // Committed just before the account was replaced: peers of the new one have no business with it.
            break
        case .committed(let changes):
            step { $0.committed(changes, in: &$1) }
        case .input(let input):
            step { $0.feed(input, in: &$1) }
        case .stored(let reply):
            stored(reply)
        case .accountChanged:
            // It was changed here: this device gives the keys to added members, and does not give the next ones to
            // removed members.
            step { $0.accountChanged(suppliesKeys: true, in: &$1) }
        case .redeemed(let connection, let outcome):
            step { $0.decided(outcome, on: connection, in: &$1) }
        case .claimed(let claimed):
            step { $0.heard(claimed, in: &$1) }
        case .bookRead(let facts):
            step { $0.bookRead(facts, in: &$1) }
        case .joined(let zone):
            step { $0.entered(zone, in: &$1) }
        case .payloadsMayBeDue:
            mayWantPayloads = true
            mayOweCustody = true
        case .bookMayBeDue:
            // Called after a round of maintenance: requests that wait for the log of an account may have waited long enough.
            if core.book.awaitsLogs { readBook() }
        case .incarnationChanged:
            core.sync.incarnationChanged(dependencies.identity.incarnation)
        case .tick(let deadline):
            armed.remove(deadline)
            step { $0.feed(.tick, in: &$1) }
            reporter.reportDue()
        }
    }

    private func opened(_ connection: any PeerConnection) {
        board.connections[connection.id] = connection
        let channel = PeerChannel(
            id: connection.id,
            dial: connection.dial,
            handshake: connection.handshake,
            origin: "\(connection.address)",
            address: { connection.reachableAddress(listenPort: $0) }
        )
        step { $0.opened(channel, in: &$1) }
        board.lookForTroubles(core, health: dependencies.commitService.health)
    }

    private func closed(_ id: ConnectionID, reason: CloseReason) {
        let isRefused = reason == .peer(CloseCode(rawValue: SyncCloseCode.refused.rawValue))
        step { $0.closed(id, isRefused: isRefused, in: &$1) }
        guard let link = board.closed(id) else { return }
        dependencies.logger.info(
            "session closed",
            metadata: ["peer.id": "\(link.device.shortText)", "reason": "\(reason.words)"]
        )
    }

    /// Wakes this service when the core or the directory wants to be asked again.
    private func armTimer(in group: inout DiscardingTaskGroup) {
        let now = dependencies.clock.monotonic()
        let due = [
            core.nextDue(at: now), reporter.nextDue, presence.nextDue, reachWaits.nextDue,
            dependencies.commitService.health.nextDue,
        ]
        guard let wanted = due.compactMap(\.self).min() else { return }
        let deadline = max(wanted, now + 5)
        // A timer that fires earlier asks again.
        guard !armed.contains(where: { $0 <= deadline }) else { return }
        armed.insert(deadline)
        group.addTask { [facts] in
            // Cancellation only means that the service ends; a tick too many is harmless.
            try? await Task.sleep(for: .milliseconds(Int64(deadline - now)), tolerance: .milliseconds(5))
            facts.put(.tick(deadline: deadline))
        }
    }

    private func makeDial() -> DialID {
        defer { nextDial += 1 }
        return nextDial
    }
}
