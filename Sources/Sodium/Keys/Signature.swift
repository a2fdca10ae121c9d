/// An Ed25519 signature: 64 bytes.
package struct Signature: Hashable, Sendable {
    /// The number of bytes of a signature.
    package static let byteCount = 64

    /// The signature as it is written down.
    package let bytes: [UInt8]

    /// Takes bytes from outside; nothing is verified yet.
    /// - Parameter bytes: 64 bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(bytes: [UInt8]) throws(SodiumError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: bytes.count)
        }
        self.bytes = bytes
    }

    init(unchecked bytes: [UInt8]) {
        assert(bytes.count == Self.byteCount, "a signature has 64 bytes")
        self.bytes = bytes
    }
}
