/// The kind of a ``FixedBytes``, which says how many bytes it has.
package protocol FixedBytesKind {
    /// The number of bytes of each value.
    static var byteCount: Int { get }
}

/// A public value of a fixed number of bytes, such as a key or a signature; the kind keeps them apart.
package struct FixedBytes<Kind: FixedBytesKind>: Hashable, Sendable {
    /// The value as it is written down.
    package let bytes: [UInt8]

    /// The number of bytes of a value.
    package static var byteCount: Int { Kind.byteCount }

    /// Takes bytes from outside, of which nothing but the count is checked.
    /// - Parameter bytes: ``byteCount`` bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(bytes: [UInt8]) throws(SodiumError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: bytes.count)
        }
        self.bytes = bytes
    }

    init(unchecked bytes: [UInt8]) {
        assert(bytes.count == Self.byteCount, "a value of this kind has \(Self.byteCount) bytes")
        self.bytes = bytes
    }
}

extension FixedBytes: Comparable {
    /// Orders values by their bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
