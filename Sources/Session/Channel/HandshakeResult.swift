package import Sodium
package import Wire

/// What a finished handshake has established.
///
/// It proves possession of keys; what they may do is decided elsewhere.
package struct HandshakeResult: Hashable, Sendable {
    /// The other side's static key, of which it has the secret half.
    package let remoteStatic: AgreementPublicKey
    /// What the other side sent along: its certificate and account heads.
    ///
    /// Authentic, but not yet checked for sense.
    package let remotePayload: [UInt8]
    /// A name for this session that both sides know and nobody else: 64 bytes.
    package let handshakeHash: [UInt8]
    /// Which secret opened the door.
    package let purpose: ChannelSecret.Purpose
    /// Whether this side made the connection.
    package let isInitiator: Bool
    /// The version in use.
    ///
    /// The highest one ever spoken with a peer is the caller's to remember.
    package let version: ChannelVersion
    /// The highest version that the other side says it speaks.
    ///
    /// Authentic: if both sides speak a higher one than is in use, somebody has kept them from it.
    package let remoteNewest: ChannelVersion
    /// Which messages the side that connected says it knows; 0 at that side itself, and where nothing was said.
    package let remoteRevision: UInt8
}
