import Session
import Wire

/// A dial by which somebody is searched who may be anywhere.
struct SearchDial: Sendable {
    /// Where to.
    let address: PeerAddress
    /// Under which secret.
    let secret: ChannelSecret
    /// In which version of the channel.
    let version: ChannelVersion
}
