package import Wire

/// The key by which a peer is called.
package enum PeerKey: Hashable, Sendable {
    /// The account's key, which reaches its own devices.
    case account
    /// An earlier key of the account, named by the entry that made it; it reaches a device that was off when the key was replaced.
    case earlier(Hash)
    /// A shared zone's key, which reaches a device of another account.
    case zone(ZoneID)
}

/// A way to a peer: its address, and the key by which it is called there.
package struct PeerRoute<Address: Hashable & Sendable>: Hashable, Sendable {
    /// The type of the key.
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
