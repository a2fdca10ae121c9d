internal import CSodium

/// An Ed25519 secret key.
package struct SigningKey: ~Copyable, Sendable {
    /// The number of bytes of the seed from which the key is made.
    package static let seedByteCount = 32

    /// The public half.
    package let publicKey: VerifyingKey
    /// Seed ‖ public key, libsodium's form of the secret key.
    private let secret: SecretBytes

    /// The key that belongs to a seed.
    /// - Parameter seed: 32 secret bytes; the caller sees to its own copy.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(seed: [UInt8]) throws(SodiumError) {
        guard seed.count == Self.seedByteCount else {
            throw .wrongByteCount(expected: Self.seedByteCount, actual: seed.count)
        }
        self.init(checkedSeed: SecretBytes(copying: seed, placement: .transient))
    }

    /// The key that belongs to a seed that is already protected, such as a derived one.
    /// - Parameter seed: 32 secret bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(seed: borrowing SecretBytes) throws(SodiumError) {
        guard seed.count == Self.seedByteCount else {
            throw .wrongByteCount(expected: Self.seedByteCount, actual: seed.count)
        }
        self.init(checkedSeed: seed)
    }

    private init(checkedSeed seed: borrowing SecretBytes) {
        var publicBytes = [UInt8](repeating: 0, count: VerifyingKey.byteCount)
        secret = unsafe SecretBytes(count: crypto_sign_secretkeybytes()) { buffer in
            unsafe seed.withBytes { source in
                unsafe _ = crypto_sign_seed_keypair(
                    &publicBytes,
                    buffer.octets,
                    source.octets
                )
            }
        }
        publicKey = VerifyingKey(unchecked: publicBytes)
    }

    /// A new key from the operating system's randomness.
    /// - Returns: The key.
    package static func generate() -> SigningKey {
        SigningKey(checkedSeed: SecretBytes(randomCount: seedByteCount, placement: .transient))
    }

    /// A new key from a generator that the caller passes in.
    /// - Parameter generator: The source of the randomness.
    /// - Returns: The key.
    package static func generate(using generator: inout some RandomNumberGenerator) -> SigningKey {
        SigningKey(checkedSeed: SecretBytes(count: seedByteCount, placement: .transient, using: &generator))
    }

    /// Signs bytes for one purpose.
    /// - Parameters:
    ///   - message: The bytes.
    ///   - context: The purpose, which is signed along.
    /// - Returns: The signature; the same one each time (RFC 8032 signatures are deterministic).
    package borrowing func signature(over message: [UInt8], context: ContextString) -> Signature {
        signature(over: context.prefixed(message))
    }

    /// Signs exactly these bytes, without a purpose.
    ///
    /// For foreign formats and test vectors.
    /// - Parameter message: The bytes.
    /// - Returns: The signature.
    package borrowing func signature(over message: [UInt8]) -> Signature {
        let bytes = unsafe secret.withBytes { key in
            unsafe [UInt8](count: Signature.byteCount) { output in
                unsafe _ = crypto_sign_detached(
                    output.octets,
                    nil,
                    message,
                    UInt64(message.count),
                    key.octets
                )
            }
        }
        return Signature(unchecked: bytes)
    }

    /// The seed in the clear, for the key file and for nothing else.
    ///
    /// The array is not wiped automatically; the caller writes it and wipes it, with ``ConstantTime/wipe(_:)``.
    /// - Returns: 32 secret bytes.
    package borrowing func exportSeed() -> [UInt8] {
        unsafe secret.withBytes { key in unsafe Array(key.prefix(Self.seedByteCount)) }
    }
}
