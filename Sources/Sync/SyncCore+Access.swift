import Identity
package import Wire

// The access of sessions to zones. Nothing of a zone reaches a session except by `access`, and nothing is accepted from
// it except by `acceptance`; `view` applies the first.
extension SyncCore {
    /// Returns how much of a zone a session may receive now.
    func access(to zone: ZoneID, for session: PeerSession) -> ZoneAccess {
        if isRemovedFellow(session) { return .nothing }
        // Each device reads and leaves a public zone on its own, unless another one knows that the account takes
        // part.
        if session.account == account, isVisited(zone), !session.named.contains(zone) { return .nothing }
        if session.isUnproven { return authorities[zone]?.openAccess ?? .nothing }
        return access(to: zone, for: session.device, of: session.account, at: wall)
    }

    /// Whether this account takes no part in a zone, by the knowledge of this device.
    func isVisited(_ zone: ZoneID) -> Bool {
        authorities[zone].map { !$0.parties.contains(account) } ?? false
    }

    /// Returns how much of a zone a device may receive at a given time.
    func access(to zone: ZoneID, for device: DeviceID, of other: AccountID, at wall: UInt64) -> ZoneAccess {
        if other == account { return .everything }
        guard let authority = authorities[zone] else { return .nothing }
        let theirs = authority.access(of: device, in: other, at: wall)
        // If this device may not read the zone itself, it has nothing to send except that it waits for the reason.
        return theirs == .everything ? authority.ownAccess(of: localDevice, in: account, at: wall) : theirs
    }

    /// Returns how much of a zone is taken from a session now.
    func acceptance(of zone: ZoneID, from session: PeerSession) -> ZoneAccess {
        if isRemovedFellow(session) { return .nothing }
        if session.account == account { return .everything }
        guard let authority = authorities[zone], !session.isUnproven else { return .nothing }
        let theirs = authority.acceptance(from: session.device, in: session.account, at: wall)
        return theirs == .everything ? authority.ownAccess(of: localDevice, in: account, at: wall) : theirs
    }

    /// Whether a session exchanges a zone in both directions: not where one of the two only reads a public zone.
    func passesOn(_ zone: ZoneID, to session: PeerSession) -> Bool {
        session.account == account || authorities[zone]?.isGuest(account) != true
    }

    /// Whether the sizes of a zone that a session's device holds are remembered: for other devices there would be no
    /// bound.
    func isMember(_ id: SessionID, of zone: ZoneID) -> Bool {
        guard let other = sessions[id]?.account else { return false }
        return other == account || authorities[zone]?.parties.contains(other) == true
    }

    /// Whether an account is unknown, and need not be known: it receives public zones, and its statements are not
    /// believed.
    func isStranger(_ other: AccountID) -> Bool {
        other != account && contacts[other] == nil && !authorities.values.contains { $0.parties.contains(other) }
    }

    /// Returns a zone as a session sees it; `nil` for one that is not held, or that the session may not learn of.
    func view(_ zone: ZoneID, for id: SessionID) -> ZoneSnapshot? {
        guard let session = sessions[id], let snapshot = zones[zone] else { return nil }
        switch access(to: zone, for: session) {
        case .everything: return snapshot
        case .control: return snapshot.controlOnly
        case .nothing: return nil
        }
    }

    /// All zones as a session sees them, ascending.
    ///
    /// - Complexity: For a session of another account that of the zones that are shared with any account.
    func views(for id: SessionID) -> [ZoneSnapshot] {
        let concerned = sessions[id]?.account == account ? zones.keys.sorted() : authorities.keys.sorted()
        return concerned.compactMap { view($0, for: id) }
    }

    /// Replaces the rights in a zone.
    /// - Returns: How much of the zone each session could receive until now.
    mutating func take(_ authority: ZoneAuthority) -> [SessionID: ZoneAccess] {
        let zone = authority.zone
        let before = sessions.mapValues { access(to: zone, for: $0) }
        // The rights granted to other accounts may turn out never to have been effective.
        authorities[zone] = authority.parties == [account] && !authority.isPublic ? nil : authority
        return before
    }

