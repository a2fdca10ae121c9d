package import Wire

/// A way to a peer: where it is, and under which key it is called there.
package struct Route: Hashable, Sendable {
    /// Which key.
    package enum Key: Hashable, Sendable {
        /// The account's own: one of its devices is meant.
        case account
        /// A key that the account's took the place of, by the entry that made it.
        case earlier(Hash)
        /// A shared zone's: a device of another account is meant.
        case zone(ZoneID)
    }

    /// Where.
    package var address: NetworkAddress
    /// By which key.
    package var key: Key
}
