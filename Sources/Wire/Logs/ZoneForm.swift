/// The origin of a zone, which determines what can be done with the zone as a whole.
package enum ZoneForm: String, Sendable, Hashable, CaseIterable {
    /// A zone that was made and named explicitly.
    case custom
    /// The default zone of an account in a container; it is neither shared nor deleted.
    case `default`
    /// A zone that two accounts own together.
    case pair
}

extension ZoneGenesis {
    /// The origin of the zone.
    package var form: ZoneForm { isDefault ? .default : partner == nil ? .custom : .pair }

    /// The accounts that own the zone from its beginning, ascending: one, or of a pair zone two.
    package var owners: [AccountID] { [owner] + (partner.map { [$0] } ?? []) }

    /// Returns the other owner of a pair zone.
    /// - Parameter account: One of the two owners.
    /// - Returns: `nil` for other zones, and for accounts that do not own the zone.
    package func partner(of account: AccountID) -> AccountID? {
        guard let partner else { return nil }
        return account == owner ? partner : account == partner ? owner : nil
    }
}
