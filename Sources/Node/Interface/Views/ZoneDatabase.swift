/// The view of a container that shows a zone.
///
/// Each zone is in one of them only; its owner finds it in another one than the accounts with which it is shared.
package enum ZoneDatabase: String, Sendable, CaseIterable {
    /// Zones of this account, also those that it shares with others.
    case `private`
    /// Zones of other accounts that they share with this account.
    case shared
    /// Zones, of any owner, in which accounts without a capability have rights.
    case `public`
}
