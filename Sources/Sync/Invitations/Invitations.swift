import Capabilities
import Identity
import Records
package import Wire

/// The account's invitations: making, listing and withdrawing them.
package struct Invitations: Sendable {
    /// The number of invitations that an account may have open at a time: each is a key that a stranger's first bytes
    /// are compared with.
    package static let openCountMax = 64

    /// The time for which an invitation stays in the account's zone when it has expired: a late request gets the reason.
    static let keptMilliseconds: UInt64 = 30 * 24 * 60 * 60 * 1_000

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Makes an invitation that this device alone grants, or, with a relay as the counter, any device of the account.
    ///
    /// Inviting again under the same terms returns the open invitation, as long as it does not last longer than
    /// requested, and still at least half as long.
    /// - Parameters:
    ///   - terms: The terms of the invitation.
    ///   - zone: The zone.
    ///   - isCountedByRelay: Whether the relay that the account prefers counts the uses.
    ///   - random: The source of the secret.
    ///   - transaction: The store.
    /// - Returns: The invitation, for its link, and the notice; without a number when it was there already.
    /// - Throws: ``InviteError``, `CommitError.refused` for an account that may not grant, `CapabilityError.widened`
    ///   for terms that are wider than the own right, `ReplicaError`, or an error of the store.
    package func make(
        _ terms: InviteTerms,
        zone: ZoneID,
        isCountedByRelay: Bool,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> (invite: Invite, notice: CommitNotice) {
        guard (1...InviteTerms.usesMax).contains(terms.uses) else { throw InviteError.badUses(terms.uses) }
        guard terms.expires > committer.wallMilliseconds else { throw InviteError.alreadyOver }
        try checkMayPromise(terms, zone: zone, in: transaction)
        let relay = isCountedByRelay ? try RelayUses(committer).all(transaction).first?.link.relay : nil
        guard isCountedByRelay == (relay != nil) else { throw InviteError.noRelay }
        let invites = try all(in: transaction)
        let open = invites.filter { $0.state == .open }
        let known = open.lazy.map(\.invite).first {
            $0.zone == zone && $0.isCounted(by: relay, or: committer.device)
                && $0.terms.isAsGood(as: terms, at: committer.wallMilliseconds)
        }
        if let known { return (known, CommitNotice()) }
        guard open.count < Self.openCountMax else {
            throw InviteError.tooManyOpen(limit: Self.openCountMax)
        }
        let invite = Invite(
            secret: InviteSecret(using: &random),
            zone: zone,
            terms: terms,
            maker: committer.device,
            countersigner: relay.map { .relay($0, SlotKey(using: &random)) } ?? .device,
            made: committer.wallMilliseconds
        )
        var notice = try AccountZone(committer).save([invite.write], in: &transaction)
        notice.merge(try forgetOld(invites, in: &transaction))
        return (invite, notice)
    }

    /// Returns the invitations in the account's zone.
    /// - Parameters:
    ///   - zone: Those to a zone; nil for all.
    ///   - transaction: The store.
    /// - Returns: Oldest first, including those that admit no account any more.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func all(
        to zone: ZoneID? = nil,
        in transaction: some NodeTransaction
    ) throws -> [InviteStatus] {
        let all: [Invite] = try AccountZone(committer).entries(in: transaction)
        return try all.filter { zone == nil || $0.zone == zone }
            .sorted { ($0.made, $0.text) < ($1.made, $1.text) }
            .map { try status(of: $0, in: transaction) }
    }

    /// Returns the invitations under whose keys this account's devices answer: the open ones, and the newest of the
    /// others, so that a late request gets the reason.
    /// - Parameters:
    ///   - limit: The maximum number.
    ///   - transaction: The store.
    /// - Returns: Open ones first.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func answered(
        limit: Int = openCountMax,
        in transaction: some NodeTransaction
    ) throws -> [Invite] {
        let newestFirst = try all(in: transaction).reversed()
        let others = newestFirst.filter { $0.state != .open && committer.wallMilliseconds < $0.invite.forgotten }
        return (newestFirst.filter { $0.state == .open } + others).prefix(limit).map(\.invite)
    }

    /// Withdraws an invitation; accounts that have joined stay.
    /// - Parameters:
    ///   - identifier: Names the invitation.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was withdrawn already.
    /// - Throws: ``InviteError/unknownInvite``, ``CommitError``, `ReplicaError`, or an error of the store.
    package func withdraw(
        _ identifier: [UInt8],
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let invite: Invite? = try AccountZone(committer).entry(Invite.name(identifier), in: transaction)
        guard let invite else { throw InviteError.unknownInvite }
        guard !invite.isWithdrawn else { return CommitNotice() }
        return try AccountZone(committer).save(
            [RecordWrite(name: invite.name, set: [Invite.withdrawal])],
            in: &transaction
        )
    }

    /// Returns the status of an invitation.
    func status(of invite: Invite, in transaction: some NodeTransaction) throws -> InviteStatus {
        let taken = try Redemptions(committer).all(by: invite, in: transaction).count { $0.granted != nil }
        return InviteStatus(
            invite: invite,
            taken: taken,
            state: try state(of: invite, taken: taken, in: transaction)
        )
    }

    private func state(
        of invite: Invite,
        taken: Int,
        in transaction: some NodeTransaction
    ) throws -> Invite.State {
        if invite.isWithdrawn { return .withdrawn }
        if committer.wallMilliseconds >= invite.terms.expires { return .expired }
        if try !isCounted(invite, in: transaction) { return .orphaned }
        // A zone that has not come here yet is not gone.
        if let zone = try transaction.zone(invite.zone), isGone(zone) { return .zoneGone }
        return taken >= Int(invite.terms.uses) ? .spent : .open
    }

    /// Whether the device or relay that counts the uses of an invitation is still there.
    private func isCounted(_ invite: Invite, in transaction: some NodeTransaction) throws -> Bool {
        switch invite.countersigner {
        case .device: committer.account.standing(of: invite.maker) == .active(.full)
        case .relay(let relay, _): try RelayUses(committer).all(transaction).contains { $0.link.relay == relay }
        }
    }

    /// Whether a zone was deleted, or stayed with an account that this device has left.
    func isGone(_ zone: ZoneRow) -> Bool { zone.state != .live || !committer.isCurrent(zone) }

    /// Checks that this account may delegate a right now.
    private func checkMayPromise(
        _ terms: InviteTerms,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        guard !row.isInternal else { throw InviteError.internalZone(zone) }
        guard row.state == .live else { throw ReplicaError.zoneClosed(zone) }
        do {
            _ = try terms.caveats.checkedEncoding()
        } catch {
            throw CapabilityError.malformed(error)
        }
        try ZoneSharing(committer).checkMayGrant(terms.rights, terms.caveats, zone: zone, in: transaction)
    }

    /// Removes obsolete entries from the account's zone: the own invitations and those without a granting device, a while after
    /// their expiry.
    private func forgetOld(
        _ invites: [InviteStatus],
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var notice = CommitNotice()
        guard let settled = committer.settledMilliseconds else { return notice }
        for invite in invites.map(\.invite) where settled >= invite.forgotten {
            guard invite.maker == committer.device || committer.account.standing(of: invite.maker) != .active(.full)
            else { continue }
            let names = try Redemptions(committer).all(by: invite, in: transaction).map(\.name) + [invite.name]
            // Many at a time; the rest after an interruption belongs to nothing and does no harm.
            for start in stride(from: 0, to: names.count, by: 256) {
                let deletions = names[start..<min(start + 256, names.count)].map { RecordWrite(name: $0, delete: true) }
                notice.merge(try AccountZone(committer).save(deletions, in: &transaction))
            }
        }
        return notice
    }
}

extension Invite {
    /// Whether a relay counts its uses, or, where none is named, the device that made it.
    fileprivate func isCounted(by relay: RelayID?, or device: DeviceID) -> Bool {
        switch countersigner {
        case .device: relay == nil && maker == device
        case .relay(let counting, _): counting == relay
        }
    }

    /// The first moment at which the account's zone may drop it.
    var forgotten: UInt64 {
        let (end, isOver) = terms.expires.addingReportingOverflow(Invitations.keptMilliseconds)
        return isOver ? .max : end
    }
}

extension InviteTerms {
    /// Whether an invitation under these terms serves a request for others.
    fileprivate func isAsGood(as wanted: InviteTerms, at now: UInt64) -> Bool {
        rights == wanted.rights && caveats == wanted.caveats && uses == wanted.uses
            && needsApproval == wanted.needsApproval && expires <= wanted.expires
            && expires > now && expires - now >= (wanted.expires - now) / 2
    }
}
