package import Wire

/// The outcome of a revocation.
package struct RevocationStatus: Sendable, Hashable {
    /// The zone.
    package var zone: ZoneID
    /// The accounts whose rights ended, in whole or in part, ascending; without those that were kept.
    package var accounts: [AccountID]
    /// The accounts whose rights ended with those of the account above them and were granted again in the same
    /// operation, ascending.
    package var kept: [AccountID]
    /// The epoch whose key seals later writes, and which revoked members do not have; `nil` = none yet, or in clear.
    package var epoch: Hash?
    /// The number of writes by the ended rights that are ignored here and wait for a decision, at most 1,000.
    package var quarantined: Int
    /// The access that the named account keeps by rights that this one cannot revoke; `nil` = none.
    package var remaining: AccessLevel?

    /// Makes a status.
    package init(
        zone: ZoneID,
        accounts: [AccountID],
        kept: [AccountID] = [],
        epoch: Hash?,
        quarantined: Int,
        remaining: AccessLevel?
    ) {
        self.zone = zone
        self.accounts = accounts
        self.kept = kept
        self.epoch = epoch
        self.quarantined = quarantined
        self.remaining = remaining
    }
}

/// The outcome of raising a cut.
package struct CutRaiseStatus: Sendable, Hashable {
    /// The zone.
    package var zone: ZoneID
    /// The account whose writes are concerned.
    package var account: AccountID
    /// The number of capabilities whose cut was raised.
    package var raised: Int
    /// The number of writes that have left the quarantine by it.
    package var released: Int

    /// Makes a status.
    package init(zone: ZoneID, account: AccountID, raised: Int, released: Int) {
        self.zone = zone
        self.account = account
        self.raised = raised
        self.released = released
    }
}
