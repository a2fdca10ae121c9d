internal import Sodium
internal import Wire

/// The channel's handshake, `Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b` or, with a key encapsulation, `XXpsk0+psk3`: with our
/// payloads and our refusals.
struct HandshakeCore: ~Copyable {
    /// The result of reading a message.
    enum Step: Equatable {
        /// Our next message is to be written.
        case reply
        /// Nothing is left to read or write.
        case finished
        /// It is over, and the other side does not learn why.
        case failed(CloseReason)
    }

    /// The pattern of a version.
    static func pattern(of version: ChannelVersion) -> NoisePattern {
        version == .classical ? classicalPattern : hybridPattern
    }

    private static let classicalPattern = pattern(at: [0])
    private static let hybridPattern = pattern(at: [0, 3])

    private static func pattern(at places: [Int]) -> NoisePattern {
        guard let pattern = NoisePattern.XX.withPreSharedKeys(at: places) else {
            preconditionFailure("there are three messages")
        }
        return pattern
    }

    /// The handshake messages read so far.
    private(set) var messagesReceived = 0

    private var noise: HandshakeState<Blake2b512>
    private let ownKey: AgreementPublicKey
    private let localPayload: [UInt8]
    private let secret: ChannelSecret
    private let preamble: ChannelPreamble
    /// Our ephemeral key, for the proof in the first message.
    private let ownEphemeral: AgreementPublicKey
    private let version: ChannelVersion
    /// The highest version this side speaks.
    private let newest: ChannelVersion
    private var remotePayload: [UInt8] = []
    private var remoteNewest = ChannelVersion.classical
    /// The revision of the messages that the layer above knows; stated by the initiator, in its last message.
    private let messageRevision: UInt8
    private var remoteRevision: UInt8 = 0
    /// The second version's; nothing in the first.
    private var exchange: EncapsulationExchange?

    /// Starts a handshake under a preamble that both sides have; an exchange is there in the second version and only there.
    init(
        role: NoisePattern.Role,
        version: ChannelVersion,
        newest: ChannelVersion,
        preamble: ChannelPreamble,
        secret: ChannelSecret,
        staticKey: consuming AgreementKey,
        ephemeralKey: consuming AgreementKey,
        localPayload: [UInt8],
        messageRevision: UInt8 = 0,
        exchange: consuming EncapsulationExchange?
    ) {
        ownKey = staticKey.publicKey
        ownEphemeral = ephemeralKey.publicKey
        self.secret = secret
        self.preamble = preamble
        self.localPayload = localPayload
        self.messageRevision = messageRevision
        self.version = version
        self.newest = newest
        self.exchange = exchange
        var key = secret.key.exportBytes()
        noise = HandshakeState(
            unchecked: Self.pattern(of: version),
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

    // MARK: Writing

    /// Writes our next message with its length in front.
    /// - Returns: Why the handshake is over; nothing if it goes on.
    mutating func write(into output: inout [UInt8]) -> CloseReason? {
        var message: [UInt8] = []
        do throws(KeyEncapsulationError) {
            let payload = try nextPayload()
            do throws(NoiseError) {
                try noise.writeMessage(payload: payload, appendingTo: &message)
                if noise.role == .responder { try mixEncapsulation() }
            } catch {
                return .handshakeFailed
            }
        } catch {
            return .encapsulationRefused(error)
        }
        output.append(UInt8(truncatingIfNeeded: message.count >> 8))
        output.append(UInt8(truncatingIfNeeded: message.count))
        output.append(contentsOf: message)
        return nil
    }

    private mutating func nextPayload() throws(KeyEncapsulationError) -> [UInt8] {
        // The first message is encrypted under the pre-shared key alone, so nothing that matters goes into it.
        guard noise.role == .responder || messagesReceived > 0 else {
            let proof = secret.beginning(preamble, ownEphemeral)
            guard let key = try exchange?.makeKey() else { return proof }
            return HandshakePayloadEnvelope.encode(proof, extension: key)
        }
        // A program that knows the first version only sends nothing here, so that nothing stands for that version.
        var added = newest == .classical ? [] : [newest.rawValue]
        if noise.role == .responder, let ciphertext = exchange?.ciphertext { added += ciphertext }
        // Behind the ciphertext there is no room: the other side would take it for a part of that.
        if noise.role == .initiator, messageRevision > 0 { added = [newest.rawValue, messageRevision] }
        return HandshakePayloadEnvelope.encode(localPayload, extension: added)
    }

    // MARK: Reading

    /// Reads the other side's next message.
    mutating func read(_ message: [UInt8]) -> Step {
        let payload: [UInt8]
        do {
            payload = try noise.readMessage(message)
        } catch {
            return .failed(.handshakeFailed)
        }
        messagesReceived += 1
        do throws(KeyEncapsulationError) {
            if noise.role == .responder, messagesReceived == 1 { return try readFirst(payload) }
            guard noise.remoteStatic != ownKey else { return .failed(.ownKey) }
            return try readIdentity(payload)
        } catch {
            return .failed(.encapsulationRefused(error))
        }
    }

    /// The first payload is authenticated by the secret alone; the first version reads it only where the secret requires a proof.
    private mutating func readFirst(_ payload: [UInt8]) throws(KeyEncapsulationError) -> Step {
        guard let ephemeral = noise.remoteEphemeral else { return .failed(.handshakeFailed) }
        guard version >= .hybrid else {
            let isAllowed = !secret.provesBeginning || secret.isBeginning(payload, preamble, ephemeral)
            return isAllowed ? .reply : .failed(.handshakeFailed)
        }
        guard let contents = HandshakePayloadEnvelope.decode(payload),
            secret.isBeginning(contents.payload, preamble, ephemeral)
        else { return .failed(.handshakeFailed) }
        try exchange?.answer(contents.added)
        return .reply
    }

    private mutating func readIdentity(_ payload: [UInt8]) throws(KeyEncapsulationError) -> Step {
        guard let contents = HandshakePayloadEnvelope.decode(payload) else { return .failed(.handshakeFailed) }
        remotePayload = contents.payload
        remoteNewest = max(version, ChannelVersion(atMost: contents.added.first ?? 0))
        guard !noise.isFinished else {
            remoteRevision = contents.added.dropFirst().first ?? 0
            return .finished
        }
        try exchange?.open(Array(contents.added.dropFirst()))
        do throws(NoiseError) {
            try mixEncapsulation()
            return .reply
        } catch {
            return .failed(.handshakeFailed)
        }
    }

    /// Gives the handshake the key of its third message; both sides do so after the second.
    private mutating func mixEncapsulation() throws(NoiseError) {
        guard version >= .hybrid else { return }
        guard let key = exchange?.takePreSharedKey(handshakeHash: noise.handshakeHash) else { throw .missingKey }
        try noise.addPreSharedKey(key)
    }

    // MARK: The end

    /// The result of the handshake; nothing before its end.
    var result: HandshakeResult? {
        guard noise.isFinished, let remoteStatic = noise.remoteStatic else { return nil }
        return HandshakeResult(
            remoteStatic: remoteStatic,
            remotePayload: remotePayload,
            handshakeHash: noise.handshakeHash,
            purpose: secret.purpose,
            isInitiator: noise.role == .initiator,
            version: version,
            remoteNewest: remoteNewest,
            remoteRevision: remoteRevision
        )
    }

    /// Ends the handshake.
    /// - Throws: ``NoiseError/outOfTurn`` when messages are missing.
    consuming func channel(rekey: RekeyPolicy) throws(NoiseError) -> SecureChannel {
        SecureChannel(try noise.split(), rekey: rekey)
    }
}
