/// 32 bytes that are compared, hashed and copied as four machine words.
///
/// The words are big-endian, so their order is the order of the bytes.
package struct Digest32: Hashable, Comparable, Sendable {
    /// Bytes 0 to 7.
    package let word0: UInt64
    /// Bytes 8 to 15.
    package let word1: UInt64
    /// Bytes 16 to 23.
    package let word2: UInt64
    /// Bytes 24 to 31.
    package let word3: UInt64

    /// Makes a digest of its words, the first bytes first.
    package init(word0: UInt64, word1: UInt64, word2: UInt64, word3: UInt64) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.word3 = word3
    }

    /// Takes over 32 bytes; `nil` for any other number of them.
    package init?(_ bytes: some Collection<UInt8>) {
        self.init(Array(bytes))
    }

    /// Takes over 32 bytes; `nil` for any other number of them.
    package init?(_ bytes: [UInt8]) {
        self.init(bytes.span)
    }

    /// Takes over 32 bytes; `nil` for any other number of them.
    package init?(_ bytes: ArraySlice<UInt8>) {
        self.init(bytes.span)
    }

    /// The one that all others call: not generic, so that other modules get it compiled for bytes.
    private init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        func word(_ start: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in start..<start + 8 { value = (value &<< 8) | UInt64(bytes[index]) }
            return value
        }
        self.init(word0: word(0), word1: word(8), word2: word(16), word3: word(24))
    }

    /// Reads 64 lower-case hexadecimal digits; `nil` for anything else.
    package init?(hex: String) {
        guard let bytes = Hexadecimal.decode(hex) else { return nil }
        self.init(bytes)
    }

    /// The number of bytes of a digest.
    package static let byteCount = 32

    /// 32 zero bytes, which mean "none" where a field allows it.
    package static let zero = Digest32(word0: 0, word1: 0, word2: 0, word3: 0)

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var writer = WireWriter(capacity: Self.byteCount)
        writer.writeDigest(self)
        return writer.bytes
    }

    /// The bytes as 64 lower-case hexadecimal digits.
    package var hex: String { Hexadecimal.encode(bytes) }

    /// The order of the bytes.
    package static func < (left: Self, right: Self) -> Bool {
        if left.word0 != right.word0 { return left.word0 < right.word0 }
        if left.word1 != right.word1 { return left.word1 < right.word1 }
        if left.word2 != right.word2 { return left.word2 < right.word2 }
        return left.word3 < right.word3
    }
}
