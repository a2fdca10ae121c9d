/// 16 random bytes that a device draws again whenever its store is new, restored or found behind.
///
/// ```
/// +----------------+
/// | 16 bytes       |
/// +----------------+
/// ```
package struct Incarnation: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Takes over 16 bytes; `nil` for any other number of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            if index < 8 {
                words.0 = (words.0 &<< 8) | UInt64(byte)
            } else {
                words.1 = (words.1 &<< 8) | UInt64(byte)
            }
        }
        high = words.0
        low = words.1
    }

    /// Reads 32 lower-case hexadecimal digits; `nil` for anything else.
    package init?(text: String) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Draws a new incarnation.
    package init(using generator: inout some RandomNumberGenerator) {
        high = generator.next()
        low = generator.next()
    }

    /// The number of bytes of an incarnation.
    package static let byteCount = 16

    /// The 16 bytes.
    package var bytes: [UInt8] { encoded }

    /// The bytes as 32 lower-case hexadecimal digits.
    package var text: String { Hexadecimal.encode(encoded) }

    /// The order of the bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension Incarnation: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeUInt64(high)
        writer.writeUInt64(low)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        high = try reader.readUInt64()
        low = try reader.readUInt64()
    }
}

extension Incarnation: CustomStringConvertible {
    package var description: String { text }
}
