/// A 32-byte key for authenticated encryption, keyed hashing and derivation.
package struct SymmetricKey: ~Copyable, Sendable {
    /// The number of bytes of a key.
    package static let byteCount = 32

    /// The key's bytes; always 32.
    let secret: SecretBytes

    /// Takes a key's bytes.
    /// - Parameters:
    ///   - bytes: 32 secret bytes; the caller sees to its own copy.
    ///   - placement: The placement of the bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(bytes: [UInt8], placement: SecretBytes.Placement = .guarded) throws(SodiumError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: bytes.count)
        }
        secret = SecretBytes(copying: bytes, placement: placement)
    }

    /// Takes protected bytes.
    /// - Parameter secret: 32 secret bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(_ secret: consuming SecretBytes) throws(SodiumError) {
        guard secret.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: secret.count)
        }
        self.secret = secret
    }

    init(checked secret: consuming SecretBytes) {
        assert(secret.count == Self.byteCount, "a symmetric key has 32 bytes")
        self.secret = secret
    }

    /// A new key from the operating system's randomness.
    /// - Parameter placement: Where to keep it.
    /// - Returns: The key.
    package static func generate(placement: SecretBytes.Placement = .guarded) -> SymmetricKey {
        SymmetricKey(checked: SecretBytes(randomCount: byteCount, placement: placement))
    }

    /// A new key from a generator that the caller passes in.
    /// - Parameters:
    ///   - generator: The source of the randomness.
    ///   - placement: The placement of the key.
    /// - Returns: The key.
    package static func generate(
        using generator: inout some RandomNumberGenerator,
        placement: SecretBytes.Placement = .guarded
    ) -> SymmetricKey {
        SymmetricKey(checked: SecretBytes(count: byteCount, placement: placement, using: &generator))
    }

    /// Derives a key for one purpose from this one.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - info: Further input that the key depends on.
    ///   - placement: The placement of the key; transient by default, since most derived keys live for one operation.
    /// - Returns: The key: keyed BLAKE2b of context and info, which is a pseudo-random function.
    package borrowing func derivedKey(
        _ context: ContextString,
        info: [UInt8] = [],
        placement: SecretBytes.Placement = .transient
    ) -> SymmetricKey {
        secret.derivedKey(context, info: info, placement: placement)
    }

    /// A second owner of the same key.
    /// - Parameter placement: Where to keep it.
    /// - Returns: The key.
    package borrowing func duplicate(placement: SecretBytes.Placement = .guarded) -> SymmetricKey {
        SymmetricKey(checked: secret.duplicate(placement: placement))
    }

    /// The key in the clear, for the key file and sealed envelopes.
    /// - Returns: 32 secret bytes that are not wiped automatically; wipe them with ``ConstantTime/wipe(_:)``.
    package borrowing func exportBytes() -> [UInt8] {
        secret.exportBytes()
    }

    /// Compares two keys in constant time.
    /// - Parameter other: The other key.
    /// - Returns: Whether they are the same.
    package borrowing func isEqual(to other: borrowing SymmetricKey) -> Bool {
        secret.isEqual(to: other.secret)
    }
}
