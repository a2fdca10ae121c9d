package import Sodium
package import Wire

/// The result of a finished handshake.
///
/// It proves possession of keys; their rights are decided elsewhere.
package struct HandshakeResult: Hashable, Sendable {
    /// The other side's static key, of which it has the secret half.
    package let remoteStatic: AgreementPublicKey
    /// The payload of the other side: its certificate and account heads.
    ///
    /// Authentic, but not yet checked for sense.
    package let remotePayload: [UInt8]
    /// The name of this session, which only its two sides know: 64 bytes.
    package let handshakeHash: [UInt8]
    /// The purpose of the secret that the channel was made under.
    package let purpose: ChannelSecret.Purpose
    /// Whether this side made the connection.
    package let isInitiator: Bool
    /// The version in use.
    ///
    /// The caller has to remember the highest one ever spoken with a peer.
    package let version: ChannelVersion
    /// The highest version that the other side says it speaks.
    ///
    /// Authentic: if both sides speak a higher one than is in use, an attacker has kept them from it.
    package let remoteNewest: ChannelVersion
    /// The revision of the messages that the connecting side states; 0 at that side itself, and where none was
    /// stated.
    package let remoteRevision: UInt8
}
