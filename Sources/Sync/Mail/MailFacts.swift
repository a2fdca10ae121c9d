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

    /// Returns the accounts whose devices take parcels left for them: this device's, then the others
    /// that use a relay.
    ///
    /// - Parameters:
    ///   - own: The account of this device.
    ///   - contacts: The other accounts that are known here.
    /// - Returns: The accounts, without those that are not known.
    package func accounts(_ own: AccountState, _ contacts: [AccountID: AccountState]) -> [AccountState] {
        let others = relays.reduce(into: Set<AccountID>()) { $0.formUnion($1.accounts) }.subtracting([own.account])
        return [own] + others.sorted().compactMap { contacts[$0] }
    }

    /// Returns the other devices that take parcels left for them.
    ///
    /// - Parameters:
    ///   - keys: The keys of this device.
    ///   - own: The account of this device.
    ///   - contacts: The other accounts that are known here.
    /// - Returns: The devices, without those with a key that gives every account the same secret.
    package func partners(
        of keys: DeviceIdentity,
        _ own: AccountState,
        _ contacts: [AccountID: AccountState]
    ) -> [DeviceID: MailPartner] {
        var partners: [DeviceID: MailPartner] = [:]
        for account in accounts(own, contacts) {
            for device in account.activeDevices where device != keys.deviceID {
                guard let entry = account.devices[device], entry.role != .relayOnly,
                    let secret = try? PartnerSecret(own: keys.agreementKey, other: entry.certificate.agreementKey)
                else { continue }
                partners[device] = MailPartner(account: account.account, secret: secret)
            }
        }
        return partners
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
