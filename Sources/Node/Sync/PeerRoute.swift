import Sync
import Wire

/// A way to a peer: where it is, and under which key it is called there.
struct PeerRoute: Hashable, Sendable {
    /// Which key.
    enum Key: Hashable, Sendable {
        /// The account's own: one of its devices is meant.
        case account
        /// A key that the account's took the place of, named by the entry that made it: one of its devices that was off is meant.
        case earlier(Hash)
        /// A shared zone's: a device of another account is meant.
        case zone(ZoneID)
    }

    /// Where.
    var address: PeerAddress
    /// By which key.
    var key: Key
}
