/// Text that comes in pieces of bytes, which may end within a character: each is given on up to the last whole one.
struct TextPieces: Sendable {
    private var rest: [UInt8] = []

    /// Whether nothing waits for the end of a character.
    var isWhole: Bool { rest.isEmpty }

    /// Takes a piece.
    /// - Parameter piece: The bytes behind those of the piece before.
    /// - Returns: What of them, and of what had waited, is not the beginning of a character whose end is missing.
    mutating func take(_ piece: [UInt8]) -> [UInt8] {
        let bytes = rest + piece
        let count = bytes.count - Self.openByteCount(bytes)
        rest = Array(bytes[count...])
        return Array(bytes[..<count])
    }

    /// Takes what waits: the beginning of a character whose end will not come.
    mutating func takeRest() -> [UInt8] {
        defer { rest = [] }
        return rest
    }

    /// How many bytes at the end are the beginning of a character (Unicode 16, table 3-7) and not yet all of it.
    private static func openByteCount(_ bytes: [UInt8]) -> Int {
        for count in 1...3 where count <= bytes.count {
            switch bytes[bytes.count - count] {
            case 0x80...0xBF: continue
            case 0xC2...0xDF: return count < 2 ? count : 0
            case 0xE0...0xEF: return count < 3 ? count : 0
            case 0xF0...0xF4: return count
            default: return 0
            }
        }
        return 0
    }
}