    /// Replaces the rights in a zone from now on.
    mutating func rightsChanged(
        _ authority: ZoneAuthority,
        since before: [SessionID: ZoneAccess],
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        let zone = authority.zone
        expectMoments(of: authority)
        for id in sessions.keys.sorted() {
            guard let session = sessions[id], session.account != account else { continue }
            compareAccess(to: zone, on: id, with: before[id], at: now, into: &effects)
            askForAccounts(of: authority, on: id, at: now, into: &effects)
            offerDeposit(of: zone, on: id, into: &effects)
            checkLeaving(id, at: now)
        }
        for id in sessions.keys.sorted() where sessions[id]?.account == account {
            compareAccess(to: zone, on: id, with: before[id], at: now, into: &effects)
            askForAccounts(of: authority, on: id, at: now, into: &effects)
        }
    }

    /// Takes part in a zone that this device only read until now, since another device of this account names it: so
    /// the account takes part.
    mutating func takePartAsWell(
        in zone: ZoneID,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard sessions[id]?.account == account, isVisited(zone), sessions[id]?.named.insert(zone).inserted == true
        else { return }
        sessions[id]?.reconciler = nil
        if let authority = authorities[zone] { askForAccounts(of: authority, on: id, at: now, into: &effects) }
    }

    /// Restarts the comparison of a zone in a session that may receive more or less of it than before.
    mutating func compareAccess(
        to zone: ZoneID,
        on id: SessionID,
        with before: ZoneAccess?,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let session = sessions[id], before != access(to: zone, for: session) else { return }
        // The knowledge about the zone at the peer was about another part of it.
        sessions[id]?.forget(zone, at: now)
        sessions[id]?.reconciler = nil
        // Something may be shared for the first time in this session.
        tellProgram(id, into: &effects)
        if session.phase == .active, view(zone, for: id) != nil { ask(zone, on: id, at: now, into: &effects) }
    }

    /// Asks for the logs of accounts that a zone names and that are not known here; once in a while for each, since a
    /// device that learns one sends it.
    private mutating func askForAccounts(
        of authority: ZoneAuthority,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let session = sessions[id], session.phase == .active else { return }
        guard access(to: authority.zone, for: session) != .nothing else { return }
        for other in authority.parties.sorted()
        where other != account && other != session.account && contacts[other] == nil {
            if let asked = session.askedAccounts[other], now < asked + limits.antiEntropyMilliseconds { continue }
            sessions[id]?.askedAccounts[other] = now
            effects.append(.send(id, .accountHave(AccountHave(account: other, heads: [], wantsReply: false))))
        }
    }

    /// Asks again for all logs that are not known here: the peer may have learnt of the participants only after it
    /// was asked.
    mutating func askForAccounts(on id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        for zone in authorities.keys.sorted() {
            if let authority = authorities[zone] { askForAccounts(of: authority, on: id, at: now, into: &effects) }
        }
    }

    // MARK: Late writes

    /// Whether a session's device was removed from the account that this device belongs to.
    func isRemovedFellow(_ session: PeerSession) -> Bool {
        session.account == account && standing(of: session.device, in: account) == .removed
    }

    /// Whether this device was removed from its account.
    private var isRemoved: Bool { standing(of: localDevice, in: account) == .removed }

    /// Whether this device was removed and has not delivered its late writes since the program started.
    ///
    /// Such a device dials the others of its account although none of them serves it.
    package var hasLateWrites: Bool { isRemoved && !hasHandedOver }

    /// Delivers this device's writes in a zone after its account lost the right to: those who rule the zone decide
    /// about them.
    ///
    /// It does so once in a session for each zone.
    mutating func offerDeposit(of zone: ZoneID, on id: SessionID, into effects: inout [SyncEffect]) {
        guard sessions[id]?.account != account, takesDeposits(of: zone, id),
            sessions[id]?.deposited.insert(zone).inserted == true
        else { return }
        effects.append(.read(.deposits(id, zone, above: nil)))
    }

