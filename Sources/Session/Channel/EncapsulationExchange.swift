internal import Sodium
internal import Wire

/// The addition of the second version to a handshake: one side sends a key, the other one returns a secret.
///
/// Both become a pre-shared key.
struct EncapsulationExchange: ~Copyable {
    private let mechanism: any KeyEncapsulation
    /// The initiator's seed, or the responder's randomness.
    private let randomness: SecretBytes
    /// The initiator's.
    private var key: (any DecapsulationKey)?
    /// The public key, once it was sent or received.
    private var encapsulationKey: [UInt8] = []
    /// The ciphertext that is sent back, once it was.
    private(set) var ciphertext: [UInt8] = []
    private var secret: SecretBytes?

    /// An exchange of which nothing has happened; none for the first version, which draws no randomness for it either.
    init?(
        _ agreement: ChannelAgreement,
        _ version: ChannelVersion,
        for role: NoisePattern.Role,
        using generator: inout some RandomNumberGenerator
    ) {
        guard version >= .hybrid, let mechanism = agreement.mechanism else { return nil }
        self.mechanism = mechanism
        randomness = SecretBytes(
            count: role == .initiator
                ? ChannelLimits.encapsulationSeedByteCount : ChannelLimits.encapsulationRandomnessByteCount,
            placement: .transient,
            using: &generator
        )
    }

    /// Makes the initiator's key.
    /// - Returns: The public half, to be sent.
    mutating func makeKey() throws(KeyEncapsulationError) -> [UInt8] {
        let key = try mechanism.makeKey(seed: randomness)
        guard key.encapsulationKey.count == ChannelLimits.encapsulationKeyByteCount else { throw .unavailable }
        self.key = key
        encapsulationKey = key.encapsulationKey
        return encapsulationKey
    }

    /// Answers the initiator's key; ``ciphertext`` is to be sent then.
    mutating func answer(_ key: [UInt8]) throws(KeyEncapsulationError) {
        guard key.count == ChannelLimits.encapsulationKeyByteCount else { throw .malformedKey }
        let answer = try mechanism.encapsulate(to: key, randomness: randomness)
        guard answer.ciphertext.count == ChannelLimits.encapsulatedByteCount,
            answer.secret.count == SymmetricKey.byteCount
        else { throw .unavailable }
        encapsulationKey = key
        ciphertext = answer.ciphertext
        secret = answer.secret.duplicate(placement: .transient)
    }

    /// Opens the responder's answer.
    mutating func open(_ ciphertext: [UInt8]) throws(KeyEncapsulationError) {
        guard ciphertext.count == ChannelLimits.encapsulatedByteCount else { throw .malformedCiphertext }
        guard let key else { throw .unavailable }
        let opened = try key.decapsulate(ciphertext)
        guard opened.count == SymmetricKey.byteCount else { throw .unavailable }
        self.ciphertext = ciphertext
        secret = consume opened
    }

    /// The pre-shared key of the third message.
    ///
    /// It depends on everything that was sent, the mechanism's own values among it, so it is good for this handshake
    /// alone regardless of the mechanism's promises about its secret.
    /// - Parameter handshakeHash: The hash after the second message.
    /// - Returns: The key; nothing while there is no secret.
    mutating func takePreSharedKey(handshakeHash: [UInt8]) -> SecretBytes? {
        guard let secret = secret.take() else { return nil }
        key = nil
        let info = handshakeHash + encapsulationKey + ciphertext
        return secret.derivedBytes(.channelEncapsulation, info: info, byteCount: SymmetricKey.byteCount)
    }
}
