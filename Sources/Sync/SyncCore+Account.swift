import Identity
import Wire

// Sessions as they begin and end, and the account log, which comes before everything else: it decides which devices
// may send about zones, and whose runs are taken.
extension SyncCore {
    mutating func opened(_ opening: SessionOpening, at now: UInt64, into effects: inout [SyncEffect]) {
        guard hasPlace(for: opening) else {
            effects.append(.close(opening.session, .busy, reason: "too many sessions"))
            return
        }
        // For a device that only receives public zones, its account makes no difference.
        let isStranger = isStranger(opening.account) && opening.standing == .unknown
        let isServed = isServedAsStranger(opening.account)
        switch opening.standing {
        case .unknown where isStranger && !isServed:
            effects.append(.close(opening.session, .refused, reason: "no zone is shared with the account"))
            return
        // One of this account that knows of its removal may still have late writes to deliver.
        case .removed where opening.account != account && opening.accountHeads == heads(of: opening.account):
            effects.append(.close(opening.session, .refused, reason: Self.removalReason))
            return
        // It may not know of its removal, and may hold the proof that the removal is not effective: no other device
        // need have that.
        case .active, .unknown, .removed:
            break
        }
        let isActive = (opening.standing == .active && !opening.isByEarlierKey) || isStranger
        // Nothing is shared with a removed device, nor with an account that was removed.
        let patience = opening.standing == .removed ? limits.leavingMilliseconds : limits.confirmationMilliseconds
        let phase: PeerSession.Phase = isActive ? .active : .confirming(until: now + patience)
        sessions[opening.session] = PeerSession(opening, phase: phase, at: now, limits: limits)
        if opening.account != account { expectMoments() }
        sessions[opening.session]?.isUnproven = isStranger
        effects.append(.settle(opening.session, isStranger ? .guest : isActive ? .member : .confirming))
        tellHeads(opening, into: &effects)
        tellProgram(opening.session, into: &effects)
        if isActive { tellOtherHeads(opening.session, at: now, into: &effects) }
        tellRecoverySecret(opening.session, into: &effects)
        tellFleetSecret(opening.session, into: &effects)
        // If the logs differ, the peer's may lack this device: then it drops the heads that it was just sent.
        sessions[opening.session]?.tellsHeadsAgain =
            isActive && opening.account == account && opening.accountHeads != accountHeads
        checkLeaving(opening.session, at: now)
        if isActive, opening.isInitiator { beginComparison(opening.session, at: now, into: &effects) }
        if opening.account == account {
            offerLateWrites(on: opening.session, into: &effects)
        } else {
            for zone in authorities.keys.sorted() { offerDeposit(of: zone, on: opening.session, into: &effects) }
        }
    }

    /// Why a session with a device that was removed is closed.
    private static let removalReason = "the device is not in the account any more"

    /// Whether there is room for another session.
    ///
    /// There are fewer places for devices that are not known as this account's: anyone who has a zone's key can make
    /// devices, and they are not to take the places of our own.
    private func hasPlace(for opening: SessionOpening) -> Bool {
        guard sessions.count < limits.sessionCountMax else { return false }
        guard opening.account != account || opening.standing != .active else { return true }
        let foreign = sessions.values.filter { $0.account != account || $0.phase != .active }
        if isStranger(opening.account) {
            let strangers = foreign.filter { isStranger($0.account) }
            guard strangers.count < limits.strangerSessionCountMax else { return false }
        }
        return foreign.count < limits.foreignSessionCountMax
            && foreign.filter { $0.account == opening.account }.count < limits.foreignSessionCountPerAccountMax
    }

    /// Whether an unknown account receives public zones here.
    private func isServedAsStranger(_ other: AccountID) -> Bool {
        isStranger(other) && authorities.values.contains { $0.isOpen && !$0.isGuest(account) }
    }

