import Wire

/// One session as the core sees it: the peer, and each exchange with it.
///
/// Its functions append their effects to the context. At most they begin to leave: ``Replication`` ends the
/// session.
struct PeerSession: Sendable {
    /// The phase of the session.
    enum Phase: Sendable, Equatable {
        /// The device is not in its account's log as we hold it, or was removed, or has called by an earlier key of the
        /// account's devices: only account entries are exchanged until a deadline, and late writes of a removed device
        /// of this account are taken.
        case confirming(until: UInt64)
        /// The device is a member, or receives public zones only.
        case active
        /// The same, but the two accounts share nothing any more: the session ends, once the reason was sent.
        case leaving(at: UInt64)
    }

    let id: SessionID
    let device: DeviceID
    /// The account that the device belongs to.
    let account: AccountID
    let binding: [UInt8]
    let isInitiator: Bool
    let openedAt: UInt64
    /// Whether the channel uses an earlier key of the account's devices: the session never becomes active.
    let isByEarlierKey: Bool
    /// The revision of the messages that the peer, which dialled, states; 0 where it has stated none.
    private let remoteRevision: UInt8
    var phase: Phase
    /// Whether the device named an account that was unknown, and has not proved since that it belongs to it: it may
    /// have named any account.
    private(set) var isUnproven: Bool
    /// The facts by which it was decided last whether the two share something; see ``ExchangeRights/revision``.
    private var rightsRevision: UInt64?
    /// The program that runs at the peer, by its own statement.
    private(set) var program: ProgramNote?
    /// Whether the peer was sent the program that runs here.
    private var hasToldProgram = false
    /// The question whether the peer can connect to this device, once it was asked.
    var reach: ReachQuestion?
    /// The entry that made the key which the peer has delivered: it takes the channel for one under an earlier key.
    var handedKey: Hash?
    /// The time at which the session is ended, to call again by that key.
    var callsAgainAt: UInt64?
    /// Whether a page of a zone's live set is being read for the peer.
    private var isReadingLiveSet = false
    var liveness: Liveness
    /// The message that is arriving in parts.
    var message = ArrivingMessage()
    var accounts: AccountLogExchange
    var comparison: ComparisonTurns
    var joining = ZoneJoining()
    var sending = SendingWindow()
    var arriving = ArrivingRuns()
    var lateWrites = LateWrites()

    /// Describes a session that begins.
    init(_ opening: SessionOpening, phase: Phase, isUnproven: Bool = false, at now: UInt64, _ limits: SyncLimits) {
        id = opening.session
        device = opening.device
        account = opening.account
        binding = opening.binding
        isInitiator = opening.isInitiator
        isByEarlierKey = opening.isByEarlierKey
        remoteRevision = opening.remoteRevision
        openedAt = now
        self.phase = phase
        self.isUnproven = isUnproven
        liveness = Liveness(at: now)
        accounts = AccountLogExchange(heads: [opening.account: opening.accountHeads])
        comparison = ComparisonTurns(isInitiator: opening.isInitiator, at: now, limits)
    }

    // MARK: Phase

    /// Whether the session is past confirmation.
    var isActive: Bool { if case .confirming = phase { false } else { true } }

    /// Whether the peer's device or account is not known here.
    var isOfStranger: Bool { isUnproven || !isActive }

    /// Whether the peer is known to understand messages that came with the first revision.
    var knowsRevisions: Bool { remoteRevision > 0 || program != nil }

    /// Whether the two are at work, so that a difference is no surprise.
    func isWorking(at now: UInt64, _ limits: SyncLimits) -> Bool {
        comparison.isProgressing(at: now, limits) || !sending.inFlight.isEmpty || !sending.reading.isEmpty
            || !arriving.applying.isEmpty
    }

    /// Begins the session on this side.
    mutating func open(in context: inout SyncContext) {
        context.effects.append(.setPlace(id, isUnproven ? .guest : isActive ? .member : .confirming))
        tellHeads(in: &context)
        tellProgram(in: &context)
        if isActive { tellOtherHeads(in: &context) }
        tellRecoverySecret(in: &context)
        tellFleetSecret(in: &context)
        // If the logs differ, the peer's may lack this device: then it drops the heads that it was just sent.
        accounts.tellsHeadsAgain =
            isActive && account == context.rights.account && accounts.heads[account] != context.rights.own.heads
    }

    /// The device is known as a member now.
    mutating func confirm(in context: inout SyncContext) {
        if !isActive { phase = .active }
        isUnproven = false
        context.effects.append(.setPlace(id, .member))
        tellProgram(in: &context)
        tellOtherHeads(in: &context)
        tellRecoverySecret(in: &context)
    }

    /// Begins to end a session with an account that shares nothing with ours any more: the reason is sent first.
    ///
    /// Asked once for each input, when all of its changes are made: every fact that decides about it changes the
    /// revision of the shared zones, and so does a right that begins or ends by the clock.
    private mutating func checkLeaving(in context: SyncContext) {
        guard account != context.rights.account, isActive else { return }
        rightsRevision = context.rights.revision
        if context.rights.shares(with: device, of: account) {
            phase = .active
        } else if phase == .active {
            phase = .leaving(at: context.now + context.limits.leavingMilliseconds)
        }
    }