    /// Begins to deliver this device's writes from before it learnt of its removal to another device of its account.
    ///
    /// The zones follow each other. The peer receives the sizes of this device's logs and answers how much of them it
    /// holds: where they end is stated in the zone's control log, which a removed device does not receive. The next
    /// zone follows when the peer has answered the last run.
    mutating func offerLateWrites(on id: SessionID, into effects: inout [SyncEffect]) {
        guard isRemoved, let session = sessions[id], session.lateWrites == nil, isFellow(session) else { return }
        sessions[id]?.lateWrites = LateWrites(zones: zones.keys.sorted())
        offerNextLateWrites(on: id, into: &effects)
    }

    private mutating func offerNextLateWrites(on id: SessionID, into effects: inout [SyncEffect]) {
        sessions[id]?.lateWrites?.awaited = nil
        while let zone = sessions[id]?.lateWrites?.zones.popLast() {
            let own = (zones[zone]?.logs ?? [:]).filter { $0.key.lane == .data && $0.value.device == localDevice }
            guard !own.isEmpty, takesDeposits(of: zone, id) else { continue }
            let logs = own.map { AcknowledgedLog(actor: $0.key.actor, lane: $0.key.lane, size: $0.value.size) }
            sessions[id]?.lateWrites?.awaited = .sizes(zone)
            effects.append(.send(id, .acknowledge(Acknowledge(zone: zone, logs: logs))))
            return
        }
        if sessions[id]?.lateWrites != nil { hasHandedOver = true }
    }

    /// The peer answered an offer, or runs of this device: if the last one of a zone's late writes is among them, the next zone follows.
    mutating func lateWritesAnswered(_ answer: Acknowledge, on id: SessionID, into effects: inout [SyncEffect]) {
        switch sessions[id]?.lateWrites?.awaited {
        case .sizes(answer.zone):
            guard sessions[id]?.deposited.insert(answer.zone).inserted == true else { return }
            let sizes = answer.logs.map { (ActorLane(actor: $0.actor, lane: $0.lane), $0.size) }
            effects.append(.read(.deposits(id, answer.zone, above: Dictionary(sizes) { first, _ in first })))
        case .run(let key)
        where key.zone == answer.zone && answer.logs.contains { $0.actor == key.actor && $0.lane == key.lane }:
            offerNextLateWrites(on: id, into: &effects)
        case .sizes, .run, nil: break
        }
    }

    /// Takes in the sizes of a removed device's own logs in a zone, and answers with the sizes that are held here.
    ///
    /// It is done once in a session for each zone.
    mutating func lateWritesOffered(
        _ offer: Acknowledge,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let session = sessions[id], isRemovedFellow(session), let zone = zones[offer.zone],
            sessions[id]?.toldHeld.insert(offer.zone).inserted == true
        else { return }
        // Its runs may be longer than the messages of a device that is to be confirmed.
        if session.toldHeld.isEmpty { effects.append(.settle(id, .removed)) }
        extendConfirmation(of: id, at: now)
        let held = offer.logs.compactMap { log -> AcknowledgedLog? in
            let known = zone.logs[LogKey(zone: offer.zone, actor: log.actor, lane: log.lane)]
            guard log.lane == .data, known.map({ $0.device == session.device }) ?? true else { return nil }
            return AcknowledgedLog(actor: log.actor, lane: log.lane, size: known?.size ?? 0)
        }
        effects.append(.send(id, .acknowledge(Acknowledge(zone: offer.zone, logs: held))))
    }

    /// A session with a removed device lasts for some seconds from its last late write.
    private mutating func extendConfirmation(of id: SessionID, at now: UInt64) {
        guard let opened = sessions[id]?.openedAt else { return }
        let until = min(now + limits.leavingMilliseconds, opened + limits.lateWritesMilliseconds)
        sessions[id]?.phase = .confirming(until: until)
    }

    /// Whether a session is an active one with a device of this account that belongs to it.
    private func isFellow(_ session: PeerSession) -> Bool {
        session.phase == .active && session.account == account && standing(of: session.device, in: account) == .active
    }

