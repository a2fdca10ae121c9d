import Capabilities
package import Records
package import Wire

/// The revocation of all rights that an account holds in a zone, as far as they are this account's to revoke.
package struct AccountRevocation: Sendable {
    /// The accounts that a revocation concerns.
    package struct Outcome: Sendable {
        /// The accounts that lose a right, ascending: the named one, and those below it.
        package let accounts: [AccountID]
        /// The accounts whose rights were granted again directly, ascending.
        package let kept: [AccountID]
        /// The capabilities that have ended.
        package let ended: Set<Hash>
        /// The rights that the named account still has, by other grants; nil for none.
        package let remaining: Rights?
    }

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Revokes the rights of an account.
    ///
    /// The zone's owner revokes all of them. Another account revokes those that descend from its own right; if there
    /// are none, the one decision function refuses, and says so. An account that has left holds nothing any more: then
    /// the revocation bounds the writes that its leave stated.
    /// - Parameters:
    ///   - account: The account.
    ///   - zone: The zone.
    ///   - reason: The reason; for people.
    ///   - keepsBelow: Whether the rights that descend from the revoked ones are granted again, directly below this
    ///     account's own.
    ///   - random: The source of nonces.
    ///   - transaction: The store.
    /// - Returns: The outcome; nil, with nothing changed, when the account has no right in the zone and gave none up.
    /// - Throws: `CommitError.refused`, `CommitError.tooManyRegrants`, `ReplicaError`, or an error of the store.
    package func revoke(
        _ account: AccountID,
        in zone: ZoneRow,
        reason: String,
        keepsBelow: Bool,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<Outcome>? {
        let before = try ZoneViews(committer).controlState(zone.id, in: transaction)
        let held = before.participants[account]?.capabilities ?? before.capabilitiesGivenUp(by: account)
        guard !held.isEmpty else { return nil }
        let own = held.filter { id in
            zone.role == .owner || before.capabilities[id]?.chain.dropLast().contains(zone.right) == true
        }
        let revoked = own.isEmpty ? held : own
        let sharing = ZoneSharing(committer)
        let regrants =
            keepsBelow
            ? try sharing.regrants(below: revoked, zone: zone.id, random: &random, in: transaction) : []
        let notice = try sharing.revoke(
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
        let outcome = Outcome(
            accounts: accounts.subtracting(kept).sorted(),
            kept: kept.sorted(),
            ended: ended,
            remaining: after.participants[account]?.rights
        )
        return Changed(outcome, notice: notice)
    }
}

extension ControlState {
    /// The capabilities that hold.
    fileprivate var liveCapabilities: Set<Hash> {
        Set(capabilities.filter { $0.value.status == .live }.keys)
    }
}