    // MARK: Time

    /// The time by which a stranger's message in parts must be complete; nil while none has begun.
    private var partsDeadline: UInt64? { isOfStranger ? message.until : nil }

    /// The time at which there is something to do, if nothing happens before.
    func deadline(_ limits: SyncLimits) -> UInt64 {
        let due = min(liveness.deadline(limits), partsDeadline ?? .max, callsAgainAt ?? .max)
        if case .confirming(let until) = phase { return min(due, until) }
        let others = min(comparison.deadline, sending.stalledAt(limits) ?? .max, sending.nextSend(limits) ?? .max)
        if case .leaving(let end) = phase { return min(due, others, end) }
        return min(due, others)
    }

    /// Whether there may be something to do: a deadline of the session has passed, or another account may share
    /// something else than before.
    func hasWork(in context: SyncContext) -> Bool {
        isActive && account != context.rights.account && rightsRevision != context.rights.revision
            || context.now >= deadline(context.limits)
    }

    /// The reason for which the session ends now; `nil` if it goes on.
    mutating func ending(in context: SyncContext) -> (code: SyncCloseCode, reason: String)? {
        let now = context.now
        if rightsRevision != context.rights.revision { checkLeaving(in: context) }
        if now >= liveness.silentAt(context.limits) { return (.silent, "nothing heard") }
        if now >= callsAgainAt ?? .max { return (.goodbye, "the account's devices have another key") }
        if case .leaving(let end) = phase, now >= end {
            return (.refused, "no zone is shared with the account any longer")
        }
        if now >= partsDeadline ?? .max {
            return (.busy, "a long message of an unknown account was not complete in time")
        }
        if case .confirming(let until) = phase, now >= until { return (.refused, "the device is not in the account") }
        return nil
    }

    /// Sends a ping if one is due.
    mutating func ping(random: inout some RandomNumberGenerator, in context: inout SyncContext) {
        guard context.now >= liveness.nextPing else { return }
        let nonce = UInt64.random(in: .min ... .max, using: &random)
        let pause = context.limits.pingMilliseconds.jittered(using: &random)
        liveness.pinged(nonce, at: context.now, next: context.now + pause)
        context.send(.ping(Ping(nonce: nonce, wallMilliseconds: context.rights.wall)), to: id)
    }

    /// Takes in the answer to a ping.
    mutating func answered(_ pong: Pong, in context: inout SyncContext) {
        guard let roundTrip = liveness.answered(pong.nonce, at: context.now) else { return }
        // The other clock was read half a round trip ago, as well as can be known.
        let theirs = Int64(clamping: pong.wallMilliseconds).addingReportingOverflow(Int64(clamping: roundTrip / 2))
        let skew = (theirs.overflow ? .max : theirs.partialValue) - Int64(clamping: context.rights.wall)
        context.report(.measured(peer: device, roundTripMilliseconds: Double(roundTrip), skewMilliseconds: skew))
    }

    // MARK: Messages

    /// Tells the peer which program runs here: once, in an active session with a device that shares something with
    /// this one, and only where the peer is known to understand it.
    ///
    /// An earlier program refuses the message: the dialled side learns in the handshake whether the other side knows
    /// it, and sends first; the dialling side learns it from that, and answers.
    mutating func tellProgram(in context: inout SyncContext) {
        guard let program = context.program, isActive, !isUnproven, knowsRevisions, !hasToldProgram,
            context.rights.shares(with: device, of: account)
        else { return }
        hasToldProgram = true
        context.send(.program(program), to: id)
    }

    /// Takes in the peer's statement of its program.
    ///
    /// It is kept while this side is still confirming as well: the peer sends it once.
    mutating func take(_ note: ProgramNote, in context: inout SyncContext) {
        program = note
        tellProgram(in: &context)
    }

    /// Takes in the answer whether the peer can connect to this device; an unrequested one is ignored.
    mutating func take(_ answer: ReachAnswer, at now: UInt64) {
        guard let asked = reach, asked.number == answer.number, asked.answer == nil else { return }
        reach?.answer = (answer.outcome, now)
    }

    /// Reads a page of the live set under a checkpoint for the peer.
    mutating func take(_ request: LiveSetRequest, in context: inout SyncContext) {
        // A device that may not read the zone does not learn whether it is here; and one page is read at a time.
        guard context.rights.zones[request.zone] != nil, !isReadingLiveSet,
            context.rights.access(to: request.zone, for: self) == .everything
        else { return }
        isReadingLiveSet = true
        context.read(.liveSet(id, request))
    }

    /// Sends a page that was read for the peer.
    mutating func send(_ page: LiveSetPage, in context: inout SyncContext) {
        isReadingLiveSet = false
        // Rights may have ended meanwhile.
        guard context.rights.access(to: page.zone, for: self) == .everything else { return }
        context.send(.liveSetPage(page), to: id)
    }
}

extension UInt64 {
    /// A time that differs by up to a tenth in both directions.
    func jittered(using random: inout some RandomNumberGenerator) -> UInt64 {
        let fifth = self / 5
        return self - fifth / 2 + UInt64.random(in: 0...Swift.max(fifth, 1), using: &random)
    }
}