    /// Sends the known heads of accounts' logs, as far as the handshake has not.
    ///
    /// Of one account both sides hold copies of the same log; of two each side asks for the other's, and sends the
    /// entries of its own that the other lacks.
    private mutating func tellHeads(_ opening: SessionOpening, into effects: inout [SyncEffect]) {
        let id = opening.session
        let isOwn = opening.account == account
        let known = heads(of: opening.account)
        guard opening.accountHeads != known, !isServedAsStranger(opening.account) else { return }
        if opening.isInitiator || !isOwn {
            let have = AccountHave(account: opening.account, heads: known ?? [], wantsReply: isOwn)
            effects.append(.send(id, .accountHave(have)))
        }
        // For our account: the heads in the handshake were equal if our log has grown since, and then no side would
        // ask. For another one: runs of devices that it has not learnt of follow.
        if isOwn ? !opening.isInitiator : known != nil {
            tellAccount(opening.account, notIn: opening.accountHeads, to: id, into: &effects)
        }
    }

    /// States the heads of all other accounts' logs that a session may exchange, once it is active.
    ///
    /// Between accounts one side's statement is enough for both, except for accounts that are unknown here and that a
    /// zone names. Between devices of one account both sides send: each may know accounts that no zone names yet,
    /// such as those that ask to join.
    private mutating func tellOtherHeads(_ id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        askForAccounts(on: id, at: now, into: &effects)
        guard let session = sessions[id] else { return }
        let isOwn = session.account == account
        guard isOwn || session.isInitiator else { return }
        for other in contacts.keys.sorted() where other != session.account && isRelevant(other, to: id) {
            guard let heads = heads(of: other) else { continue }
            effects.append(.send(id, .accountHave(AccountHave(account: other, heads: heads, wantsReply: !isOwn))))
        }
    }

    /// Sends the heads again that the peer may have dropped while it did not know this device: as it compares now, it
    /// takes them.
    mutating func tellHeadsAgain(_ id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        guard sessions[id]?.tellsHeadsAgain == true else { return }
        sessions[id]?.tellsHeadsAgain = false
        tellOtherHeads(id, at: now, into: &effects)
    }

    mutating func accountChanged(
        _ heads: [Hash],
        _ standings: [DeviceID: Standing],
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        let grew = heads != accountHeads
        accountHeads = heads
        self.standings = standings
        standingsChanged(account, grew: grew, at: now, into: &effects)
        for id in sessions.keys.sorted() { offerLateWrites(on: id, into: &effects) }
    }

    /// Takes in new recovery words, made here or from another device: the other devices get this device's part of
    /// them too.
    mutating func recoverySecretChanged(_ secret: RecoverySecret?, into effects: inout [SyncEffect]) {
        guard secret != recoverySecret else { return }
        recoverySecret = secret
        for id in sessions.keys.sorted() { tellRecoverySecret(id, into: &effects) }
    }

    private func tellRecoverySecret(_ id: SessionID, into effects: inout [SyncEffect]) {
        guard let session = sessions[id], session.account == account, session.phase == .active,
            standing(of: session.device, in: account) == .active, let recoverySecret
        else { return }
        effects.append(.send(id, .recoverySecret(recoverySecret)))
    }

    /// Sends the present key to a device of the account that dialled by an earlier one, and that dials again by it.
    private func tellFleetSecret(_ id: SessionID, into effects: inout [SyncEffect]) {
        guard let session = sessions[id], session.account == account, session.isByEarlierKey,
            standing(of: session.device, in: account) == .active, standings[localDevice] != .removed, let fleetSecret
        else { return }
        effects.append(.send(id, .fleetSecret(fleetSecret)))
    }

    mutating func fleetKeysChanged(
        _ secret: FleetSecret?,
        _ held: Set<Hash>,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        fleetKeys = held
        let isOther = secret != fleetSecret
        fleetSecret = secret
        for id in sessions.keys.sorted() {
            if isOther { tellFleetSecret(id, into: &effects) }
            expectCallAgain(id, at: now)
        }
    }

    /// Takes in the present key from a device of the account that takes the channel for one under an earlier key.
    mutating func fleetSecretHanded(
        _ secret: FleetSecret,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let session = sessions[id], session.account == account,
            standing(of: session.device, in: account) != .removed
        else { return }
        sessions[id]?.handedKey = secret.entry
        if !fleetKeys.contains(secret.entry) { effects.append(.takeFleetSecret(secret)) }
        expectCallAgain(id, at: now)
    }

