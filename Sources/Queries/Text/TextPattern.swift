package import Wire

/// The pattern of a full-text test: words that must all be present, in any order.
package struct TextPattern: Hashable, Sendable {
    /// One word.
    package struct Word: Hashable, Sendable {
        /// The word, in lower case.
        package var text: BytewiseString
        /// Whether words that only begin with it match as well.
        package var isPrefix: Bool
    }

    /// The pattern as it was written.
    package let text: BytewiseString
    /// The words; at least one.
    package let words: [Word]

    /// Reads a pattern: words, each with `*` behind it if it is only a beginning.
    /// - Returns: `nil` when it has no word or more than `QueryLimits.wordCountMax`.
    package init?(_ text: String) {
        var words: [Word] = []
        TextWords.scan(text) { word, isPrefix in
            words.append(Word(text: BytewiseString(word), isPrefix: isPrefix))
        }
        guard (1...QueryLimits.wordCountMax).contains(words.count) else { return nil }
        self.text = BytewiseString(text)
        self.words = words
    }

    /// Whether a text has all the words.
    /// - Complexity: O(length of the text × words).
    package func matches(_ text: String) -> Bool { matches(TextWords.words(of: text)) }

    func matches(_ present: [String]) -> Bool {
        words.allSatisfy { wanted in
            present.contains { word in
                wanted.isPrefix
                    ? word.utf8.starts(with: wanted.text.string.utf8)
                    : word.isBytewiseEqual(to: wanted.text.string)
            }
        }
    }
}

extension FieldValue {
    /// The texts that full-text search sees in the value: a string, or the strings of a list or set.
    package var searchedTexts: [String] {
        switch self {
        case .string(let text): [text]
        case .list(let values): values.compactMap(\.text)
        case .set(let set): set.entries.compactMap(\.element.text)
        default: []
        }
    }

    private var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
