import Capabilities
import Identity
import Records
import Sodium
import Sync
import Wire

/// Answers requests about the rights of accounts in zones.
struct SharingRequests: SharingAPI {
    let store: CallerStore

    func share(of reference: String) async throws(NodeError) -> ShareStatus {
        try await store.read {
            try ShareReading(store.committer).share(of: try store.zones.row(of: reference, in: $0).id, in: $0)
        }
    }

    func share(
        zone reference: String,
        with account: String,
        terms: ShareTerms
    ) async throws(NodeError) -> (participant: ParticipantStatus, isNew: Bool) {
        try terms.check()
        return try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            try zone.checkIsCustom()
            let state = try ZoneViews(committer).controlState(zone.id, in: transaction)
            let audience = try AccountReference(text: account).find(
                among: state.namedAccounts,
                committer,
                in: transaction
            )
            guard audience != state.owner, audience != committer.account.account else {
                throw NodeError.shareNeedless(audience)
            }
            var random = SystemRandom()
            let granted = try ZoneSharing(committer).grant(
                Capability.Terms(terms, to: audience, now: committer.wallMilliseconds),
                zone: zone.id,
                random: &random,
                in: &transaction
            )
            guard let participant = try ShareReading(committer).participant(audience, in: zone.id, transaction),
                participant.capabilities.contains(where: { $0.capability == granted.reply.id })
            else { throw NodeError.shareUnknown(audience) }
            return Changed((participant, granted.notice.number != nil), notice: granted.notice)
        }
    }

    func revokeShare(
        zone reference: String,
        account: String,
        reason: String,
        keepsBelow: Bool
    ) async throws(NodeError) -> RevocationStatus {
        try ArgumentRule.check(reason: reason)
        return try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            try zone.checkIsCustom()
            let before = try ZoneViews(committer).controlState(zone.id, in: transaction)
            let account = try AccountReference(text: account).find(
                among: before.namedAccounts,
                committer,
                in: transaction
            )
            guard account != committer.account.account else {
                throw NodeError.shareNeedless(account, "`kairan leave` leaves the zone.")
            }
            // An account that has left holds nothing; the revocation bounds what its leave stated.
            let held = before.participants[account]?.capabilities ?? before.capabilitiesGivenUp(by: account)
            guard !held.isEmpty else { throw NodeError.shareUnknown(account) }
            // An account that is not the owner revokes the rights that it has granted. If there are none, the refusal
            // says so.
            let own = held.filter { id in
                zone.role == .owner || before.capabilities[id]?.chain.dropLast().contains(zone.right) == true
            }
            let revoked = own.isEmpty ? held : own
            var regrants: [SignedCapability] = []
            if keepsBelow {
                var random = SystemRandom()
                regrants = try ZoneSharing(committer).regrants(
                    below: revoked,
                    zone: zone.id,
                    random: &random,
                    in: transaction
                )
            }
            let notice = try ZoneSharing(committer).revoke(
                revoked,
                regranting: regrants,
                zone: zone.id,
                reason: reason,
                in: &transaction
            )
            let after = try ZoneViews(committer).controlState(zone.id, in: transaction)
            let ended = before.liveCapabilities.subtracting(after.liveCapabilities).union(revoked)
            let accounts = Set(ended.compactMap { before.account(of: $0) })
            let kept = accounts.intersection(regrants.compactMap { after.account(of: $0.id) })
            let status = RevocationStatus(
                zone: zone.id,
                accounts: accounts.subtracting(kept).sorted(),
                kept: kept.sorted(),
                epoch: try transaction.zone(zone.id)?.sealing.epoch,
                quarantined: try ShareReading(committer).quarantineCount(zone: zone.id, under: ended, in: transaction),
                remaining: after.participants[account]?.rights.level
            )
            return Changed(status, notice: notice)
        }
    }

    func raiseCut(zone reference: String, account: String) async throws(NodeError) -> CutRaiseStatus {
        try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            let state = try ZoneViews(committer).controlState(zone.id, in: transaction)
            let account = try AccountReference(text: account).find(
                among: state.namedAccounts,
                committer,
                in: transaction
            )
            let ended = state.endedCapabilities(of: account)
            guard !ended.isEmpty else { throw NodeError.shareUnknown(account) }
            let written = Set(try transaction.logs(zone: zone.id).filter { $0.size > 0 }.map(\.right))
            let before = try ShareReading(committer).quarantineCount(zone: zone.id, under: Set(ended), in: transaction)
            var notice = CommitNotice()
            var raised = 0
            var obstacle: CutRaiseRefusal?
            for capability in ended where written.contains(capability) {
                do {
                    notice.merge(try ZoneSharing(committer).raiseCut(of: capability, zone: zone.id, in: &transaction))
                    raised += 1
                } catch let refusal as CutRaiseRefusal {
                    obstacle = obstacle ?? refusal
                }
            }
            if let obstacle, raised == 0 { throw NodeError(obstacle) }
            let after = try ShareReading(committer).quarantineCount(zone: zone.id, under: Set(ended), in: transaction)
            let status = CutRaiseStatus(zone: zone.id, account: account, raised: raised, released: before - after)
            return Changed(status, notice: notice)
        }
    }

    func leave(zone reference: String) async throws(NodeError) -> ZoneID {
        try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            let state = try ZoneViews(committer).controlState(zone.id, in: transaction)
            // No peer has to learn that an account leaves which only reads a public zone.
            let account = committer.account.account
            let hasPart = state.isOwned(by: account) || state.participants[account] != nil
            return hasPart
                ? Changed(zone.id, notice: try ZoneSharing(committer).leave(zone.id, in: &transaction))
                : Changed(zone.id, notice: try ZoneLifecycle(committer).forget(zone.id, in: &transaction))
        }
    }

    func rotateEpoch(zone reference: String) async throws(NodeError) -> EpochStatus {
        try await store.write(in: reference) { zone, transaction in
            guard zone.sealing != .open else {
                throw NodeError(
                    .zoneUnsealed,
                    "All accounts may read \"\(zone.genesis.name)\", so it is written in clear and has no key.",
                    fix: "`kairan share public --off` closes it; earlier records stay readable."
                )
            }
            let (epoch, notice) = try EpochKeys(store.committer).rotate(zone.id, in: &transaction)
            return Changed(EpochStatus(zone: zone.id, epoch: epoch), notice: notice)
        }
    }

    func setPublicAccess(
        zone reference: String,
        _ change: PublicAccessChange
    ) async throws(NodeError) -> PublicAccessStatus {
        try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            try zone.checkIsCustom()
            let access = change.applied(
                to: try ZoneViews(committer).controlState(zone.id, in: transaction).publicAccess
            )
            let notice = try ZoneSharing(committer).setPublicAccess(access, zone: zone.id, in: &transaction)
            return Changed(PublicAccessStatus(access, of: zone), notice: notice)
        }
    }
}