    /// Ends the session when the key that a peer has delivered is held: at once where both have the same log.
    private mutating func expectCallAgain(_ id: SessionID, at now: UInt64) {
        guard let session = sessions[id], let handed = session.handedKey, fleetKeys.contains(handed) else { return }
        let isLevel = session.accountHeads[account] == accountHeads
        sessions[id]?.callsAgainAt = min(
            session.callsAgainAt ?? .max,
            isLevel ? now : now + limits.callAgainMilliseconds
        )
    }

    /// Replaces the knowledge of another account's log.
    /// - Returns: Whether the log differs from before.
    mutating func take(_ contact: Contact, of other: AccountID) -> Bool {
        guard other != account else { return false }
        let before = contacts.updateValue(contact, forKey: other)
        return before?.heads != contact.heads
    }

    /// Handles the change of another account's log, which was taken just before.
    mutating func contactChanged(
        _ other: AccountID,
        grew: Bool,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard other != account else { return }
        standingsChanged(other, grew: grew, at: now, into: &effects)
    }

    /// Handles changed standings in an account's log: sessions of its devices begin or end, and others are notified.
    private mutating func standingsChanged(
        _ changed: AccountID,
        grew: Bool,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        for device in held.keys.sorted() where standing(of: device, in: changed) == .removed { held[device] = nil }
        for id in sessions.keys.sorted() {
            guard let session = sessions[id] else { continue }
            if session.account == changed {
                switch standing(of: session.device, in: changed) {
                // Unknown again: the device that had admitted it was removed by one that had not seen the admission.
                case .removed where session.phase == .active,
                    .unknown where session.phase == .active && !session.isUnproven:
                    effects.append(.close(id, .refused, reason: Self.removalReason))
                    sessions[id] = nil
                    continue
                case .active where session.isByEarlierKey:
                    // It may not have been known when it called.
                    tellFleetSecret(id, into: &effects)
                case .active where session.phase != .active || session.isUnproven:
                    sessions[id]?.phase = .active
                    sessions[id]?.isUnproven = false
                    effects.append(.settle(id, .member))
                    tellProgram(id, into: &effects)
                    tellOtherHeads(id, at: now, into: &effects)
                    tellRecoverySecret(id, into: &effects)
                    checkLeaving(id, at: now)
                    // The peer's own first comparison was dropped while it was unconfirmed, so this side begins one.
                    beginComparison(id, at: now, into: &effects)
                case .active, .unknown, .removed:
                    break
                }
            }
            guard grew, isRelevant(changed, to: id) else { continue }
            let known = session.accountHeads[changed]
            if known != heads(of: changed) {
                tellAccount(
                    changed,
                    notIn: (known ?? []) + (session.accountTold[changed] ?? []),
                    to: id,
                    into: &effects
                )
            }
            if sessions[id]?.phase == .active { askAnewForWaiting(id, at: now) }
        }
    }

    mutating func closeForViolation(
        _ id: SessionID,
        _ reason: String,
        in zone: ZoneID? = nil,
        into effects: inout [SyncEffect]
    ) {
        closeForViolation(id, Anomaly(.violation, zone: zone, detail: reason), into: &effects)
    }

    mutating func closeForViolation(_ id: SessionID, _ anomaly: Anomaly, into effects: inout [SyncEffect]) {
        report(anomaly, on: id, into: &effects)
        effects.append(.close(id, .violation, reason: anomaly.detail))
        sessions[id] = nil
    }

    /// Reports an event that no honest program causes.
    ///
    /// A device that is not known in any account is not named: anyone can make as many as they like.
    func report(_ anomaly: Anomaly, on id: SessionID?, into effects: inout [SyncEffect]) {
        var anomaly = anomaly
        if let session = id.flatMap({ sessions[$0] }), !session.isUnproven,
            standing(of: session.device, in: session.account) != .unknown
        {
            (anomaly.peer, anomaly.account) = (session.device, session.account)
        }
        effects.append(.report(.anomaly(anomaly)))
    }

