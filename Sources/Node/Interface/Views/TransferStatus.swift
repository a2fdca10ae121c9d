package import KairanInterface
package import Wire

/// The offer of a zone to another account, which has to consent before it owns the zone.
package struct TransferStatus: Sendable, Hashable {
    /// The zone.
    package var zone: ZoneID
    /// The account that owns the zone now.
    package var owner: AccountID
    /// The account that is to own it.
    package var account: AccountID
    /// The access level that the present owner keeps afterwards; `nil` for none.
    package var keeps: AccessLevel?
    /// The progress of the offer.
    package var state: ZoneTransfer.State

    /// Makes a status.
    package init(zone: ZoneID, owner: AccountID, account: AccountID, keeps: AccessLevel?, state: ZoneTransfer.State) {
        self.zone = zone
        self.owner = owner
        self.account = account
        self.keeps = keeps
        self.state = state
    }
}
