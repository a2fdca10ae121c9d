import Sync
import Wire

/// A way to a peer: where it is, and under which key it is called there.
struct PeerRoute: Hashable, Sendable {
    /// The kind of key.
    enum Key: Hashable, Sendable {
        /// The account's own: one of its devices is meant.
        case account
        /// A key that the account's took the place of, named by the entry that made it: one of its devices that was off is meant.
        case earlier(Hash)
        /// A shared zone's: a device of another account is meant.
        case zone(ZoneID)
    }

    /// The address.
    var address: PeerAddress
    /// The key.
    var key: Key
}
