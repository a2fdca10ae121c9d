import Session
import Wire

/// A dial in a search for a device whose address is not known.
struct SearchDial: Sendable {
    /// The address.
    let address: PeerAddress
    /// The secret.
    let secret: ChannelSecret
    /// The version of the channel.
    let version: ChannelVersion
}
