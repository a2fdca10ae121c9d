internal import Sodium
internal import Wire

/// The state of a responder that does not know yet whether the initiator has a secret.
struct WaitingResponder: ~Copyable {
    let secrets: [ChannelSecret]
    let staticKey: AgreementKey
    let ephemeralSecret: SecretBytes
    let localPayload: [UInt8]
    /// The highest version that is spoken.
    let newest: ChannelVersion
    /// For the second version; nothing when only the first one is spoken.
    let exchange: EncapsulationExchange?

    /// The one place where the responder computes with curve points for the first time.
    /// - Returns: The handshake; nothing if the ephemeral secret had another size than a key, which it never has.
    consuming func begin(
        _ preamble: ChannelPreamble,
        _ version: ChannelVersion,
        _ secret: ChannelSecret
    ) -> HandshakeCore? {
        var exchange = exchange
        if version == .classical { exchange = nil }
        do {
            let ephemeralKey = try AgreementKey(ephemeralSecret)
            return HandshakeCore(
                role: .responder,
                version: version,
                newest: newest,
                preamble: preamble,
                secret: secret,
                staticKey: staticKey,
                ephemeralKey: ephemeralKey,
                localPayload: localPayload,
                exchange: exchange
            )
        } catch {
            return nil
        }
    }
}
