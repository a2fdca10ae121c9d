package import Wire

/// The outcome of a revocation.
package struct RevocationStatus: Sendable, Hashable {
    /// The zone.
    package var zone: ZoneID
    /// Whose rights ended, in whole or in part, ascending; without those that were kept.
    package var accounts: [AccountID]
    /// Whose rights ended with those of the account above them and were granted anew in the same operation, ascending.
    package var kept: [AccountID]
    /// The epoch under whose key the zone is written from now on, which they have not; `nil` = none yet, or in clear.
    package var epoch: Hash?
    /// Writes by the rights that ended which count nowhere and wait here for somebody's decision, at most 1,000.
    package var quarantined: Int
    /// What the account that was named may still do, by rights that this one cannot take back; `nil` = nothing.
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

/// What came of letting more count.
package struct CutRaiseStatus: Sendable, Hashable {
    /// The zone.
    package var zone: ZoneID
    /// The account whose writes are concerned.
    package var account: AccountID
    /// Capabilities under which more counts now.
    package var raised: Int
    /// Writes that have left the quarantine for it.
    package var released: Int

    /// Makes a status.
    package init(zone: ZoneID, account: AccountID, raised: Int, released: Int) {
        self.zone = zone
        self.account = account
        self.raised = raised
        self.released = released
    }
}
