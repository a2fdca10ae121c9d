import Identity
package import Wire

/// Keeps the zones of all connected peers in step: the whole protocol above the channel, as one pure value.
///
/// Inputs are facts; effects are orders to the driver, to be performed in order. Time and randomness are passed in.
/// The core holds the sizes and roots of all logs (some hundred bytes a log) and never an operation.
///
/// A session goes through these phases:
///
/// | phase | on | then |
/// |---|---|---|
/// | *confirming* | a device that our account log does not know | only account entries travel; it becomes active, or is closed at a deadline |
/// | *active* | the device is a member | zones are compared by ranges; each differing zone tells its logs; runs flow |
///
/// In an active session whoever holds more of a log sends it, within a window of unacknowledged bytes. An
/// acknowledgement means *durable*, and is told to all peers, so that nobody sends what somebody else delivered.
/// New operations are pushed at once; those of other authors after a moment, in case their author does it.
package struct SyncCore: Sendable {
    let limits: SyncLimits
    let localDevice: DeviceID
    var localActor: ActorID
    var account: AccountID
    var accountHeads: [Hash] = []
    var standings: [DeviceID: Standing] = [:]
    var zones: [ZoneID: ZoneSnapshot] = [:]
    var sessions: [SessionID: PeerSession] = [:]

    /// Starts without zones and sessions.
    /// - Parameters:
    ///   - localDevice: This device.
    ///   - localActor: This store's lifetime on it.
    ///   - account: The account it belongs to.
    ///   - limits: The numbers; production uses the default.
    package init(localDevice: DeviceID, localActor: ActorID, account: AccountID, limits: SyncLimits = SyncLimits()) {
        self.localDevice = localDevice
        self.localActor = localActor
        self.account = account
        self.limits = limits
    }

    /// Takes one input and says what is to be done.
    /// - Parameters:
    ///   - input: What happened.
    ///   - now: Milliseconds of a monotonic clock.
    ///   - wall: Milliseconds since 1970, for the skew that is shown to people; nothing is decided by it.
    ///   - random: Where jitter comes from.
    ///   - effects: Receives what is to be done, in order.
    package mutating func handle(
        _ input: SyncInput,
        at now: UInt64,
        wall: UInt64,
        random: inout some RandomNumberGenerator,
        into effects: inout [SyncEffect]
    ) {
        switch input {
        case .accountChanged(let heads, let standings):
            accountChanged(heads, standings, at: now, into: &effects)
        case .zoneChanged(let snapshot, let before):
            zoneChanged(snapshot, before: before, at: now, into: &effects)
        case .opened(let opening):
            opened(opening, at: now, into: &effects)
        case .closed(let id):
            sessions[id] = nil
        case .received(let id, let message, let byteCount):
            received(message, byteCount: byteCount, on: id, at: now, wall: wall, into: &effects)
        case .runRead(let id, let key, let run, let byteCount):
            runRead(run, of: key, byteCount: byteCount, for: id, at: now, into: &effects)
        case .runApplied(let id, let key, let outcome):
            runApplied(outcome, of: key, on: id, at: now, into: &effects)
        case .zoneRefused(let id, let zone):
            sessions[id]?.zones[zone] = nil
        case .accountEntriesRead(let id, let entries):
            if !entries.isEmpty, sessions[id] != nil {
                effects.append(
                    .send(id, .accountEntries(AccountEntries(account: account, entries: entries, more: false)))
                )
            }
        case .tick:
            break
        }
        runTimers(at: now, wall: wall, random: &random, into: &effects)
    }

    /// Takes another account, after this device was paired into it: everything known of the old one is forgotten.
    package mutating func accountReplaced(_ account: AccountID) {
        self = SyncCore(localDevice: localDevice, localActor: localActor, account: account, limits: limits)
    }

    /// Takes another lifetime of the store: what is written from now on goes to another log.
    package mutating func actorChanged(_ actor: ActorID) {
        localActor = actor
    }

    /// When `tick` is wanted next; `nil` while no session stands.
    package var nextDeadline: UInt64? {
        sessions.values.map { session in
            var deadline = min(session.nextPing, session.lastHeard + limits.silenceMilliseconds)
            if case .confirming(let until) = session.phase { deadline = min(deadline, until) }
            if session.isInitiator { deadline = min(deadline, session.nextComparison) }
            let waiting = session.dirty.filter { !session.reading.contains($0.key) }.map(\.value).min()
            if let waiting, session.inFlightByteCount < limits.windowByteCount {
                deadline = min(deadline, max(waiting, session.pausedUntil))
            }
            return deadline
        }.min()
    }

    /// The devices with an active session.
    package var connectedDevices: Set<DeviceID> {
        Set(sessions.values.filter { $0.phase == .active }.map(\.device))
    }

    /// Whether a session is past confirmation.
    package func isActive(_ id: SessionID) -> Bool {
        sessions[id]?.phase == .active
    }
}

// MARK: - Sessions and the account

extension SyncCore {
    private mutating func opened(_ opening: SessionOpening, at now: UInt64, into effects: inout [SyncEffect]) {
        guard sessions.count < limits.sessionCountMax else {
            effects.append(.close(opening.session, .busy, reason: "too many sessions"))
            return
        }
        switch opening.standing {
        case .removed:
            effects.append(.close(opening.session, .refused, reason: "the device was removed from the account"))
            return
        case .active, .unknown:
            break
        }
        let isActive = opening.standing == .active
        let phase: PeerSession.Phase = isActive ? .active : .confirming(until: now + limits.confirmationMilliseconds)
        sessions[opening.session] = PeerSession(opening, phase: phase, at: now, limits: limits)
        if opening.accountHeads != accountHeads, opening.isInitiator {
            let have = AccountHave(account: account, heads: accountHeads, wantsReply: true)
            effects.append(.send(opening.session, .accountHave(have)))
        }
        if isActive, opening.isInitiator { beginComparison(opening.session, at: now, into: &effects) }
    }

    private mutating func accountChanged(
        _ heads: [Hash],
        _ standings: [DeviceID: Standing],
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        let grew = heads != accountHeads
        accountHeads = heads
        self.standings = standings
        for id in sessions.keys.sorted() {
            guard let session = sessions[id] else { continue }
            switch standings[session.device] ?? .unknown {
            case .removed:
                effects.append(.close(id, .refused, reason: "the device was removed from the account"))
                sessions[id] = nil
                continue
            case .active where session.phase != .active:
                sessions[id]?.phase = .active
                // The peer's own first comparison was dropped while it was unconfirmed, so this side begins one.
                beginComparison(id, at: now, into: &effects)
            case .active, .unknown:
                break
            }
            if grew, session.accountHeads != heads {
                effects.append(.readAccountEntries(id, notIn: session.accountHeads))
            }
        }
    }

    mutating func closeForViolation(_ id: SessionID, _ reason: String, into effects: inout [SyncEffect]) {
        effects.append(.close(id, .violation, reason: reason))
        sessions[id] = nil
    }

    func accountHave(_ have: AccountHave, on id: SessionID, into effects: inout [SyncEffect]) {
        effects.append(.readAccountEntries(id, notIn: have.heads))
        if have.wantsReply {
            let ours = AccountHave(account: account, heads: accountHeads, wantsReply: false)
            effects.append(.send(id, .accountHave(ours)))
        }
    }
}
