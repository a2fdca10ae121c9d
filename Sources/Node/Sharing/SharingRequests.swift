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
            var random = SystemRandom()
            let revoked = try AccountRevocation(committer).revoke(
                account,
                in: zone,
                reason: reason,
                keepsBelow: keepsBelow,
                random: &random,
                in: &transaction
            )
            guard let revoked else { throw NodeError.shareUnknown(account) }
            let status = RevocationStatus(
                zone: zone.id,
                accounts: revoked.reply.accounts,
                kept: revoked.reply.kept,
                epoch: try transaction.zone(zone.id)?.sealing.epoch,
                quarantined: try Quarantine(of: zone.id).entryCount(under: revoked.reply.ended, in: transaction),
                remaining: revoked.reply.remaining?.level
            )
            return Changed(status, notice: revoked.notice)
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
            do {
                let raised = try AccountCutRaise(committer).raise(of: account, in: zone.id, in: &transaction)
                guard let raised else { throw NodeError.shareUnknown(account) }
                let (count, released) = (raised.reply.raised, raised.reply.released)
                let status = CutRaiseStatus(zone: zone.id, account: account, raised: count, released: released)
                return Changed(status, notice: raised.notice)
            } catch let refusal as CutRaiseRefusal {
                throw NodeError(refusal)
            }
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
