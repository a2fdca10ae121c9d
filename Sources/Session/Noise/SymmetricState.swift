package import Sodium

/// The running hash and keys of a handshake (Noise revision 34, §5.2).
package struct SymmetricState<Hash: HashAlgorithm>: ~Copyable, Sendable {
    private var chainingKey: SecretBytes
    /// The hash of everything sent so far; both sides have the same one, or a message does not open.
    package private(set) var handshakeHash: [UInt8]
    private var cipher = CipherState()

    /// Starts from a protocol name.
    /// - Parameter protocolName: Such as `Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b`.
    package init(protocolName: String) {
        var name = Array(protocolName.utf8)
        if name.count <= Hash.byteCount {
            name.appendZeros(Hash.byteCount - name.count)
            handshakeHash = name
        } else {
            handshakeHash = Hash.hash(name)
        }
        chainingKey = SecretBytes(copying: handshakeHash, placement: .transient)
    }

    /// Whether payloads are encrypted by now.
    package var hasKey: Bool {
        cipher.hasKey
    }

    /// The number of bytes that ``encryptAndHash(_:appendingTo:)`` adds at the moment.
    package var overheadByteCount: Int {
        cipher.overheadByteCount
    }

    /// Takes a secret into the chain and makes a new key.
    package mutating func mixKey(_ input: borrowing SecretBytes) {
        var keys = HKDF<Hash>.noise2(chainingKey: chainingKey, inputKey: input)
        chainingKey = keys.first.take()
        cipher = CipherState(truncating: keys.second)
    }

    /// Takes a public value into the hash.
    package mutating func mixHash(_ bytes: [UInt8]) {
        handshakeHash = Hash.hash(handshakeHash, bytes)
    }

    /// Takes a pre-shared key into the chain and the hash, and makes a new key.
    package mutating func mixKeyAndHash(_ input: borrowing SecretBytes) {
        var keys = HKDF<Hash>.noise3(chainingKey: chainingKey, inputKey: input)
        chainingKey = keys.first.take()
        mixHash(keys.second.exportBytes())
        cipher = CipherState(truncating: keys.third)
    }

    /// Encrypts (if a key is known) and takes the result into the hash.
    /// - Parameters:
    ///   - plaintext: The bytes.
    ///   - output: Gets the bytes for the wire.
    /// - Throws: ``NoiseError/nonceExhausted``, which no pattern is long enough for.
    package mutating func encryptAndHash(
        _ plaintext: [UInt8],
        appendingTo output: inout [UInt8]
    ) throws(NoiseError) {
        var sealed = plaintext
        try cipher.seal(&sealed, from: 0, associatedData: handshakeHash)
        mixHash(sealed)
        output.append(contentsOf: sealed)
    }

    /// Decrypts (if a key is known) and mixes the received bytes into the hash.
    /// - Parameter received: The bytes from the wire.
    /// - Returns: The plaintext.
    /// - Throws: ``NoiseError/notAuthentic``.
    package mutating func decryptAndHash(_ received: [UInt8]) throws(NoiseError) -> [UInt8] {
        var plaintext: [UInt8] = []
        let data = handshakeHash
        let failure: NoiseError? = received.withUnsafeBytes { buffer in
            do throws(NoiseError) {
                try cipher.open(buffer, appendingTo: &plaintext, associatedData: data)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        mixHash(received)
        return plaintext
    }

    /// Returns the keys for the messages after the handshake.
    /// - Returns: First the initiator's sending key, second the responder's.
    package consuming func split() -> NoiseKeys2 {
        HKDF<Hash>.noise2(chainingKey: chainingKey, inputKey: SecretBytes(copying: [], placement: .transient))
    }
}

extension SecretBytes {
    /// Moves the bytes out and leaves an empty secret.
    fileprivate mutating func take() -> SecretBytes {
        var taken = SecretBytes(copying: [], placement: .transient)
        swap(&taken, &self)
        return taken
    }
}

extension CipherState {
    /// A state whose key is the first 32 bytes of a hash output.
    init(truncating secret: borrowing SecretBytes, placement: SecretBytes.Placement = .transient) {
        self.init(key: secret.truncatedKey(placement: placement))
    }
}
