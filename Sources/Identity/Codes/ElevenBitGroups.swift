/// Bytes as numbers of eleven bits, the most significant bit first: the arithmetic of word lists (BIP-39).
enum ElevenBitGroups {
    /// The numbers in bytes; bits at the end that do not fill a number are left out.
    /// - Parameter bytes: Any bytes.
    /// - Returns: Numbers in 0..<2,048.
    static func split(_ bytes: [UInt8]) -> [Int] {
        var numbers: [Int] = []
        var buffer = 0
        var bitCount = 0
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xF_FFFF
            bitCount += 8
            if bitCount >= 11 {
                bitCount -= 11
                numbers.append((buffer >> bitCount) & 0x7FF)
            }
        }
        return numbers
    }

    /// The bytes in numbers; bits at the end that do not fill a byte are left out.
    /// - Parameter numbers: Numbers in 0..<2,048.
    /// - Returns: The bytes.
    static func join(_ numbers: [Int]) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = 0
        var bitCount = 0
        for number in numbers {
            buffer = (buffer << 11 | number & 0x7FF) & 0xF_FFFF
            bitCount += 11
            while bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bitCount))
            }
        }
        return bytes
    }
}