    /// Whether a session's device may receive now this device's writes above the ends of its logs.
    private func takesDeposits(of zone: ZoneID, _ id: SessionID) -> Bool {
        guard let session = sessions[id], session.phase == .active else { return false }
        if session.account == account { return isRemoved && isFellow(session) && zones[zone] != nil }
        guard let authority = authorities[zone], authority.hasEnded(account) else { return false }
        return authority.rules(session.account)
            && authority.acceptance(from: session.device, in: session.account, at: wall) == .everything
    }

    mutating func depositsRead(_ runs: [Run], of zone: ZoneID, for id: SessionID, into effects: inout [SyncEffect]) {
        guard sessions[id]?.deposited.contains(zone) == true else { return }
        // The peer's right to decide may have ended while the store was asked, and it may come back. A removal may
        // turn out not to be effective.
        guard takesDeposits(of: zone, id) else {
            sessions[id]?.deposited.remove(zone)
            return
        }
        for run in runs { effects.append(.send(id, .run(run))) }
        guard case .sizes(zone) = sessions[id]?.lateWrites?.awaited else { return }
        if let last = runs.last {
            sessions[id]?.lateWrites?.awaited = .run(last.signedHead.head.key)
        } else {
            offerNextLateWrites(on: id, into: &effects)
        }
    }

    /// Takes in a run from a removed device of this account: of its own writes, the part above the cut may be kept.
    mutating func lateRunReceived(_ run: Run, byteCount: Int, on id: SessionID, into effects: inout [SyncEffect]) {
        let head = run.signedHead.head
        guard let session = sessions[id], isRemovedFellow(session), head.device == session.device, head.lane == .data,
            zones[head.zone] != nil
        else { return }
        let waiting = session.applying.reduce(0) { $0 &+ $1.byteCount }
        guard waiting <= limits.receivedByteCountMax else {
            closeForViolation(id, "more bytes unanswered than the window allows", into: &effects)
            return
        }
        let applying = PeerSession.Applying(key: head.key, size: head.size, byteCount: max(byteCount, 0))
        sessions[id]?.applying.append(applying)
        effects.append(.write(.apply(id, run, head.key, .deposit)))
    }

    /// Answers a removed device with the size of its own log that was kept; it receives nothing else of the zone.
    mutating func lateRunApplied(
        _ outcome: RunOutcome,
        of key: LogKey,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        var kept: UInt64 = 0
        if case .durable(let size, let operations) = outcome, operations > 0 { kept = size }
        extendConfirmation(of: id, at: now)
        let log = AcknowledgedLog(actor: key.actor, lane: key.lane, size: kept)
        effects.append(.send(id, .acknowledge(Acknowledge(zone: key.zone, logs: [log]))))
    }

    /// Ends a session with an account that shares nothing with ours any more, once the reason was sent.
    mutating func checkLeaving(_ id: SessionID, at now: UInt64) {
        guard let session = sessions[id], session.account != account, session.phase == .active else { return }
        sessions[id]?.sharingRevision = sharingRevision
        let isShared = shares(with: session.device, of: session.account)
        sessions[id]?.leavingAt = isShared ? nil : session.leavingAt ?? now + limits.leavingMilliseconds
    }

    /// Whether a device may receive more than control logs, as far as is known here.
    ///
    /// A device that ends a session because nothing is shared any more may not have come to say so: a device that has
    /// not learnt of the end tries again soon.
    /// - Parameters:
    ///   - device: The device.
    ///   - other: Its account.
    /// - Returns: True for devices of this account that were not removed.
    package func shares(with device: DeviceID, of other: AccountID) -> Bool {
        guard other != account else { return standing(of: device, in: other) != .removed }
        return authorities.keys.contains { isShared($0, with: device, of: other) }
    }

    /// Returns the zones that a device of another account may receive in full, ascending.
    /// - Parameters:
    ///   - device: The device.
    ///   - other: Its account.
    /// - Returns: None for an account that shares nothing.
    package func sharedZones(with device: DeviceID, of other: AccountID) -> [ZoneID] {
        authorities.keys.filter { isShared($0, with: device, of: other) }.sorted()
    }

    private func isShared(_ zone: ZoneID, with device: DeviceID, of other: AccountID) -> Bool {
        zones[zone] != nil && access(to: zone, for: device, of: other, at: wall) == .everything
    }
}
