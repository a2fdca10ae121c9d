/// Bytes as lower-case base32 without padding (the alphabet of RFC 4648 section 6), strictly.
///
/// One text for one value: upper case, padding, separators and set unused bits are refused. Forms that people type,
/// with groups and check digits, are made on top of this one.
package enum Base32 {
    private static let alphabet: [UInt8] = [UInt8]("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Eight characters for every five bytes, rounded up.
    /// - Complexity: O(count).
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var buffer: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            buffer = (buffer &<< 8) | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                text.append(alphabet[Int((buffer &>> bitCount) & 31)])
            }
        }
        if bitCount > 0 {
            text.append(alphabet[Int((buffer &<< (5 - bitCount)) & 31)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text that `encode(_:)` could have made; `nil` for anything else.
    /// - Complexity: O(count).
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bitCount: UInt32 = 0
        for character in text.utf8 {
            guard let digit = value(of: character) else { return nil }
            buffer = (buffer &<< 5) | UInt32(digit)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer &>> bitCount))
            }
        }
        // Five or more bits left over are a character that carries no byte; set bits have no place in the bytes.
        guard bitCount < 5, buffer & ((1 &<< bitCount) - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): character - UInt8(ascii: "2") + 26
        default: nil
        }
    }
}
