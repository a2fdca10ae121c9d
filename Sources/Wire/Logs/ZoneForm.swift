/// What made a zone, and so what can be done with it as a whole.
package enum ZoneForm: String, Sendable, Hashable, CaseIterable {
    /// One that somebody has made and named.
    case custom
    /// The one of its kind in a container of an account: it is neither shared nor deleted.
    case `default`
    /// One that two accounts own together.
    case pair
}

extension ZoneGenesis {
    /// What made the zone.
    package var form: ZoneForm { isDefault ? .default : partner == nil ? .custom : .pair }

    /// The accounts that own the zone from its beginning, ascending: one, or of a pair zone two.
    package var owners: [AccountID] { [owner] + (partner.map { [$0] } ?? []) }

    /// Of a pair zone the account with which another one has it.
    /// - Parameter account: One of the two.
    /// - Returns: `nil` for other zones, and for accounts that do not own the zone.
    package func partner(of account: AccountID) -> AccountID? {
        guard let partner else { return nil }
        return account == owner ? partner : account == partner ? owner : nil
    }
}
