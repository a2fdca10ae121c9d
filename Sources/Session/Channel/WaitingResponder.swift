internal import Sodium

/// What a responder holds ready while it does not know yet whether anybody with a secret is there.
struct WaitingResponder: ~Copyable {
    let secrets: [ChannelSecret]
    let staticKey: AgreementKey
    let ephemeralSecret: SecretBytes
    let localPayload: [UInt8]

    /// The one place where the responder computes with curve points for the first time.
    /// - Returns: The handshake; nothing if the ephemeral secret had another size than a key, which it never has.
    consuming func begin(_ preamble: ChannelPreamble, _ secret: ChannelSecret) -> HandshakeCore? {
        do {
            return HandshakeCore(
                role: .responder,
                preamble: preamble,
                secret: secret,
                staticKey: staticKey,
                ephemeralKey: try AgreementKey(ephemeralSecret),
                localPayload: localPayload
            )
        } catch {
            return nil
        }
    }
}
