/// Which view of a container shows a zone.
///
/// Each zone is in one of them only; whoever owns it finds it in another one than whoever it was shared with.
package enum ZoneDatabase: String, Sendable, CaseIterable {
    /// Zones of this account, also those that it shares with others.
    case `private`
    /// Zones of others that they share with this account.
    case shared
    /// Zones, whoever owns them, in which those may do something who hold no right.
    case `public`
}
