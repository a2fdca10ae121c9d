/// The first half-bytes that all hashes of a range share.
///
/// ```
/// +---------+--------------------------+
/// | count 1 | ⌈count / 2⌉ packed bytes |   0 ≤ count ≤ 64; an unused low half of the last byte is zero
/// +---------+--------------------------+
/// ```
package struct NibblePrefix: Hashable, Comparable, Sendable {
    /// The number of half-bytes, 0...64.
    package let count: Int
    /// The half-bytes at the front, zeros behind them.
    private let padded: Digest32

    /// The prefix of all hashes.
    package static let empty = NibblePrefix(count: 0, padded: .zero)

    /// The first half-bytes of a hash.
    /// - Parameters:
    ///   - hash: The hash.
    ///   - count: The number of half-bytes; clamped to 0...64.
    package init(of hash: Hash, count: Int) {
        let count = min(max(count, 0), Limits.prefixNibbleCountMax)
        self.init(count: count, padded: Self.truncated(hash.digest, count: count))
    }

    private init(count: Int, padded: Digest32) {
        self.count = count
        self.padded = padded
    }

    /// Whether a hash lies in the range.
    package func matches(_ hash: Hash) -> Bool {
        Self.truncated(hash.digest, count: count) == padded
    }

    /// The range one half-byte narrower; `nil` when the prefix is a whole hash already.
    /// - Parameter nibble: 0...15; the upper half is ignored.
    /// - Returns: The narrower range.
    package func child(_ nibble: UInt8) -> NibblePrefix? {
        guard count < Limits.prefixNibbleCountMax else { return nil }
        var bytes = padded.bytes
        bytes[count / 2] |= count.isMultiple(of: 2) ? (nibble & 0xF) << 4 : nibble & 0xF
        guard let digest = Digest32(bytes) else { return nil }
        return NibblePrefix(count: count + 1, padded: digest)
    }

    /// The sixteen ranges that make up this one, ascending; none when the prefix is a whole hash already.
    package var children: [NibblePrefix] { (0..<16).compactMap { child($0) } }

    /// The smallest hash of the range.
    package var lowerBound: Hash { Hash(padded) }

    /// Ranges in the order of their hashes, a wider one before the narrower ones in it.
    package static func < (left: Self, right: Self) -> Bool {
        left.padded == right.padded ? left.count < right.count : left.padded < right.padded
    }

    /// Keeps the first half-bytes and makes the rest zero.
    private static func truncated(_ digest: Digest32, count: Int) -> Digest32 {
        func mask(_ wordIndex: Int) -> UInt64 {
            let kept = min(max(count - wordIndex * 16, 0), 16)
            // A smart shift by 64 gives zero, so an empty word needs no case of its own.
            return ~UInt64.zero << UInt64((16 - kept) * 4)
        }
        return Digest32(
            word0: digest.word0 & mask(0),
            word1: digest.word1 & mask(1),
            word2: digest.word2 & mask(2),
            word3: digest.word3 & mask(3)
        )
    }
}

extension NibblePrefix: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(UInt8(count))
        writer.writeRaw([UInt8](padded.bytes.prefix((count + 1) / 2)))
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let count = Int(try reader.readByte())
        guard count <= Limits.prefixNibbleCountMax else { throw .tooLong(limit: Limits.prefixNibbleCountMax) }
        let packed = try reader.readFixed((count + 1) / 2)
        let zeros = [UInt8](repeating: 0, count: Digest32.byteCount - packed.count)
        guard let digest = Digest32(packed + zeros), Self.truncated(digest, count: count) == digest else {
            throw .invalidValue("prefix")
        }
        self.init(count: count, padded: digest)
    }
}

extension NibblePrefix: CustomStringConvertible {
    package var description: String { String(padded.hex.prefix(count)) + "*" }
}
