import Wire

// Sessions as they begin and end, and the accounts that decide about both.
extension Replication {
    /// Begins a session, or closes it at once.
    mutating func open(_ opening: SessionOpening) {
        guard hasPlace(for: opening) else {
            context.effects.append(.close(opening.session, .busy, reason: "too many sessions"))
            return
        }
        // For a device that only receives public zones, its account makes no difference.
        let isStranger = rights.isStranger(opening.account) && opening.standing == .unknown
        switch opening.standing {
        case .unknown where isStranger && !rights.isServedAsStranger(opening.account):
            let reason = "no zone is shared with the account"
            context.effects.append(.close(opening.session, .refused, reason: reason))
            return
        // One of this account that knows of its removal may still have late writes to deliver.
        case .removed
        where opening.account != rights.account && opening.accountHeads == rights.heads(of: opening.account):
            context.effects.append(.close(opening.session, .refused, reason: Self.removalReason))
            return
        // It may not know of its removal, and may hold the proof that the removal is not effective: no other device
        // need have that.
        case .active, .unknown, .removed:
            break
        }
        add(opening, isStranger: isStranger)
    }

    private mutating func add(_ opening: SessionOpening, isStranger: Bool) {
        let (id, limits) = (opening.session, context.limits)
        let isActive = (opening.standing == .active && !opening.isByEarlierKey) || isStranger
        // Nothing is shared with a removed device, nor with an account that was removed.
        let patience = opening.standing == .removed ? limits.leavingMilliseconds : limits.confirmationMilliseconds
        let phase: PeerSession.Phase = isActive ? .active : .confirming(until: context.now + patience)
        sessions[id] = PeerSession(opening, phase: phase, isUnproven: isStranger, at: context.now, limits)
        if opening.account != rights.account { expectMoments() }
        sessions[id]?.open(in: &context)
        if isActive, opening.isInitiator { beginComparison(id) }
        if opening.account == rights.account {
            sessions[id]?.offerLateWrites(in: &context)
        } else {
            for zone in rights.authorities.keys.sorted() { sessions[id]?.offerDeposit(of: zone, in: &context) }
        }
    }

    /// Why a session with a device that was removed is closed.
    private static let removalReason = "the device is not in the account any more"

    /// Whether there is room for another session.
    ///
    /// There are fewer places for devices that are not known as this account's: anyone who has a zone's key can make
    /// devices, and they are not to take the places of our own.
    private func hasPlace(for opening: SessionOpening) -> Bool {
        let limits = context.limits
        guard sessions.count < limits.sessionCountMax else { return false }
        guard opening.account != rights.account || opening.standing != .active else { return true }
        let foreign = sessions.values.filter { $0.account != rights.account || !$0.isActive }
        if rights.isStranger(opening.account) {
            let strangers = foreign.filter { rights.isStranger($0.account) }
            guard strangers.count < limits.strangerSessionCountMax else { return false }
        }
        return foreign.count < limits.foreignSessionCountMax
            && foreign.filter { $0.account == opening.account }.count < limits.foreignSessionCountPerAccountMax
    }

    // MARK: Accounts

    mutating func accountChanged(_ log: Contact) {
        let grew = log.heads != rights.own.heads
        context.rights.own = log
        standingsChanged(rights.account, grew: grew)
        for id in ids { sessions[id]?.offerLateWrites(in: &context) }
    }

    /// Handles the change of another account's log, which was taken just before.
    mutating func contactChanged(_ other: AccountID, grew: Bool) {
        if other != rights.account { standingsChanged(other, grew: grew) }
    }

    /// Handles changed standings in an account's log: sessions of its devices begin or end, and others are notified.
    private mutating func standingsChanged(_ changed: AccountID, grew: Bool) {
        context.rights.forgetRemoved(by: changed)
        for id in ids {
            if sessions[id]?.account == changed { standingChanged(id) }
            if grew { sessions[id]?.logGrew(of: changed, in: &context) }
        }
    }

    /// Applies the standing of a session's device in its account.
    private mutating func standingChanged(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        switch rights.standing(of: session.device, in: session.account) {
        // Unknown again: the device that had admitted it was removed by one that had not seen the admission.
        case .removed where session.isActive, .unknown where session.isActive && !session.isUnproven:
            close(id, .refused, Self.removalReason)
        case .active where session.isByEarlierKey:
            // It may not have been known when it called.
            sessions[id]?.tellFleetSecret(in: &context)
        case .active where session.isOfStranger:
            sessions[id]?.confirm(in: &context)
            // The peer's own first comparison was dropped while it was unconfirmed, so this side begins one.
            beginComparison(id)
        case .active, .unknown, .removed:
            break
        }
    }

    /// Takes in new recovery words, made here or from another device: the other devices get this device's part of
    /// them too.
    mutating func recoverySecretChanged(_ secret: RecoverySecret?) {
        guard secret != context.recoverySecret else { return }
        context.recoverySecret = secret
        for id in ids { sessions[id]?.tellRecoverySecret(in: &context) }
    }

    mutating func fleetKeysChanged(_ secret: FleetSecret?, _ held: Set<Hash>) {
        context.fleetKeys = held
        let isOther = secret != context.fleetSecret
        context.fleetSecret = secret
        for id in ids {
            if isOther { sessions[id]?.tellFleetSecret(in: &context) }
            sessions[id]?.expectCallAgain(in: context)
        }
    }
}
