package import Identity
package import Mailbox
package import Wire

/// The relays on which parcels can be left, with the accounts that they can be left for, as the store has them.
package struct MailFacts: Hashable, Sendable {
    /// The relays: those that the account uses, the preferred one first, and then those that others have announced.
    package var relays: [MailRelay]
    /// The other accounts for whose devices parcels may be left, each with the zones that are shared with it,
    /// ascending.
    package var zones: [AccountID: [ZoneID]]
    /// The zones in which the announcement of where this account's devices look is missing or out of date.
    package var unannounced: [ZoneID]

    /// Makes facts.
    /// - Parameters: as the properties of the same names.
    package init(relays: [MailRelay] = [], zones: [AccountID: [ZoneID]] = [:], unannounced: [ZoneID] = []) {
        self.relays = relays
        self.zones = zones
        self.unannounced = unannounced
    }
}

/// A relay and the accounts whose devices look there.
package struct MailRelay: Hashable, Sendable {
    /// The links by which it is reached, which differ in the admission that they show; any valid one suffices.
    package var links: [RelayLink]
    /// Whether this account uses it by an admission of its own.
    package var isOwn: Bool
    /// The accounts whose devices fetch parcels there.
    package var accounts: Set<AccountID>
    /// The passes given there, ascending: none where the account has no admission.
    package var passes: [AdmissionID]

    /// Makes a relay.
    /// - Parameters: as the properties of the same names.
    package init(links: [RelayLink], isOwn: Bool, accounts: Set<AccountID>, passes: [AdmissionID] = []) {
        self.links = links
        self.isOwn = isOwn
        self.accounts = accounts
        self.passes = passes
    }
}

/// A device with which parcels are exchanged.
package struct MailPartner: Sendable {
    /// The device's account.
    package var account: AccountID
    /// The secret shared with it.
    package var secret: PartnerSecret

    /// Makes a partner.
    /// - Parameters: as the properties of the same names.
    package init(account: AccountID, secret: PartnerSecret) {
        self.account = account
        self.secret = secret
    }
}
