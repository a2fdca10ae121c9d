import Capabilities
import Identity
import Records
package import Wire

/// The requests by invitations.
///
/// Any device of the inviting account answers. The uses are counted in one place: by the device that made an invitation,
/// which alone grants then; or by a relay, which is asked before any device grants.
package struct Redemptions: Sendable {
    /// The number of accounts that may wait for an answer under one invitation.
    package static let waitingCountMax = 256

    /// The result of ``grantWaiting(random:in:)``.
    package struct Grants: Sendable {
        /// Without a number when nothing was granted.
        package var notice = CommitNotice()
        /// The claims to make at relays.
        package var claims: [UseClaim] = []
        /// Whether a request waits for the log of an account, which it does for a limited time.
        package var awaitsLogs = false
    }

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Answers a request to join; asking again returns the same answer, or a later one.
    ///
    /// The caller has verified the account log, and adds it to this account's collection of other accounts. It is
    /// treated as known already, so that the account's devices receive the zone's key together with the right.
    /// - Parameters:
    ///   - attempt: The asking device and its invitation; its account with all that is known of it here.
    ///   - claimed: The answer of the relay that counts the uses, once it was asked; nil before.
    ///   - random: For a capability.
    ///   - transaction: The store.
    /// - Returns: The answer, or, only without `claimed`, the claim to be made at the relay; and the notice, without
    ///   a number when nothing was written.
    /// - Throws: ``CommitError``, `ReplicaError`, or an error of the store.
    package func redeem(
        _ attempt: JoinAttempt,
        claimed: ClaimedUse? = nil,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> (outcome: RedemptionOutcome, notice: CommitNotice) {
        if let refusal = try refusal(of: attempt, in: transaction) { return (.refused(refusal), CommitNotice()) }
        return try Redemptions(committer.knowing(attempt.account)).answer(
            attempt,
            claimed,
            random: &random,
            in: &transaction
        )
    }

    private func answer(
        _ attempt: JoinAttempt,
        _ claimed: ClaimedUse?,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> (outcome: RedemptionOutcome, notice: CommitNotice) {
        let invite: Invite? = try AccountZone(committer).entry(Invite.name(attempt.invite), in: transaction)
        guard let invite else { return (.refused(.expired), CommitNotice()) }
        let id = Redemption.ID(invite: attempt.invite, account: attempt.account.account)
        let known: Redemption? = try AccountZone(committer).entry(id.name, in: transaction)
        let request = known ?? Redemption(id: id, device: attempt.device, asked: committer.wallMilliseconds)
        switch try InviteView(invite, committer, in: transaction).next(request, asking: attempt.device) {
        case .settled(let outcome): return (outcome, CommitNotice())
        case .note(let outcome) where known != nil: return (outcome, CommitNotice())
        // A device that only reads makes no statement for its account; another one is asked then.
        case .note where !committer.mayWrite, .grant where !committer.mayWrite, .claim where !committer.mayWrite:
            return (.waitingInviter, CommitNotice())
        case .note(let outcome):
            return try wait(request, outcome, by: invite, in: &transaction)
        case .grant(let terms):
            let (capability, notice) = try grant(request, by: invite, random: &random, in: &transaction)
            return (.joined(terms, capability: capability), notice)
        case .claim(let claim, let terms):
            switch claimed?.answer(to: claim) {
            case nil: return (.claim(claim), CommitNotice())
            case .spent: return (.refused(.spent), CommitNotice())
            case .silent where known != nil: return (.waitingRelay, CommitNotice())
            case .silent: return try wait(request, .waitingRelay, by: invite, in: &transaction)
            case .held:
                let (capability, notice) = try grant(request, by: invite, random: &random, in: &transaction)
                return (.joined(terms, capability: capability), notice)
            }
        }
    }

    /// Notes a request that waits.
    private func wait(
        _ request: Redemption,
        _ outcome: RedemptionOutcome,
        by invite: Invite,
        in transaction: inout some NodeTransaction
    ) throws -> (outcome: RedemptionOutcome, notice: CommitNotice) {
        let waiting = try all(by: invite, in: transaction).count { $0.granted == nil && !$0.isDenied }
        guard waiting < Self.waitingCountMax else { return (.refused(.busy), CommitNotice()) }
        return (outcome, try AccountZone(committer).save([request.write], in: &transaction))
    }

    /// Grants the requests that wait for this device: those by its own invitations that need no approval, or are
    /// approved, of accounts that are known here.
    ///
    /// For requests by invitations that a relay counts it returns the claims to make; ``grant(_:random:in:)``
    /// grants then.
    ///
    /// To be called when the account's zone, its rights, or another account's log may have changed; and after a minute,
    /// as long as a request waits for the log of an account.
    /// - Parameters:
    ///   - random: For capabilities.
    ///   - transaction: The store.
    /// - Returns: The grants, and what is left to do.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func grantWaiting(
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> Grants {
        var grants = Grants()
        guard committer.mayWrite else { return grants }
        let invites: [Invite] = try AccountZone(committer).entries(in: transaction)
        for invite in invites where invite.maker == committer.device || invite.countersigner != .device {
            let ready = try all(by: invite, in: transaction).filter { request in
                request.granted == nil && !request.isDenied && (request.isApproved || !invite.terms.needsApproval)
            }
            guard !ready.isEmpty else { continue }
            var view = try InviteView(invite, committer, in: transaction)
            let taken = try all(by: invite, in: transaction).count { $0.granted != nil }
            var left = Int(invite.terms.uses) - taken
            for request in ready where try !Blocklist(committer).contains(request.id.account, in: transaction) {
                guard view.inviteState == .open else { break }
                if view.awaitsLog(request) { grants.awaitsLogs = true }
                if left > 0, case .claim(let claim, _) = view.next(request) {
                    grants.claims.append(claim.delayed(by: turn))
                    left -= 1
                }
                guard case .grant = view.next(request) else { continue }
                grants.notice.merge(try grant(request, by: invite, random: &random, in: &transaction).notice)
                // Each grant takes a use.
                view = try InviteView(invite, committer, in: transaction)
            }
        }
        return grants
    }

    /// The time for which this device leaves the work of any device to others, in milliseconds: so that not all do it
    /// at once.
    private var turn: UInt64 {
        let place = committer.account.activeDevices.sorted().firstIndex(of: committer.device) ?? 0
        return Self.turnMilliseconds * UInt64(clamping: min(place, Self.turnCountMax))
    }

    /// The time that a device leaves to each of those before it, in milliseconds.
    private static let turnMilliseconds: UInt64 = 2_000
    /// The maximum number of turns.
    private static let turnCountMax = 15

    /// Grants a noted request, once the relay that counts the uses has allowed it.
    /// - Parameters:
    ///   - claimed: The relay's answer.
    ///   - random: For a capability.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing was granted.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func grant(
        _ claimed: ClaimedUse,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let id = claimed.claim.id
        let known: Redemption? = try AccountZone(committer).entry(id.name, in: transaction)
        let invite: Invite? = try AccountZone(committer).entry(Invite.name(id.invite), in: transaction)
        guard committer.mayWrite, let known, let invite,
            try !Blocklist(committer).contains(id.account, in: transaction),
            case .claim(let claim, _) = try InviteView(invite, committer, in: transaction).next(known),
            claimed.answer(to: claim) == .held
        else { return CommitNotice() }
        return try grant(known, by: invite, random: &random, in: &transaction).notice
    }

    /// Requests that wait, for a person or for the device that made the invitation.
    /// - Parameters:
    ///   - zone: Those for a zone; nil for all.
    ///   - transaction: The store.
    /// - Returns: By invitation, oldest first.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func requests(
        for zone: ZoneID? = nil,
        in transaction: some NodeTransaction
    ) throws -> [Redemption] {
        try Invitations(committer).all(to: zone, in: transaction).filter { $0.state == .open }.flatMap { status in
            let view = try InviteView(status.invite, committer, in: transaction)
            return try all(by: status.invite, in: transaction).filter { request in
                if case .settled = view.next(request) { return false }
                return try !Blocklist(committer).contains(request.id.account, in: transaction)
            }
        }
    }

    /// Approves a request; the device that made the invitation grants the promised right, at once if it is this one.
    ///
    /// Where a relay counts the uses, the right is granted once the relay was asked.
    /// - Parameters:
    ///   - id: The request.
    ///   - random: For the capability.
    ///   - transaction: The store.
    /// - Returns: The capability, nil if it will be granted later or by another device; and the notice.
    /// - Throws: ``InviteError``, `CommitError.refused` for an account that may not grant, `ReplicaError`, or an
    ///   error of the store.
    package func approve(
        _ id: Redemption.ID,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> (capability: Hash?, notice: CommitNotice) {
        var (request, invite) = try request(id, in: transaction)
        if let granted = request.granted { return (granted, CommitNotice()) }
        guard !request.isDenied else { throw InviteError.denied }
        guard try !Blocklist(committer).contains(id.account, in: transaction) else {
            throw InviteError.blocked(id.account)
        }
        let view = try InviteView(invite, committer, in: transaction)
        guard view.inviteState == .open else { throw InviteError.over(view.inviteState) }
        try ZoneSharing(committer).checkMayGrant(
            invite.terms.rights,
            invite.terms.caveats,
            zone: invite.zone,
            in: transaction
        )
        var notice = CommitNotice()
        if !request.isApproved {
            request.isApproved = true
            notice = try AccountZone(committer).save(
                [RecordWrite(name: request.name, set: [Redemption.approval])],
                in: &transaction
            )
        }
        switch view.next(request) {
        case .grant:
            let (capability, granted) = try grant(request, by: invite, random: &random, in: &transaction)
            notice.merge(granted)
            return (capability, notice)
        case .settled(.joined(_, let capability)): return (capability, notice)
        case .settled, .note, .claim: return (nil, notice)
        }
    }

    /// Says no to a request, for good.
    /// - Parameters:
    ///   - id: The request.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was denied already.
    /// - Throws: ``InviteError``, ``CommitError``, `ReplicaError`, or an error of the store.
    package func deny(_ id: Redemption.ID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        let (request, _) = try request(id, in: transaction)
        if let granted = request.granted { throw InviteError.granted(granted) }
        guard !request.isDenied else { return CommitNotice() }
        return try AccountZone(committer).save(
            [RecordWrite(name: request.name, set: [Redemption.denial])],
            in: &transaction
        )
    }

    // MARK: The decision

    /// Returns the reason why an account does not even learn the status of an invitation.
    private func refusal(of attempt: JoinAttempt, in transaction: some NodeTransaction) throws -> JoinRefusalCode? {
        let other = attempt.account.account
        if other == committer.account.account { return .ownAccount }
        // The log that was sent may be older than the one that is known here, in which the device was removed since.
        guard attempt.account.standing(of: attempt.device) == .active(.full),
            committer.accounts[other]?.standing(of: attempt.device) != .removed
        else { return .badAccount }
        return try Blocklist(committer).contains(other, in: transaction) ? .refused : nil
    }

    /// Grants the right that an invitation promises, and notes it.
    private func grant(
        _ request: Redemption,
        by invite: Invite,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> (capability: Hash, notice: CommitNotice) {
        let terms = Capability.Terms(
            audience: request.id.account,
            rights: invite.terms.rights,
            caveats: invite.terms.caveats
        )
        let granted = try ZoneSharing(committer).grant(terms, zone: invite.zone, random: &random, in: &transaction)
        let capability = granted.reply.id
        var notice = granted.notice
        var settled = request
        settled.granted = capability
        // All fields of a new record; of a known one only this, so that the others do not look newly set.
        let known: Redemption? = try AccountZone(committer).entry(request.name, in: transaction)
        let fields = known == nil ? settled.fields : [Redemption.grant(capability)]
        let write = RecordWrite(name: request.name, type: Redemption.type, set: fields)
        notice.merge(try AccountZone(committer).save([write], in: &transaction))
        return (capability, notice)
    }

    /// Returns a noted request with its invitation.
    private func request(
        _ id: Redemption.ID,
        in transaction: some NodeTransaction
    ) throws -> (request: Redemption, invite: Invite) {
        let request: Redemption? = try AccountZone(committer).entry(id.name, in: transaction)
        let invite: Invite? = try AccountZone(committer).entry(Invite.name(id.invite), in: transaction)
        guard let request, let invite else { throw InviteError.unknownRequest }
        return (request, invite)
    }

    /// Returns the requests by an invitation, oldest first.
    func all(by invite: Invite, in transaction: some NodeTransaction) throws -> [Redemption] {
        let all: [Redemption] = try AccountZone(committer).entries(
            Redemption.prefix(invite.identifier),
            in: transaction
        )
        return all.sorted { ($0.asked, $0.id.account) < ($1.asked, $1.id.account) }
    }
}