    mutating func accountHave(_ have: AccountHave, on id: SessionID, into effects: inout [SyncEffect]) {
        guard let session = sessions[id], isRelevant(have.account, to: id) else { return }
        if isNamed(have.account, to: session) { sessions[id]?.accountHeads[have.account] = have.heads }
        guard let heads = heads(of: have.account) else {
            if session.account == account, !have.heads.isEmpty { fetchLog(of: have.account, on: id, into: &effects) }
            return
        }
        // A device of which nothing is proven could have a long log sent again by naming other heads each time.
        let wasTold =
            session.accountTold[have.account] == heads
            && (session.isUnproven || session.accountHeads[have.account] == have.heads)
        if !wasTold, have.heads != heads { tellAccount(have.account, notIn: have.heads, to: id, into: &effects) }
        if have.wantsReply {
            let ours = AccountHave(account: have.account, heads: heads, wantsReply: false)
            effects.append(.send(id, .accountHave(ours)))
        }
    }

    /// Requests the log of an unknown account from a device of this account, once, after all logs requested before
    /// have arrived.
    private mutating func fetchLog(of other: AccountID, on id: SessionID, into effects: inout [SyncEffect]) {
        guard sessions[id]?.fetches.add(other) == true else { return }
        fetchNextLog(on: id, into: &effects)
    }

    private mutating func fetchNextLog(on id: SessionID, into effects: inout [SyncEffect]) {
        guard let next = sessions[id]?.fetches.next(isNeeded: { contacts[$0] == nil }) else { return }
        let ask = AccountHave(account: next, heads: [], wantsReply: false)
        effects.append(.send(id, .accountHave(ask)))
    }

    mutating func accountEntries(
        _ answer: AccountEntries,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        // An account may come to be known while its log arrives.
        let isAhead = sessions[id].map { isServedAsStranger($0.account) || guests.expectsLog(on: id) } ?? false
        if isAhead, answer.account == sessions[id]?.account {
            logAhead(answer, on: id, at: now, into: &effects)
            return
        }
        if !answer.more, sessions[id]?.fetches.ended(answer.account) == true { fetchNextLog(on: id, into: &effects) }
        guard isRelevant(answer.account, to: id) else { return }
        sessions[id]?.wantsAnew()
        for batch in sessions[id]?.arrivingEntries.take(answer) ?? [] {
            effects.append(.insertAccountEntries(id, batch.account, batch.entries))
        }
    }

    private mutating func tellAccount(
        _ other: AccountID,
        notIn heads: [Hash],
        to id: SessionID,
        into effects: inout [SyncEffect]
    ) {
        let ours = self.heads(of: other)
        sessions[id]?.accountTold[other] = ours
        sessions[id]?.wantsAnew()
        effects.append(.readAccountEntries(id, other, notIn: heads))
    }

    /// Sends entries in messages that the peer takes, parents still before children.
    func sendAccountEntries(
        _ entries: [[UInt8]],
        of other: AccountID,
        to id: SessionID,
        into effects: inout [SyncEffect]
    ) {
        guard sessions[id] != nil else { return }
        for message in AccountEntries.messages(entries, account: other) {
            effects.append(.send(id, .accountEntries(message)))
        }
    }

    // MARK: Accounts of logs

    /// The heads of an account's log; `nil` for an unknown account.
    func heads(of other: AccountID) -> [Hash]? {
        other == account ? accountHeads : contacts[other]?.heads
    }

    /// Returns the standing of a device in an account.
    func standing(of device: DeviceID, in other: AccountID) -> Standing {
        (other == account ? standings[device] : contacts[other]?.standings[device]) ?? .unknown
    }

    /// Whether a session may exchange an account's log: the logs of both ends, those of accounts that take part in a
    /// zone that the session sees, and between devices of one account all logs that either knows.
    private func isRelevant(_ other: AccountID, to id: SessionID) -> Bool {
        guard let session = sessions[id] else { return false }
        // A removed device of another account receives that account's log only.
        if standing(of: session.device, in: session.account) == .removed { return other == session.account }
        if other == account { return true }
        if other == session.account { return !isServedAsStranger(other) }
        guard session.phase == .active else { return false }
        if session.account == account { return true }
        return authorities.contains {
            $0.value.parties.contains(other) && access(to: $0.key, for: session) != .nothing
        }
    }

    /// Whether the peer's heads of an account's log are worth remembering: devices of our own could name any number.
    private func isNamed(_ other: AccountID, to session: PeerSession) -> Bool {
        if other == session.account || heads(of: other) != nil { return true }
        return authorities.values.contains { $0.parties.contains(other) }
    }
}
