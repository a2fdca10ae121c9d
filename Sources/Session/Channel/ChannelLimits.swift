/// Sizes and times of the channel that both sides must agree on, each with its reason.
package enum ChannelLimits {
    /// The longest ciphertext in a frame: with its length and the header of the buffer that holds it, it stays under
    /// 64 KiB, where allocators and socket buffers change their behaviour.
    package static let ciphertextByteCountMax = 65_516

    /// The longest frame on the wire: its length and the ciphertext.
    package static let frameByteCountMax = 2 + ciphertextByteCountMax

    /// The longest plaintext of a frame.
    package static let plaintextByteCountMax = ciphertextByteCountMax - 16

    /// Kind and body length, in front of every body.
    package static let frameHeaderByteCount = 3

    /// The longest piece of a message in one frame.
    package static let bodyByteCountMax = plaintextByteCountMax - frameHeaderByteCount

    /// The longest handshake message; certificate, account heads and a key encapsulation fit.
    package static let handshakeMessageByteCountMax = 16_384

    /// The longest payload that a caller can send with the handshake.
    package static let payloadByteCountMax = 8_192

    /// The longest extension field beside a payload.
    package static let extensionByteCountMax = 4_096

    /// The initiator's key in the first payload of the second version: ML-KEM-768's.
    package static let encapsulationKeyByteCount = 1_184

    /// The responder's answer to it in the second payload.
    package static let encapsulatedByteCount = 1_088

    /// The randomness of a key encapsulation's key.
    package static let encapsulationSeedByteCount = 64

    /// The randomness of the answer.
    package static let encapsulationRandomnessByteCount = 32

    /// Payloads are padded to multiples of this, so that the number of an account's heads does not show.
    package static let payloadPadding = 256

    /// The number of secrets that a responder tries a preamble against: about 1 µs each, before anything else is
    /// done.
    package static let secretCountMax = 256

    /// The time that both sides have for the handshake, in milliseconds.
    ///
    /// The caller keeps the time.
    package static let handshakeDeadlineMilliseconds: UInt64 = 5_000

    /// After this age a session is to be replaced by a new handshake, in milliseconds.
    package static let ageMillisecondsMax: UInt64 = 15 * 60 * 1_000

    /// The time by which the accepting side ends an unreplaced session later than the side that made the connection,
    /// in milliseconds.
    package static let renewalGraceMilliseconds: UInt64 = 60_000

    /// The bytes that may come behind the handshake before the other side's identity is decided: two full frames.
    package static let heldByteCountMax = 2 * frameByteCountMax

    /// The longest message unless the caller says otherwise.
    package static let messageByteCountMaxDefault = 1 << 20
}
