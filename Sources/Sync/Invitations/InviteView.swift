import Capabilities
import Identity
import Records
import Wire

/// An invitation with all that decides about requests by it, as this device knows it at one moment.
struct InviteView {
    /// The next step for a request.
    enum Next {
        /// The request is settled, with this outcome.
        case settled(RedemptionOutcome)
        /// The request has to be noted in the account's zone, with this outcome.
        case note(RedemptionOutcome)
        /// This device, which made the invitation, has to grant the right.
        case grant(ZoneTerms)
        /// The relay has to confirm that there is a use left; then this device has to grant it.
        case claim(UseClaim, ZoneTerms)
    }

    let invite: Invite
    let inviteState: Invite.State
    /// Nil where the account's zone came before the zone.
    let zone: ZoneRow?
    /// Whether the zone is no longer there.
    let isZoneGone: Bool
    /// The state of the zone's control log.
    let state: ControlState?
    /// Whether the account may delegate the promised rights; nil while this is unknown.
    let mayGrant: Bool?
    /// Whether this device made the invitation.
    let isOwn: Bool
    /// The accounts whose logs are known here.
    let accounts: [AccountID: AccountState]
    /// This device's clock, in milliseconds since 1970.
    let wallMilliseconds: UInt64

    /// The time that a request waits for the log with the asking device: by then it has come if any device that has
    /// it is met.
    static let logPatienceMilliseconds: UInt64 = 120_000

    /// Decides about a request by an account that is not blocked.
    /// - Parameters:
    ///   - request: The request.
    ///   - asking: The device that asks now, if one does; else it is the one that asked first.
    /// - Returns: The next step.
    func next(_ request: Redemption, asking: DeviceID? = nil) -> Next {
        guard let zone, let state else { return unsettled(request, otherwise: .note(.waitingInviter)) }
        let terms = ZoneTerms(genesis: zone.genesis, tagKey: zone.tagKey)
        if isZoneGone { return .settled(.refused(.zoneGone)) }
        if state.owner == request.id.account { return .settled(.refused(.ownAccount)) }
        if let held = state.capability(of: request.id.account, covering: invite.terms) {
            return .settled(.joined(terms, capability: held))
        }
        if let granted = request.granted {
            switch state.status(of: granted) {
            // The book states that it was granted before the zone's control log has come here.
            case nil, .waiting: return .settled(.waitingInviter)
            case .live, .ended, .void: return .settled(.refused(.refused))
            }
        }
        let isAwaited = awaitsLog(request, asking: asking)
        return unsettled(request, otherwise: isAwaited ? .note(.waitingInviter) : granting(request, terms))
    }

    /// Whether a request that may be granted waits for the log of the asking account.
    ///
    /// A device that is not known here gets no key with its account's right. The log comes from the device that noted
    /// the request, or with the next question; but not where only parcels come from there. Then the right is granted
    /// without, and the device that noted the request delivers the key.
    func awaitsLog(_ request: Redemption, asking: DeviceID? = nil) -> Bool {
        let isKnown = accounts[request.id.account].map { $0.standing(of: asking ?? request.device) != .unknown }
        guard isKnown != true else { return false }
        // A time in the future is from a clock that is wrong here or there, and is ignored.
        return wallMilliseconds >= request.asked && wallMilliseconds - request.asked < Self.logPatienceMilliseconds
    }

    /// Decides about a request without any objection.
    private func granting(_ request: Redemption, _ terms: ZoneTerms) -> Next {
        switch invite.countersigner {
        case .device: isOwn ? .grant(terms) : .note(.waitingInviter)
        case .relay(let relay, let key):
            // Held for longer than any account can ask, by any clock.
            .claim(
                UseClaim(request.id, relay: relay, key: key, uses: invite.terms.uses, until: invite.forgotten),
                terms
            )
        }
    }

    /// Decides about a request that nothing was granted for.
    private func unsettled(_ request: Redemption, otherwise next: Next) -> Next {
        if request.isDenied { return .settled(.refused(.refused)) }
        switch inviteState {
        case .open: break
        case .spent: return .settled(.refused(.spent))
        case .withdrawn, .expired, .orphaned: return .settled(.refused(.expired))
        case .zoneGone: return .settled(.refused(.zoneGone))
        }
        if mayGrant == false { return .settled(.refused(.noRight)) }
        if invite.terms.needsApproval, !request.isApproved { return .note(.waitingApproval) }
        return mayGrant == nil ? .note(.waitingInviter) : next
    }
}

extension InviteView {
    /// Collects the facts that decide about requests by an invitation now.
    init(_ invite: Invite, _ committer: Committer, in transaction: some NodeTransaction) throws {
        let zone = try transaction.zone(invite.zone)
        self.init(
            invite: invite,
            inviteState: try Invitations(committer).status(of: invite, in: transaction).state,
            zone: zone,
            isZoneGone: zone.map(Invitations(committer).isGone) ?? false,
            state: try zone.map { try ZoneViews(committer).controlState($0.id, in: transaction) },
            mayGrant: zone == nil ? nil : try Self.mayGrant(invite, committer, in: transaction),
            isOwn: invite.maker == committer.device,
            accounts: committer.accounts,
            wallMilliseconds: committer.wallMilliseconds
        )
    }

    private static func mayGrant(
        _ invite: Invite,
        _ committer: Committer,
        in transaction: some NodeTransaction
    ) throws -> Bool? {
        // A device that may not write is asked as if it might: another one of the account will grant.
        guard committer.mayWrite else { return true }
        do {
            try ZoneSharing(committer).checkMayGrant(
                invite.terms.rights,
                invite.terms.caveats,
                zone: invite.zone,
                in: transaction
            )
            return true
        } catch let error as CommitError {
            if case .waiting = error { return nil }
            return false
        } catch is CapabilityError {
            return false
        }
    }
}

extension ControlState {
    /// A capability of an account that holds and gives all that an invitation promises.
    fileprivate func capability(of account: AccountID, covering terms: InviteTerms) -> Hash? {
        participants[account]?.capabilities.first { id in
            guard let capability = capabilities[id]?.capability else { return false }
            return capability.rights.level >= terms.rights.level
                && (capability.rights.canDelegate || !terms.rights.canDelegate)
                && (capability.caveats == terms.caveats || capability.caveats.limitsNothing(in: terms))
        }
    }
}

extension Caveats {
    /// Whether they narrow nothing that is promised.
    fileprivate func limitsNothing(in terms: InviteTerms) -> Bool {
        recordTypes.isEmpty && namePrefix.isEmpty && notBefore == nil && expires == nil
            && (!terms.rights.canDelegate || delegationDepth >= terms.caveats.delegationDepth)
    }
}
