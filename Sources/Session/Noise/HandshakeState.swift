package import Sodium

/// One side of a Noise handshake, for any pattern and hash (Noise revision 34, §5.3).
///
/// A failure ends it: after an error every further call is refused. The caller must not send the other side the
/// reason.
package struct HandshakeState<Hash: HashAlgorithm>: ~Copyable, Sendable {
    /// The framework's limit for every message.
    package static var messageByteCountMax: Int { 65_535 }

    /// The side this is.
    package let role: NoisePattern.Role
    /// The other side's static key, once it is known.
    package private(set) var remoteStatic: AgreementPublicKey?
    /// The other side's ephemeral key, once it is known.
    package private(set) var remoteEphemeral: AgreementPublicKey?

    private let pattern: NoisePattern
    private let staticKey: AgreementKey
    private let ephemeralKey: AgreementKey
    private var preSharedKeys: SecretBytes
    private let hasPreSharedKeys: Bool
    private var symmetric: SymmetricState<Hash>
    private var messageIndex = 0
    private var preSharedKeyIndex = 0
    private var hasFailed = false

    /// Starts a handshake.
    /// - Parameters:
    ///   - pattern: The pattern, with its pre-shared keys' places.
    ///   - role: The side this is.
    ///   - prologue: The bytes that both sides must agree on beforehand.
    ///   - staticKey: The own static key; any key if the pattern has no use for one.
    ///   - ephemeralKey: The own ephemeral key, fresh for each handshake.
    ///   - preSharedKeys: The pre-shared keys in the order of their places, 32 bytes each. Later ones may be missing and be
    ///     given by ``addPreSharedKey(_:)`` before their message.
    ///   - remoteStatic: The other side's static key, for patterns in which it is known beforehand.
    ///   - remoteEphemeral: The other side's ephemeral key, for fallback patterns.
    /// - Throws: ``NoiseError/missingKey``.
    package init(
        pattern: NoisePattern,
        role: NoisePattern.Role,
        prologue: [UInt8],
        staticKey: consuming AgreementKey,
        ephemeralKey: consuming AgreementKey,
        preSharedKeys: consuming SecretBytes,
        remoteStatic: AgreementPublicKey? = nil,
        remoteEphemeral: AgreementPublicKey? = nil
    ) throws(NoiseError) {
        guard preSharedKeys.count.isMultiple(of: SymmetricKey.byteCount),
            preSharedKeys.count <= pattern.preSharedKeyCount * SymmetricKey.byteCount
        else { throw .missingKey }
        let own = (ephemeral: ephemeralKey.publicKey, fixed: staticKey.publicKey)
        var knownKeys: [AgreementPublicKey] = []
        for (side, tokens) in [(.initiator, pattern.initiatorKnown), (.responder, pattern.responderKnown)]
            as [(NoisePattern.Role, [NoisePattern.Token])]
        {
            for token in tokens {
                let ephemeral = side == role ? own.ephemeral : remoteEphemeral
                let fixed = side == role ? own.fixed : remoteStatic
                guard let key = token == .ephemeral ? ephemeral : fixed else { throw .missingKey }
                knownKeys.append(key)
            }
        }
        self.init(
            unchecked: pattern,
            role: role,
            prologue: prologue,
            staticKey: staticKey,
            ephemeralKey: ephemeralKey,
            preSharedKeys: preSharedKeys,
            remoteStatic: remoteStatic,
            remoteEphemeral: remoteEphemeral,
            knownKeys: knownKeys
        )
    }

    /// Starts a handshake whose keys are known to fit its pattern.
    init(
        unchecked pattern: NoisePattern,
        role: NoisePattern.Role,
        prologue: [UInt8],
        staticKey: consuming AgreementKey,
        ephemeralKey: consuming AgreementKey,
        preSharedKeys: consuming SecretBytes,
        remoteStatic: AgreementPublicKey? = nil,
        remoteEphemeral: AgreementPublicKey? = nil,
        knownKeys: [AgreementPublicKey] = []
    ) {
        self.pattern = pattern
        self.role = role
        self.remoteStatic = remoteStatic
        self.remoteEphemeral = remoteEphemeral
        self.staticKey = staticKey
        self.ephemeralKey = ephemeralKey
        self.preSharedKeys = preSharedKeys
        hasPreSharedKeys = pattern.preSharedKeyCount > 0
        symmetric = SymmetricState(protocolName: "Noise_\(pattern.name)_25519_ChaChaPoly_\(Hash.noiseName)")
        symmetric.mixHash(prologue)
        for key in knownKeys {
            symmetric.mixHash(key.bytes)
        }
    }

    /// Whether every message of the pattern was written or read.
    package var isFinished: Bool {
        messageIndex == pattern.messages.count && !hasFailed
    }

    /// Whether the next message is ours to write.
    package var isOurTurn: Bool {
        !hasFailed && messageIndex < pattern.messages.count && pattern.sender(ofMessage: messageIndex) == role
    }

    /// The hash of the whole handshake: the same on both sides, and on no other two.
    package var handshakeHash: [UInt8] {
        symmetric.handshakeHash
    }

    /// Gives the pre-shared key of the next place that has none: one that the messages before have led to.
    /// - Parameter key: 32 secret bytes.
    /// - Throws: ``NoiseError/missingKey`` for another size, or when every place has its key.
    package mutating func addPreSharedKey(_ key: borrowing SecretBytes) throws(NoiseError) {
        guard key.count == SymmetricKey.byteCount,
            preSharedKeys.count < pattern.preSharedKeyCount * SymmetricKey.byteCount
        else { throw .missingKey }
        preSharedKeys = preSharedKeys.joined(with: key)
    }

    /// Writes the next message.
    /// - Parameters:
    ///   - payload: The payload of the message; encrypted as soon as the pattern has a key.
    ///   - output: Gets the message.
    /// - Throws: ``NoiseError``.
    package mutating func writeMessage(payload: [UInt8], appendingTo output: inout [UInt8]) throws(NoiseError) {
        guard isOurTurn else { throw .outOfTurn }
        let start = output.count
        do throws(NoiseError) {
            for token in pattern.messages[messageIndex] {
                switch token {
                case .ephemeral:
                    output.append(contentsOf: ephemeralKey.publicKey.bytes)
                    mixEphemeral(ephemeralKey.publicKey)
                case .fixed:
                    try symmetric.encryptAndHash(staticKey.publicKey.bytes, appendingTo: &output)
                default:
                    try mix(token)
                }
            }
            try symmetric.encryptAndHash(payload, appendingTo: &output)
            guard output.count - start <= Self.messageByteCountMax else { throw .tooLong }
        } catch {
            hasFailed = true
            output.removeSubrange(start...)
            throw error
        }
        messageIndex += 1
    }

    /// Reads the next message.
    /// - Parameter message: The whole message as it was received.
    /// - Returns: Its payload.
    /// - Throws: ``NoiseError``.
    package mutating func readMessage(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        guard !hasFailed, messageIndex < pattern.messages.count, !isOurTurn else { throw .outOfTurn }
        do throws(NoiseError) {
            guard message.count <= Self.messageByteCountMax else { throw .tooLong }
            var rest = message[...]
            for token in pattern.messages[messageIndex] {
                switch token {
                case .ephemeral:
                    let key = try Self.key(Self.take(AgreementPublicKey.byteCount, from: &rest))
                    remoteEphemeral = key
                    mixEphemeral(key)
                case .fixed:
                    let count = AgreementPublicKey.byteCount + symmetric.overheadByteCount
                    let sealed = try Self.take(count, from: &rest)
                    remoteStatic = try Self.key(try symmetric.decryptAndHash(sealed))
                default:
                    try mix(token)
                }
            }
            let payload = try symmetric.decryptAndHash(Array(rest))
            messageIndex += 1
            return payload
        } catch {
            hasFailed = true
            throw error
        }
    }

    /// Ends the handshake.
    /// - Returns: The two directions' states and the handshake's hash.
    /// - Throws: ``NoiseError/outOfTurn`` when messages are missing.
    package consuming func split() throws(NoiseError) -> NoiseTransport {
        guard isFinished else { throw .outOfTurn }
        let hash = symmetric.handshakeHash
        // The first key belongs to the sender of the first message.
        let isFirstSender = role == pattern.firstSender
        let keys = symmetric.split()
        let forward = CipherState(truncating: keys.first, placement: .guarded)
        let backward = CipherState(truncating: keys.second, placement: .guarded)
        return isFirstSender
            ? NoiseTransport(sending: forward, receiving: backward, handshakeHash: hash)
            : NoiseTransport(sending: backward, receiving: forward, handshakeHash: hash)
    }

    // MARK: Tokens

    private mutating func mixEphemeral(_ key: AgreementPublicKey) {
        symmetric.mixHash(key.bytes)
        if hasPreSharedKeys {
            // §9.2: otherwise a message before the first Diffie–Hellman would use one key for every handshake.
            symmetric.mixKey(SecretBytes(copying: key.bytes, placement: .transient))
        }
    }

    private mutating func mix(_ token: NoisePattern.Token) throws(NoiseError) {
        switch token {
        case .psk:
            guard (preSharedKeyIndex + 1) * SymmetricKey.byteCount <= preSharedKeys.count else { throw .missingKey }
            symmetric.mixKeyAndHash(preSharedKeys.piece(preSharedKeyIndex, of: SymmetricKey.byteCount))
            preSharedKeyIndex += 1
        case .ee:
            try mixAgreement(ownStatic: false, with: remoteEphemeral)
        case .ss:
            try mixAgreement(ownStatic: true, with: remoteStatic)
        case .es:
            let isInitiator = role == .initiator
            try mixAgreement(ownStatic: !isInitiator, with: isInitiator ? remoteStatic : remoteEphemeral)
        case .se:
            let isInitiator = role == .initiator
            try mixAgreement(ownStatic: isInitiator, with: isInitiator ? remoteEphemeral : remoteStatic)
        case .ephemeral, .fixed:
            assertionFailure("keys are written and read by the callers")
        }
    }

    private mutating func mixAgreement(ownStatic: Bool, with other: AgreementPublicKey?) throws(NoiseError) {
        guard let other else { throw .missingKey }
        do throws(SodiumError) {
            let secret =
                ownStatic ? try staticKey.sharedSecret(with: other) : try ephemeralKey.sharedSecret(with: other)
            symmetric.mixKey(secret.bytes)
        } catch {
            throw .contributoryBehaviour
        }
    }

    // MARK: Reading

    private static func take(_ count: Int, from rest: inout ArraySlice<UInt8>) throws(NoiseError) -> [UInt8] {
        guard rest.count >= count else { throw .truncated }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private static func key(_ bytes: [UInt8]) throws(NoiseError) -> AgreementPublicKey {
        do {
            return try AgreementPublicKey(bytes: bytes)
        } catch {
            throw .truncated
        }
    }
}
