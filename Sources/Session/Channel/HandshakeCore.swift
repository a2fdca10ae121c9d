internal import Sodium

/// The channel's handshake, `Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b`, with our payloads and our refusals.
struct HandshakeCore: ~Copyable {
    /// What reading a message led to.
    enum Step: Equatable {
        /// Our next message is to be written.
        case reply
        /// Nothing is left to read or write.
        case finished
        /// It is over, and the other side is not to hear why.
        case failed(CloseReason)
    }

    static let pattern: NoisePattern = {
        guard let pattern = NoisePattern.XX.withPreSharedKeys(at: [0]) else {
            preconditionFailure("the first message has a start")
        }
        return pattern
    }()

    /// The handshake messages read so far.
    private(set) var messagesReceived = 0

    private var noise: HandshakeState<Blake2b512>
    private let ownKey: AgreementPublicKey
    private let localPayload: [UInt8]
    private let purpose: ChannelSecret.Purpose
    private let version: UInt8
    private var remotePayload: [UInt8] = []

    /// Starts a handshake under a preamble that both sides have.
    init(
        role: NoisePattern.Role,
        preamble: ChannelPreamble,
        secret: ChannelSecret,
        staticKey: consuming AgreementKey,
        ephemeralKey: consuming AgreementKey,
        localPayload: [UInt8]
    ) {
        ownKey = staticKey.publicKey
        self.localPayload = localPayload
        purpose = secret.purpose
        version = preamble.version
        var key = secret.key.exportBytes()
        noise = HandshakeState(
            unchecked: Self.pattern,
            role: role,
            prologue: preamble.prologue,
            staticKey: staticKey,
            ephemeralKey: ephemeralKey,
            preSharedKeys: SecretBytes(wiping: &key, placement: .transient)
        )
    }

    /// Whether nothing is left to read or write.
    var isFinished: Bool {
        noise.isFinished
    }

    /// Writes our next message with its length in front.
    /// - Throws: ``NoiseError``; the handshake is over then.
    mutating func write(into output: inout [UInt8]) throws(NoiseError) {
        // The first message is encrypted under the pre-shared key alone, so nothing that matters goes into it.
        let isFirst = noise.role == .initiator && messagesReceived == 0
        var message: [UInt8] = []
        try noise.writeMessage(
            payload: isFirst ? [] : HandshakePayloadEnvelope.encode(localPayload),
            appendingTo: &message
        )
        output.append(UInt8(truncatingIfNeeded: message.count >> 8))
        output.append(UInt8(truncatingIfNeeded: message.count))
        output.append(contentsOf: message)
    }

    /// Reads the other side's next message.
    mutating func read(_ message: [UInt8]) -> Step {
        let payload: [UInt8]
        do {
            payload = try noise.readMessage(message)
        } catch {
            return .failed(.handshakeFailed)
        }
        messagesReceived += 1
        if noise.role == .responder, messagesReceived == 1 {
            // Authenticated by the secret alone: room for extensions, which this version does not look at.
            return .reply
        }
        guard noise.remoteStatic != ownKey else { return .failed(.ownKey) }
        guard let contents = HandshakePayloadEnvelope.decode(payload) else { return .failed(.handshakeFailed) }
        remotePayload = contents
        return noise.isFinished ? .finished : .reply
    }

    /// What was established; nothing before the end.
    var result: HandshakeResult? {
        guard noise.isFinished, let remoteStatic = noise.remoteStatic else { return nil }
        return HandshakeResult(
            remoteStatic: remoteStatic,
            remotePayload: remotePayload,
            handshakeHash: noise.handshakeHash,
            purpose: purpose,
            isInitiator: noise.role == .initiator,
            version: version
        )
    }

    /// Ends the handshake.
    /// - Throws: ``NoiseError/outOfTurn`` when messages are missing.
    consuming func channel(rekey: RekeyPolicy) throws(NoiseError) -> SecureChannel {
        SecureChannel(try noise.split(), rekey: rekey)
    }
}
