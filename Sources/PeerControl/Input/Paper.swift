/// A person's copy of the output of `kairan account recovery-key`: the words, and perhaps the account's name below
/// them.
struct Paper: Hashable {
    /// The words; the daemon checks whether they are right.
    var words: [String]
    /// The account's name, if it is present.
    var account: String?

    private static let wordCount = 24
    private static let accountCharacterCount = 52
    /// A limit far above 24 words of at most eight letters, with their numbers.
    private static let byteCountMax = 4_096

    /// Makes a copy of the known parts.
    init(words: [String], account: String?) {
        self.words = words
        self.account = account
    }

    /// Asks for the words, at a terminal with a line that says so, and reads them from the standard input.
    /// - Throws: ``InputError``.
    init(askedIn session: Session) async throws {
        if Terminal.isInputTerminal { session.terminal.printError("Type the 24 words, then press Enter:") }
        try await self.init(reading: try InputChunks(path: nil))
    }

    /// Reads until the input ends, or a line ends behind the last word: people do not press Ctrl-D.
    /// - Parameter input: The typed text, or a file.
    /// - Throws: ``InputError``.
    init(reading input: some AsyncSequence<[UInt8], any Error>) async throws {
        var bytes: [UInt8] = []
        self.init("")
        for try await chunk in input {
            bytes += chunk
            guard bytes.count <= Self.byteCountMax else {
                throw InputError(
                    detail: "That is more than 24 words.",
                    fix: "Give the recovery words and nothing else."
                )
            }
            self = Paper(String(decoding: bytes, as: UTF8.self))
            if bytes.last == UInt8(ascii: "\n"), words.count >= Self.wordCount { break }
        }
        guard !words.isEmpty else {
            throw InputError(detail: "No recovery words were given.", fix: "Type them, or redirect a file with them.")
        }
    }

    /// Takes a text apart; the numbers before the words are for people.
    init(_ text: String) {
        words = text.split(whereSeparator: \.isWhitespace).map(String.init).filter { !$0.allSatisfy(\.isNumber) }
        // "account" is a word of the list, too: only with a name behind it does it name the account of the words.
        if let name = words.last, name.utf8.count == Self.accountCharacterCount, words.dropLast().last == "account" {
            account = name
            words.removeLast(2)
        }
    }
}
