/// The words of a text, as full-text search sees them.
///
/// A word is a run of letters, digits and marks as Unicode knows them, in lower case; an ideograph is a word of its own. Accents
/// count: "café" and "cafe" are two words.
package enum TextWords {
    /// The maximum number of scalars of a word; longer words are cut, so that they cannot make an index large.
    package static let wordLengthMax = 64

    /// The words of a text in their order.
    /// - Parameter text: Any text.
    /// - Returns: The words, repeated ones too.
    /// - Complexity: O(length).
    package static func words(of text: String) -> [String] {
        var words: [String] = []
        scan(text) { word, _ in words.append(word) }
        return words
    }

    /// Calls a function with each word, and with whether a `*` follows it at once.
    static func scan(_ text: String, _ found: (String, Bool) -> Void) {
        var word = String.UnicodeScalarView()
        var length = 0
        func end(isPrefix: Bool) {
            if length > 0 { found(String(word), isPrefix) }
            word = String.UnicodeScalarView()
            length = 0
        }
        for scalar in text.unicodeScalars {
            switch kind(scalar) {
            case .letter:
                if length < wordLengthMax { word.append(contentsOf: scalar.lowercased) }
                length += 1
            case .ideograph:
                end(isPrefix: false)
                found(String(scalar), false)
            case .other:
                end(isPrefix: scalar == "*")
            }
        }
        end(isPrefix: false)
    }

    private enum Kind {
        case letter, ideograph, other
    }

    private static func kind(_ scalar: Unicode.Scalar) -> Kind {
        if scalar.isASCII {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": return .letter
            default: return .other
            }
        }
        let properties = scalar.properties
        if properties.isIdeographic { return .ideograph }
        if properties.isAlphabetic { return .letter }
        switch properties.generalCategory {
        case .decimalNumber, .otherNumber, .letterNumber, .nonspacingMark, .spacingMark, .enclosingMark: return .letter
        default: return .other
        }
    }
}

extension Unicode.Scalar {
    /// The scalar in lower case; most are one scalar there too.
    fileprivate var lowercased: String.UnicodeScalarView {
        switch self {
        case "A"..."Z": String(Character(Unicode.Scalar(UInt8(truncatingIfNeeded: value + 32)))).unicodeScalars
        case "a"..."z", "0"..."9": String(Character(self)).unicodeScalars
        default: properties.lowercaseMapping.unicodeScalars
        }
    }
}
