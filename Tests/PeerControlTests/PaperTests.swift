import Testing

@testable import PeerControl

@Suite struct `Recovery words on paper` {
    private static let words = (1...24).map { "word" + String(repeating: "x", count: $0 % 3) }
    private static let name = String(repeating: "ab", count: 26)

    private func read(_ chunks: String...) async throws -> Paper {
        try await Paper(
            reading: AsyncThrowingStream { continuation in
                for chunk in chunks { continuation.yield(Array(chunk.utf8)) }
                continuation.finish()
            }
        )
    }

    @Test func `the output of recovery-key is read back, with the account`() async throws {
        let shown = AccountCommand.text(Self.words)
        #expect(try await read(shown) == Paper(words: Self.words, account: nil))
        let whole = shown + "\n\naccount " + Self.name + "\n"
        #expect(try await read(whole) == Paper(words: Self.words, account: Self.name))
    }

    @Test func `a word of the list that reads account is a word`() async throws {
        let words = Array(Self.words.dropLast()) + ["account"]
        #expect(try await read(words.joined(separator: " ")) == Paper(words: words, account: nil))
        #expect(try await read("account short") == Paper(words: ["account", "short"], account: nil))
    }

    @Test func `a line after the last word is the end, in any division of the words into lines`() async throws {
        let (first, second) = (Self.words[..<20].joined(separator: "\n"), Self.words[20...].joined(separator: " "))
        #expect(try await read(first, "\n", second, "\n", "what is typed later\n").words == Self.words)
    }

    @Test func `nothing, and too much, are refused`() async throws {
        await #expect(throws: InputError.self) { try await read(" \n", "1 2 3\n") }
        await #expect(throws: InputError.self) { try await read(String(repeating: "x", count: 5_000)) }
    }
}
