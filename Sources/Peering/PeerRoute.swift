package import Wire

/// The key by which a peer is called.
package enum PeerKey: Hashable, Sendable {
    /// The account's own: one of its devices is meant.
    case account
    /// An earlier key of the account, named by the entry that made it: a device is meant that was off when it was replaced.
    case earlier(Hash)
    /// A shared zone's: a device of another account is meant.
    case zone(ZoneID)
}

/// A way to a peer: its address, and the key by which it is called there.
package struct PeerRoute<Address: Hashable & Sendable>: Hashable, Sendable {
    /// The kind of key.
    package typealias Key = PeerKey

    /// The address.
    package var address: Address
    /// The key.
    package var key: Key

    /// - Parameters:
    ///   - address: The address.
    ///   - key: The key.
    package init(address: Address, key: Key) {
        (self.address, self.key) = (address, key)
    }
}
