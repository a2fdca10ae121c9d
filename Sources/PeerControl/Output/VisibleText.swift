/// Texts of other accounts in a form that is safe for a line of a terminal: none of their characters moves the
/// cursor, changes the direction of later text, or makes two names look alike by being invisible (Unicode TR36 §3,
/// UTS 39 §5).
enum VisibleText {
    private static let nonJoiner: Unicode.Scalar = "\u{200C}"
    private static let joiner: Unicode.Scalar = "\u{200D}"
    /// Scripts whose letters change their form by joiners: Arabic and its like, those of India and its neighbours, Mongolian.
    private static let joining: [ClosedRange<UInt32>] = [
        0x0600...0x0DFF, 0x0F00...0x109F, 0x1780...0x18AF, 0xA840...0xA87F, 0xA8E0...0xA8FF,
    ]
    private static let selectors: [ClosedRange<UInt32>] = [0xFE00...0xFE0F, 0xE0100...0xE01EF]

    /// Shows invisible characters as �, and the end of a line as ⏎.
    /// - Complexity: O(length of the text).
    static func of(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let before = index > 0 ? scalars[index - 1] : nil
            let after = index + 1 < scalars.count ? scalars[index + 1] : nil
            switch scalar {
            case "\n": result.append("⏎")
            case "\t": result.append(" ")
            case joiner where isPicture(before) && isPicture(after): result.append(scalar)
            case joiner where isJoining(before) && isJoining(after): result.append(scalar)
            case nonJoiner where isJoining(before) && isJoining(after): result.append(scalar)
            case _ where isSelector(scalar) && takesSelector(before): result.append(scalar)
            default: result.append(isHidden(scalar) ? "�" : scalar)
            }
        }
        return String(result)
    }

    /// Controls, formats, ends of lines and paragraphs, and characters that no font draws.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether a joiner puts a scalar together with another picture: digits are emoji by their property, and are none.
    private static func isPicture(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return scalar == "\u{FE0F}" || scalar.properties.isEmoji && !scalar.isASCII
    }

    private static func isJoining(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar, joining.contains(where: { $0.contains(scalar.value) }) else { return false }
        return scalar.properties.isAlphabetic || scalar.properties.canonicalCombiningClass != .notReordered
    }

    private static func isSelector(_ scalar: Unicode.Scalar) -> Bool {
        selectors.contains { $0.contains(scalar.value) }
    }

    /// Returns whether a selector changes the look of a scalar: for all others it would be invisible.
    private static func takesSelector(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map { $0.properties.isEmoji || $0.properties.isIdeographic } ?? false
    }
}
