package import Wire

/// The offer of a zone to another account, which has to consent before it owns the zone.
package struct TransferStatus: Sendable, Hashable {
    /// The progress of an offer.
    package enum State: String, Sendable, CaseIterable {
        /// The account has not answered.
        case offered
        /// The account consents, and the device that made the offer has not learnt of it yet.
        case accepted
        /// The account does not want the zone.
        case declined
        /// The owner has withdrawn the offer.
        case withdrawn
    }

    /// The zone.
    package var zone: ZoneID
    /// The account that owns the zone now.
    package var owner: AccountID
    /// The account that is to own it.
    package var account: AccountID
    /// The access level that the present owner keeps afterwards; `nil` for none.
    package var keeps: AccessLevel?
    /// The progress of the offer.
    package var state: State

    /// Makes a status.
    package init(zone: ZoneID, owner: AccountID, account: AccountID, keeps: AccessLevel?, state: State) {
        self.zone = zone
        self.owner = owner
        self.account = account
        self.keeps = keeps
        self.state = state
    }
}
