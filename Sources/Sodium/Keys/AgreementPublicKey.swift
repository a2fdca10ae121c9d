/// An X25519 public key.
package struct AgreementPublicKey: Hashable, Sendable {
    /// The number of bytes of a key.
    package static let byteCount = 32

    /// The key as it is written down.
    package let bytes: [UInt8]

    /// Takes bytes from outside; every 32 bytes are a key (RFC 7748), bad ones show in the agreement.
    /// - Parameter bytes: 32 bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(bytes: [UInt8]) throws(SodiumError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: bytes.count)
        }
        self.bytes = bytes
    }

    init(unchecked bytes: [UInt8]) {
        assert(bytes.count == Self.byteCount, "an agreement key has 32 bytes")
        self.bytes = bytes
    }
}

extension AgreementPublicKey: Comparable {
    /// Orders keys by their bytes.
    package static func < (left: AgreementPublicKey, right: AgreementPublicKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
