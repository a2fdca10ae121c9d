package import Wire

/// A way to a peer: its address, and the key under which it is called there.
package struct Route: Hashable, Sendable {
    /// The kind of key.
    package enum Key: Hashable, Sendable {
        /// The account's own key, for one of its devices.
        case account
        /// An earlier key that the account has replaced, by the entry that made it.
        case earlier(Hash)
        /// A shared zone's key, for a device of another account.
        case zone(ZoneID)
    }

    /// The address.
    package var address: NetworkAddress
    /// The key.
    package var key: Key
}
