/// A text as the data bits of a QR code, in the densest of the two modes that can hold it.
///
/// Alphanumeric mode packs two characters into eleven bits, byte mode needs eight bits a byte; tickets are spelled in
/// upper case so that the denser one applies. Source: ISO/IEC 18004:2015 §7.4.
struct QRSegment {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    /// Mode, count and characters, one bit an element, without terminator and padding.
    let bits: [Bool]

    /// Encodes a text.
    ///
    /// The character count has the width of versions 1 to 9, which are the only ones drawn.
    /// - Parameter text: Any text; its UTF-8 in byte mode.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        let indices = bytes.map { Self.alphabet.firstIndex(of: $0) }
        var writer = BitWriter()
        if !bytes.isEmpty, indices.allSatisfy({ $0 != nil }) {
            writer.append(0b0010, count: 4)
            writer.append(bytes.count, count: 9)
            var pending: Int?
            for case let index? in indices {
                if let first = pending {
                    writer.append(first * 45 + index, count: 11)
                    pending = nil
                } else {
                    pending = index
                }
            }
            if let last = pending {
                writer.append(last, count: 6)
            }
        } else {
            writer.append(0b0100, count: 4)
            writer.append(bytes.count, count: 8)
            for byte in bytes {
                writer.append(Int(byte), count: 8)
            }
        }
        bits = writer.bits
    }

    /// The data symbols of a code: the bits, a terminator, and padding up to the code's capacity.
    /// - Parameter count: The capacity in bytes; the bits must fit.
    /// - Returns: Exactly `count` bytes.
    func dataBytes(count: Int) -> [UInt8] {
        precondition(bits.count <= count * 8, "the segment must fit the version it was chosen for")
        var padded = bits
        // Up to four zero bits end the data; in a code that is full they may be fewer (§7.4.9).
        padded.append(contentsOf: repeatElement(false, count: min(4, count * 8 - padded.count)))
        padded.append(contentsOf: repeatElement(false, count: (8 - padded.count % 8) % 8))
        var bytes = stride(from: 0, to: padded.count, by: 8).map { start in
            padded[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var padding: UInt8 = 0xEC
        while bytes.count < count {
            bytes.append(padding)
            padding = padding == 0xEC ? 0x11 : 0xEC
        }
        return bytes
    }

    private struct BitWriter {
        var bits: [Bool] = []

        mutating func append(_ value: Int, count: Int) {
            for shift in stride(from: count - 1, through: 0, by: -1) {
                bits.append((value >> shift) & 1 == 1)
            }
        }
    }
}
