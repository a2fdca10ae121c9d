import Identity
package import Wire

/// Synchronises the zones of all connected peers: the whole protocol above the channel, as one pure value.
///
/// Inputs are facts; effects are orders to the driver, to be performed in order. Time and randomness are passed in.
/// The core holds the sizes and roots of all logs (some hundred bytes a log) and never an operation.
///
/// A session goes through these phases:
///
/// | phase | on | then |
/// |---|---|---|
/// | *confirming* | a device that our account log does not know, or that was removed | account entries travel, and late writes of a removed device of this account are taken; it becomes active, or is closed at a deadline |
/// | *active* | the device is a member | zones are compared by ranges; for each differing zone the log sizes are sent; runs flow |
///
/// In an active session the side that holds more of a log sends it, within a window of unacknowledged bytes. An
/// acknowledgement means *durable*, and is sent to all peers, so that no device sends operations that another one
/// delivered.
///
/// A peer of another account sees only those of our zones in which it is a participant; of a zone in which it was one
/// it sees the control logs. That is decided again at each step, since rights end. New operations are pushed at once;
/// those of other authors after a moment, in case their author pushes them.
///
/// After every input the next deadline lies in the future: a driver that obeys `nextDeadline` never spins.
package struct SyncCore: Sendable {
    /// The limits of the core.
    package private(set) var limits: SyncLimits
    let localDevice: DeviceID
    var localIncarnation: Incarnation
    /// The program that runs here, for people at the other devices.
    let program: ProgramNote?
    var account: AccountID
    var accountHeads: [Hash] = []
    /// This device's part of the account's present recovery words, for the account's other devices.
    var recoverySecret: RecoverySecret?
    /// The present key of the account's devices, for those that dial under an earlier one.
    var fleetSecret: FleetSecret?
    /// The entries that made the keys of the account's devices that this one has.
    var fleetKeys: Set<Hash> = []
    var standings: [DeviceID: Standing] = [:]
    /// The knowledge of other accounts' logs.
    var contacts: [AccountID: Contact] = [:]
    /// The rights in zones in which several accounts take part.
    var authorities: [ZoneID: ZoneAuthority] = [:] { didSet { sharingRevision &+= 1 } }
    /// Changes with every fact on which it depends whether something is shared with a device of another account.
    var sharingRevision: UInt64 = 0
    /// Milliseconds since 1970, as last reported: rights begin and end by it.
    var wall: UInt64 = 0
    /// The next time at which a right of this account, or of a connected one, begins or ends by the wall clock.
    var nextMoment: UInt64?
    /// The same by the monotonic clock, as it stood beside the other one last.
    var momentDeadline: UInt64?
    var zones: [ZoneID: ZoneSnapshot] = [:] { didSet { sharingRevision &+= 1 } }
    var sessions: [SessionID: PeerSession] = [:]
    /// The zone states that devices were seen to hold and for which that was saved.
    var held: [DeviceID: [ZoneID: Hash]] = [:]
    /// The sizes of our own logs as the store read them, which may be ahead of the core's knowledge.
    var ownSizes: [LogKey: UInt64] = [:]
    /// Writes in public zones for accounts without a right there.
    var guests = GuestDesk()
    /// The live set under a peer's checkpoint, while the peer sends it.
    var liveSets = LiveSetDesk()
    /// Bytes that travel apart from the records that name them.
    var payloads = PayloadDesk()
    /// The time at which work on payloads is due.
    var payloadsDue: UInt64?
    /// The payloads that relays keep for others.
    var custody = CustodyDesk()
    /// The time at which work on custody is due.
    var custodyMoment: UInt64?
    /// Whether this device, since it was removed, has offered all its late writes to another one of its account.
    var hasHandedOver = false
    /// Attempts to connect that peers have asked for.
    var reachDesk = ReachDesk()
    /// The number of the last question whether a peer can connect to this device.
    var reachNumber: UInt64 = 0
    /// The time at which peers were last asked, by the monotonic clock.
    package internal(set) var reachAskedAt: UInt64?
    /// The parcels from mailboxes that are being taken in.
    var deliveries: [SessionID: MailProgress] = [:]

    /// Starts without zones and sessions.
    /// - Parameters:
    ///   - localDevice: This device.
    ///   - incarnation: This store's lifetime on it.
    ///   - account: The account it belongs to.
    ///   - limits: The numbers; production uses the default.
    ///   - program: The program that runs here; `nil` to keep it from peers.
    package init(
        localDevice: DeviceID,
        incarnation: Incarnation,
        account: AccountID,
        limits: SyncLimits = SyncLimits(),
        program: ProgramNote? = nil
    ) {
        self.localDevice = localDevice
        localIncarnation = incarnation
        self.account = account
        self.limits = limits
        self.program = program
    }

    /// Sets how long a message may be on its way before a relay is asked to keep its payload; before the first input.
    /// - Parameter milliseconds: The time; ten seconds by default.
    package mutating func setGrace(milliseconds: UInt64) { limits.custodyGraceMilliseconds = milliseconds }

    /// Sets how many bytes of payloads are kept for others at most; before the first input.
    /// - Parameter byteCount: The number; ``Custody/byteCountMax`` by default.
    package mutating func limitCustody(to byteCount: UInt64) { limits.custodyByteCountMax = byteCount }

    /// Takes one input and returns the instructions to the driver.
    /// - Parameters:
    ///   - input: The event.
    ///   - now: Milliseconds of a monotonic clock.
    ///   - wall: Milliseconds since 1970: rights end by it, and it shows people the skew of clocks.
    ///   - random: The source of jitter.
    ///   - effects: Receives the instructions, in order.
    package mutating func handle(
        _ input: SyncInput,
        at now: UInt64,
        wall: UInt64,
        random: inout some RandomNumberGenerator,
        into effects: inout [SyncEffect]
    ) {
        // Before the clock, whose effects may go to sessions by the rights that they still have.
        let sessionCount = sessions.count
        let effectCount = effects.count
        var accessBefore: [SessionID: ZoneAccess] = [:]
        var hasGrown = false
        switch input {
        case .closed(let id): sessions[id] = nil
        case .rightsChanged(let authority): accessBefore = take(authority)
        case .contactChanged(let account, let heads, let standings):
            hasGrown = take(Contact(heads: heads, standings: standings), of: account)
        default: break
        }
        clockMoved(to: wall, at: now, into: &effects)
        let (isDue, isCustodyDue) = (mayConcernPayloads(input), mayConcernCustody(input))
        switch input {
        case .accountChanged(let heads, let standings):
            accountChanged(heads, standings, at: now, into: &effects)
        case .recoverySecretChanged(let secret):
            recoverySecretChanged(secret, into: &effects)
        case .fleetKeysChanged(let secret, let held):
            fleetKeysChanged(secret, held, at: now, into: &effects)
        case .contactChanged(let account, _, _):
            contactChanged(account, grew: hasGrown, at: now, into: &effects)
        case .rightsChanged(let authority):
            rightsChanged(authority, since: accessBefore, at: now, into: &effects)
        case .zoneChanged(let snapshot, let before):
            zoneChanged(snapshot, before: before, at: now, into: &effects)
        case .zoneForgotten(let zone):
            forget(zone, at: now)
        case .opened(let opening):
            opened(opening, at: now, into: &effects)
        case .received(let id, let message, let byteCount):
            received(message, byteCount: byteCount, on: id, at: now, wall: wall, into: &effects)
        case .runRead(let id, let key, let run, let byteCount):
            runRead(run, of: key, byteCount: byteCount, for: id, at: now, into: &effects)
        case .runApplied(let id, let key, let outcome):
            runApplied(outcome, of: key, on: id, at: now, into: &effects)
            mailApplied(outcome, of: key, in: id, into: &effects)
        case .anomaliesFound(let id, let anomalies):
            for anomaly in anomalies { report(anomaly, on: id, into: &effects) }
        case .depositsRead(let id, let zone, let runs):
            depositsRead(runs, of: zone, for: id, into: &effects)
        case .liveSetRead(let id, let page):
            liveSetRead(page, for: id, into: &effects)
        case .liveSetTaken(let id, let zone, let outcome):
            liveSetTaken(outcome, of: zone, on: id, at: now, into: &effects)
        case .zoneRefused(let id, let zone):
            sessions[id]?.failed(zone, at: now, limits: limits)
        case .accountEntriesRead(let id, let account, let entries):
            sendAccountEntries(entries, of: account, to: id, into: &effects)
        case .requestWrite(let order):
            requestWrite(order, at: now, into: &effects)
        case .guestWriteServed(let id, let zone, let number, let outcome):
            guestWriteServed(outcome, of: zone, number: number, on: id, into: &effects)
        case .payloadWanted(let want):
            payloadWanted(want)
        case .payloadForgotten(let payload):
            payloads.forget(payload)
        case .payloadKept(let id, let payload, let position, let outcome):
            payloadKept(outcome, of: payload, position: position, on: id, at: now, into: &effects)
            payloadSettled(payload, outcome, into: &effects)
        case .payloadRead(let id, let request, let answer):
            payloadRead(answer, to: request, for: id, into: &effects)
        case .custodyDue(let jobs):
            custodyDue(jobs, at: now)
        case .custodyDecided(let id, let request, let outcome):
            custodyDecided(outcome, about: request, on: id, into: &effects)
        case .mailed(let delivery):
            mailed(delivery, at: now, into: &effects)
        case .presenceAsked(let silence):
            askPresence(of: silence, at: now)
        case .reachAsked:
            askReach(at: now, into: &effects)
        case .reachProbed(let id, let number, let outcome):
            reachProbed(outcome, number: number, for: id, into: &effects)
        case .closed, .tick:
            break
        }
        runTimers(at: now, wall: wall, random: &random, into: &effects)
        settleGuests(at: now, into: &effects)
        settleLiveSet(at: now, into: &effects)
        let hasLost = sessions.count < sessionCount
        runPayloads(isDue: isDue || hasLost, at: now, into: &effects)
        runCustody(isDue: isCustodyDue || hasLost, at: now, into: &effects)
        momentDeadline = awaitedMoment(at: now)
        assertSound(effects[effectCount...], at: now)
    }

    /// Takes another account, after this device was paired into it: everything known of the old one is dropped.
    package mutating func accountReplaced(_ account: AccountID) {
        self = SyncCore(
            localDevice: localDevice,
            incarnation: localIncarnation,
            account: account,
            limits: limits,
            program: program
        )
    }

    /// Begins another lifetime of the store: writes from now on go to other logs.
    package mutating func incarnationChanged(_ incarnation: Incarnation) {
        localIncarnation = incarnation
    }

    /// Whether this store writes a log.
    func isOwn(_ key: LogKey, _ snapshot: ZoneSnapshot) -> Bool {
        snapshot.logs[key].map { isOwn($0.device, $0.incarnation) } ?? false
    }

    /// Whether this store writes the logs of a device in one of its lives.
    func isOwn(_ device: DeviceID, _ incarnation: Incarnation) -> Bool {
        device == localDevice && incarnation == localIncarnation
    }

    /// The next time for a `tick`; `nil` while no session stands and no caller waits.
    /// - Complexity: O(sessions).
    package var nextDeadline: UInt64? {
        let deadlines = sessions.values.map { session in
            let silence = session.lastHeard + limits.silenceMilliseconds
            let deadline = min(session.nextPing, silence, session.partsDeadline ?? .max)
            let again = session.callsAgainAt ?? .max
            if case .confirming(let until) = session.phase { return min(deadline, until, again) }
            let others = [
                session.nextComparison, session.stalledAt(limits) ?? .max, session.nextSend(limits) ?? .max,
                session.nextWaitingAsk, session.leavingAt ?? .max, again,
                session.account == account ? .max : momentDeadline ?? .max,
            ]
            return others.reduce(deadline) { min($0, $1) }
        }
        let ofAll = [guests.nextDeadline, liveSets.nextDeadline, payloadsDue, custodyMoment]
        return (deadlines + ofAll.compactMap(\.self)).min()
    }

    /// The devices with an active session.
    package var connectedDevices: Set<DeviceID> {
        Set(sessions.values.filter { $0.phase == .active }.map(\.device))
    }

    /// When a message was last received in a session, in milliseconds of the monotonic clock; nil where there is
    /// none.
    package func lastHeard(in id: SessionID) -> UInt64? { sessions[id]?.lastHeard }

    /// Whether a session is past confirmation.
    package func isActive(_ id: SessionID) -> Bool {
        sessions[id]?.phase == .active
    }
}