extension NodeError {
    /// The error where an account that a request names has all rights in the zone, or is this one.
    static func shareNeedless(_ account: AccountID, _ fix: String = "Name another account.") -> NodeError {
        NodeError(
            .shareNeedless,
            "\(account.shortText) is the zone's owner, or this account itself.",
            fix: fix
        )
    }

    /// The error where an account that a request names has no part in the zone.
    static func shareUnknown(_ account: AccountID) -> NodeError {
        NodeError(
            .shareUnknown,
            "\(account.shortText) has no such right in the zone.",
            fix: "`kairan share ls` lists the participants."
        )
    }
}

extension ControlState {
    /// The capabilities that hold.
    fileprivate var liveCapabilities: Set<Hash> {
        Set(capabilities.filter { $0.value.status == .live }.keys)
    }

    /// Those of an account that were ended, ascending.
    fileprivate func endedCapabilities(of account: AccountID) -> [Hash] {
        let ended = capabilities.filter { _, record in
            guard case .ended = record.status else { return false }
            return record.capability.audience == account
        }
        return ended.keys.sorted()
    }
}

extension NodeError {
    /// The error when no cut of an account's writes can be raised.
    fileprivate init(_ refusal: CutRaiseRefusal) {
        switch refusal {
        case .waiting(let log, let dot):
            self.init(
                .quarantineNotNow,
                "The log \(log.actor.shortText) builds on write \(dot.counter) of the log"
                    + " \(dot.actor.shortText), which is not here.",
                fix:
                    "Let this device meet the one that has it, or adopt single writes with `kairan quarantine adopt`."
            )
        case .purged(let log, let dot):
            self.init(
                .quarantineNotNow,
                "Write \(dot.counter) of the log \(log.actor.shortText) was purged here, or its author no longer has it,"
                    + " and later writes depend on it.",
                fix: "Raise the cut on a device that has it, or adopt single writes with `kairan quarantine adopt`."
            )
        }
    }
}
