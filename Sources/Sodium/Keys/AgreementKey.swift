internal import CSodium

/// An X25519 secret key (RFC 7748).
package struct AgreementKey: ~Copyable, Sendable {
    /// The number of bytes of a secret key.
    package static let byteCount = 32

    /// The public half.
    package let publicKey: AgreementPublicKey
    private let secret: SecretBytes

    /// Takes a secret key's bytes.
    /// - Parameters:
    ///   - bytes: 32 secret bytes; the caller sees to its own copy.
    ///   - placement: The placement of the bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(bytes: [UInt8], placement: SecretBytes.Placement = .guarded) throws(SodiumError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: bytes.count)
        }
        self.init(checked: SecretBytes(copying: bytes, placement: placement))
    }

    /// Takes a secret key that is already protected, such as a derived one.
    /// - Parameter secret: 32 secret bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(_ secret: consuming SecretBytes) throws(SodiumError) {
        guard secret.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: secret.count)
        }
        self.init(checked: secret)
    }

    private init(checked secret: consuming SecretBytes) {
        let publicBytes = unsafe secret.withBytes { key in
            unsafe [UInt8](count: Self.byteCount) { output in
                unsafe _ = crypto_scalarmult_base(
                    output.octets,
                    key.octets
                )
            }
        }
        publicKey = AgreementPublicKey(unchecked: publicBytes)
        self.secret = secret
    }

    private init(publicKey: AgreementPublicKey, secret: consuming SecretBytes) {
        self.publicKey = publicKey
        self.secret = secret
    }

    /// A new key from the operating system's randomness.
    /// - Parameter placement: Where to keep it.
    /// - Returns: The key.
    package static func generate(placement: SecretBytes.Placement = .guarded) -> AgreementKey {
        AgreementKey(checked: SecretBytes(randomCount: byteCount, placement: placement))
    }

    /// A new key from a generator that the caller passes in.
    /// - Parameters:
    ///   - generator: The source of the randomness.
    ///   - placement: The placement of the key.
    /// - Returns: The key.
    package static func generate(
        using generator: inout some RandomNumberGenerator,
        placement: SecretBytes.Placement = .guarded
    ) -> AgreementKey {
        AgreementKey(checked: SecretBytes(count: byteCount, placement: placement, using: &generator))
    }

    /// The Diffie–Hellman value with another party's public key.
    /// - Parameter other: The other party's key.
    /// - Returns: 32 secret bytes; raw material that a derivation must take in, never a key by itself.
    /// - Throws: ``SodiumError/contributoryBehaviour`` when the value is zero: the key is a point of low order.
    package borrowing func sharedSecret(with other: AgreementPublicKey) throws(SodiumError) -> SharedSecret {
        let bytes = try unsafe secret.withBytes { key throws(SodiumError) in
            try unsafe SecretBytes(count: Self.byteCount, placement: .transient) { buffer throws(SodiumError) in
                let code = unsafe crypto_scalarmult(
                    buffer.octets,
                    key.octets,
                    other.bytes
                )
                // libsodium checks for the all-zero result itself and says so by its return code.
                guard code == 0 else { throw .contributoryBehaviour }
            }
        }
        return SharedSecret(bytes: bytes)
    }

    /// A second owner of the same key.
    /// - Parameter placement: Where to keep it.
    /// - Returns: The key.
    package borrowing func duplicate(placement: SecretBytes.Placement = .guarded) -> AgreementKey {
        AgreementKey(publicKey: publicKey, secret: secret.duplicate(placement: placement))
    }

    /// The secret in the clear, for the key file and for nothing else.
    /// - Returns: 32 secret bytes that are not wiped automatically; wipe them with ``ConstantTime/wipe(_:)``.
    package borrowing func exportBytes() -> [UInt8] {
        secret.exportBytes()
    }

    borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe secret.withBytes(body)
    }
}
