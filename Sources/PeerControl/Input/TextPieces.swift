/// Text that arrives in pieces of bytes, which may end within a character: each piece is passed on up to its last
/// whole character.
struct TextPieces: Sendable {
    private var rest: [UInt8] = []

    /// Whether no incomplete character is waiting for its end.
    var isWhole: Bool { rest.isEmpty }

    /// Takes a piece.
    /// - Parameter piece: The bytes behind those of the previous piece.
    /// - Returns: The waiting bytes and those of the piece, up to the end of the last whole character.
    mutating func take(_ piece: [UInt8]) -> [UInt8] {
        let bytes = rest + piece
        let count = bytes.count - Self.openByteCount(bytes)
        rest = Array(bytes[count...])
        return Array(bytes[..<count])
    }

    /// Takes the waiting bytes: the beginning of a character whose end will not come.
    mutating func takeRest() -> [UInt8] {
        defer { rest = [] }
        return rest
    }

    /// Returns the number of bytes at the end that are an incomplete character (Unicode 16, table 3-7).
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
