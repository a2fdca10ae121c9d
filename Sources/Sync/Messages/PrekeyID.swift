import Records
import Sodium
import Wire

/// The name of a prekey: 16 bytes of a hash over the key.
package struct PrekeyID: Hashable, Comparable, Sendable {
    /// The number of bytes of an id.
    package static let byteCount = 16

    /// The bytes.
    package let bytes: [UInt8]

    /// The id of a key.
    /// - Parameter key: The key that others seal to.
    package init(key: [UInt8]) {
        bytes = Array(Hash(digesting: .prekeyID, key).bytes.prefix(Self.byteCount))
    }

    /// Takes 16 bytes; `nil` for any other number of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The order of the bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
