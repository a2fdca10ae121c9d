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
/// | *leaving* | an account that shares nothing any more | the same for some seconds, for the reason to be sent; then it is closed |
///
/// In an active session the side that holds more of a log sends it, within a window of unacknowledged bytes. An
/// acknowledgement means that the run is *durable*, and is sent to all peers that may receive the log, so that no
/// device sends operations that another one delivered. A run above the log's cut, which is not kept, is acknowledged
/// to its sender alone.
///
/// ``Replication`` holds the sessions, and passes accounts, rights, zones and runs between them. Beside it, each other
/// exchange with peers has a value of its own, which sees the sessions through it.
///
/// A peer of another account sees only those of our zones in which it is a participant; of a zone in which it was one
/// it sees the control logs. That is decided again at each step, since rights end. New operations are pushed at once;
/// those of other authors after a moment, in case their author pushes them.
///
/// After every input the next deadline lies in the future: a driver that obeys `nextDeadline` never spins.
package struct SyncCore: Sendable {
    var replication: Replication
    /// Writes in public zones for accounts without a right there: as the guest, and as a device that rules the zone.
    var guestOrders = PendingGuestOrders()
    var guests = GuestRequests()
    /// Bytes that travel apart from the records that name them.
    var payloads = PayloadTransfers()
    /// The payloads that relays keep for others.
    var custody = CustodyRequests()
    /// Contents that are dropped here once other devices have promised to keep them, and such promises to others.
    var evictions = EvictionRequests()
    /// Attempts to connect, by peers and for them.
    var reach = ReachAttempts()
    /// The parcels from mailboxes that are being taken in.
    var mail = MailDeliveries()

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
        let rights = ExchangeRights(localDevice: localDevice, localIncarnation: incarnation, account: account)
        replication = Replication(SyncContext(rights, limits: limits, program: program))
    }

    /// Sets how long a message may be on its way before a relay is asked to keep its payload; before the first input.
    /// - Parameter milliseconds: The time; ten seconds by default.
    package mutating func setGrace(milliseconds: UInt64) {
        replication.context.limits.custodyGraceMilliseconds = milliseconds
    }

    /// Sets how many bytes of payloads are kept for others at most; before the first input.
    /// - Parameter byteCount: The number; ``Custody/byteCountMax`` by default.
    package mutating func limitCustody(to byteCount: UInt64) {
        replication.context.limits.custodyByteCountMax = byteCount
    }

    /// Takes another account, after this device was paired into it: everything known of the old one is dropped.
    package mutating func accountReplaced(_ account: AccountID) {
        let context = replication.context
        let rest = evictions.abandoned()
        self = SyncCore(
            localDevice: context.rights.localDevice,
            incarnation: context.rights.localIncarnation,
            account: account,
            limits: context.limits,
            program: context.program
        )
        evictions = rest
    }

    /// Takes the question to the store for wanted payloads that the core has room for, if one is due.
    /// - Parameter isNew: Whether there may be wanted payloads that were not before; it stays so until there is a question.
    /// - Returns: The question; `nil` where none is due.
    package mutating func takePayloadSearch(isNew: Bool) -> PayloadSearch? {
        payloads.takeSearch(isNew: isNew, in: replication)
    }

    /// Takes the question to the store for contents of records that relays of this account are to keep, if one is due.
    /// - Returns: The question; `nil` where none is due, as always while no such relay has a session.
    package mutating func takeCustodySearch() -> CustodySearch? { custody.takeSearch(in: replication.context) }

    /// Begins another lifetime of the store: writes from now on go to other logs.
    package mutating func incarnationChanged(_ incarnation: Incarnation) {
        replication.context.rights.localIncarnation = incarnation
        evictions.withdrawAttempts()
    }

    // MARK: Inputs

    /// Takes one input and appends the instructions to the driver.
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
        swap(&replication.context.effects, &effects)
        defer { swap(&replication.context.effects, &effects) }
        replication.context.now = now
        let (sessionCount, effectCount) = (replication.sessions.count, replication.context.effects.count)
        // Before the clock, whose effects may go to sessions by the rights that they still have.
        var accessBefore: [SessionID: ZoneAccess] = [:]
        var hasGrown = false
        switch input {
        case .closed(let id): replication.sessions[id] = nil
        case .rightsChanged(let authority): accessBefore = replication.take(authority)
        case .contactChanged(let account, let heads, let standings):
            let contact = Contact(heads: heads, standings: standings)
            hasGrown = replication.context.rights.take(contact, of: account)
        default: break
        }
        replication.clockMoved(to: wall)
        let mayChangeReaders = mayChangeReaders(input)
        apply(input, accessBefore: accessBefore, hasGrown: hasGrown)
        replication.runTimers(random: &random)
        guestOrders.giveUpUnanswered(in: &replication)
        guests.dropAbandoned(in: replication)
        replication.liveSets.giveUpUnanswered(replication.sessions, in: &replication.context)
        if mayChangeReaders { payloads.readersChanged(limits) }
        let isDue = mayChangeReaders || replication.sessions.count < sessionCount
        payloads.run(isDue: isDue || payloads.concerns(input), in: &replication)
        custody.run(isDue: isDue || custody.concerns(input), in: &replication)
        evictions.run(isDue: isDue || evictions.concerns(input), in: &replication)
        replication.moments.plan(at: now, wall: wall)
        assertSound(replication.context.effects[effectCount...], at: now)
    }

    /// Whether an input may change which sessions may read zones.
    private func mayChangeReaders(_ input: SyncInput) -> Bool {
        switch input {
        case .opened, .closed, .accountChanged, .contactChanged, .rightsChanged: true
        case .zoneChanged(let snapshot, _, _): replication.rights.zones[snapshot.zone] == nil
        default: false
        }
    }

    private mutating func apply(_ input: SyncInput, accessBefore: [SessionID: ZoneAccess], hasGrown: Bool) {
        switch input {
        case .accountChanged(let heads, let standings):
            replication.accountChanged(Contact(heads: heads, standings: standings))
        case .recoverySecretChanged(let secret): replication.recoverySecretChanged(secret)
        case .fleetKeysChanged(let secret, let held): replication.fleetKeysChanged(secret, held)
        case .contactChanged(let account, _, _): replication.contactChanged(account, grew: hasGrown)
        case .rightsChanged(let authority): replication.rightsChanged(authority, since: accessBefore)
        case .zoneChanged(let snapshot, let before, let tails):
            replication.zoneChanged(snapshot, before: before, tails: tails)
        case .zoneForgotten(let zone): replication.forget(zone)
        case .opened(let opening): replication.open(opening)
        case .received(let id, let message, let byteCount): received(message, byteCount: byteCount, on: id)
        case .runRead(let id, let key, let run, let byteCount):
            replication.runRead(run, of: key, byteCount: byteCount, for: id)
        case .runApplied(let id, let key, let outcome):
            replication.runApplied(outcome, of: key, on: id)
            mail.applied(outcome, of: key, in: id, &replication)
        case .anomaliesFound(let id, let anomalies):
            for anomaly in anomalies { replication.report(anomaly, on: id) }
        case .depositsRead(let id, let zone, let runs):
            replication.sessions[id]?.depositsRead(runs, of: zone, in: &replication.context)
        case .liveSetRead(let id, let page): replication.sessions[id]?.send(page, in: &replication.context)
        case .liveSetTaken(let id, let zone, let outcome): replication.liveSetTaken(outcome, of: zone, on: id)
        case .zoneRefused(let id, let zone): replication.sessions[id]?.failed(zone, in: replication.context)
        case .accountEntriesRead(let id, let account, let entries):
            replication.sessions[id]?.send(entries, of: account, in: &replication.context)
        case .requestWrite(let order): guestOrders.request(order, in: &replication)
        case .guestWriteServed(let id, let zone, let number, let outcome):
            guests.decided(outcome, of: zone, number: number, on: id, in: &replication)
        case .payloadWanted(let want): payloads.want(want, limits)
        case .payloadsSearched(let through, let isAtEnd):
            payloads.searched(through: through, isAtEnd: isAtEnd, in: replication.context)
        case .payloadForgotten(let payload): payloads.forget(payload)
        case .payloadUrged(let payload, let offset): payloads.urge(payload, from: offset, in: replication.context)
        case .payloadRoom(let isShort): payloads.roomChanged(isShort: isShort, in: replication.context)
        case .payloadKept(let id, let payload, let position, let outcome):
            if outcome == .mismatch, replication.sessions[id] != nil {
                replication.closeForViolation(id, "a part of a payload that does not match its id")
            }
            payloads.kept(outcome, of: payload, position: position, in: replication.context)
            custody.answerWaiting(for: payload, outcome, in: &replication)
            if outcome == .complete { custody.arrived(payload) }
        case .payloadRead(let id, let request, let answer):
            payloads.read(answer, to: request, for: id, in: &replication)
        case .custodyDue(let jobs): custody.take(jobs, in: replication.context)
        case .custodyNews(let news): custody.take(news)
        case .relaysChanged(let relays): custody.take(relays: relays)
        case .custodySearched(let found): custody.searched(found, in: replication)
        case .custodyDecided(let id, let request, let outcome):
            custody.decided(outcome, about: request, on: id, in: &replication)
            if outcome == nil, custody.waiting[request.payload]?[id] != nil {
                payloads.offered(request, on: id, limits)
            }
        case .evictionsFound(let rows): evictions.take(rows, in: replication.context)
        case .evictionAsked(let order): evictions.evict(order, in: &replication.context)
        case .holdersAsked(let question): evictions.ask(question, in: &replication.context)
        case .holdersSearched(let id, let finding): evictions.searched(finding, on: id)
        case .evictionWithdrawn(let order): evictions.withdraw(order)
        case .evictionBegun(let start, let attempt): evictions.begun(start, attempt: attempt, in: &replication.context)
        case .evictionDone(let end, let attempt): evictions.done(end, attempt: attempt, in: &replication.context)
        case .evictionUnended(let row): evictions.keepUnended(row, in: replication.context)
        case .retentionDecided(let id, let request, let answer):
            evictions.decided(answer, about: request, on: id, in: &replication)
        case .mailed(let delivery): mail.take(delivery, in: &replication)
        case .presenceAsked(let silence): replication.askPresence(of: silence)
        case .reachAsked: reach.ask(in: &replication)
        case .reachProbed(let id, let number, let outcome):
            reach.probed(outcome, number: number, for: id, in: &replication)
        case .closed, .tick: break
        }
    }
}
