import Records
import Sodium
package import Wire

/// The name by which people and programs know a message: 16 bytes of a hash over the zone and the tag of the message's record.
///
/// The author of a record cannot choose its id, so no message can replace another.
package struct MessageID: Hashable, Comparable, Sendable {
    /// The number of bytes of an id.
    package static let byteCount = 16

    /// The bytes.
    package let bytes: [UInt8]

    /// The id of the message in a record.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - tag: The record.
    package init(zone: ZoneID, tag: RecordTag) {
        bytes = Array(Hash(digesting: .messageID, zone.bytes + tag.bytes).bytes.prefix(Self.byteCount))
    }

    /// Takes 16 bytes; `nil` for any other number of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads 32 lower-case hexadecimal digits; `nil` for anything else.
    package init?(text: String) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes)
    }

    /// The bytes as 32 lower-case hexadecimal digits.
    package var text: String { Hexadecimal.encode(bytes) }

    /// The order of the bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
