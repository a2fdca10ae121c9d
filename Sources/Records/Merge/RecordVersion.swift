import Sodium
package import Wire

/// A record's version, by which a client names the state that it has seen.
///
/// The first 16 bytes of the hash of the joined version vector: replicas that show the same state show the same
/// version, which reveals nothing about the authors and the number of their writes.
package struct RecordVersion: Hashable, Comparable, Sendable {
    /// Bytes 0 to 7.
    private let high: UInt64
    /// Bytes 8 to 15.
    private let low: UInt64

    /// The version of the state that a vector describes.
    /// - Complexity: O(vector).
    package init(_ vector: VersionVector) {
        let hash = Hash(digesting: .recordVersion, vector.encoded)
        high = hash.digest.word0
        low = hash.digest.word1
    }

    /// Takes over 16 bytes; nil for any other number of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: [UInt64] = [0, 0]
        for (index, byte) in bytes.enumerated() {
            words[index / 8] = (words[index / 8] &<< 8) | UInt64(byte)
        }
        (high, low) = (words[0], words[1])
    }

    /// Reads 32 lower-case hexadecimal digits; nil for anything else.
    package init?(text: String) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes)
    }

    /// The number of bytes of a version.
    package static let byteCount = 16

    /// The 16 bytes.
    package var bytes: [UInt8] {
        var writer = WireWriter(capacity: Self.byteCount)
        writer.writeUInt64(high)
        writer.writeUInt64(low)
        return writer.bytes
    }

    /// The bytes as 32 lower-case hexadecimal digits.
    package var text: String { Hexadecimal.encode(bytes) }

    /// The order of the bytes; it has no meaning but is the same everywhere.
    package static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension RecordVersion: CustomStringConvertible {
    package var description: String { text }
}
