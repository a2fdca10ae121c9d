/// The number of terminal columns that a text takes.
enum DisplayWidth {
    /// Blocks whose characters take two columns: the Wide and Fullwidth ones of Unicode's East Asian Width (UAX #11),
    /// and emoji, as far as terminals agree on them.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    /// The columns of a text without control characters.
    /// - Complexity: O(length of the text).
    static func of(_ text: String) -> Int {
        // A character with its combining marks takes the place of its first scalar.
        text.reduce(0) { sum, character in
            guard let scalar = character.unicodeScalars.first, scalar.value >= 0x1100 else { return sum + 1 }
            return sum + (wide.contains { $0.contains(scalar.value) } ? 2 : 1)
        }
    }
}
