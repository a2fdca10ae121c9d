import Sodium
import Testing
import Wire

@testable import Identity

@Suite struct WordListTests {
    @Test func `the list is BIP-39's English list`() {
        let joined = WordList.words.joined(separator: "\n") + "\n"
        // The SHA-256 of english.txt as the standard publishes it.
        #expect(
            Hexadecimal.encode(SHA256.hash(Array(joined.utf8)))
                == "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"
        )
    }

    @Test func `a word and its number find each other`() {
        #expect(WordList.words.count == WordList.count)
        #expect(WordList.words.enumerated().allSatisfy { WordList.index(of: $0.element) == $0.offset })
        #expect(WordList.index(of: "kairan") == nil)
    }

    @Test func `the first four letters distinguish every word`() {
        #expect(Set(WordList.words.map { $0.prefix(4) }).count == WordList.count)
    }
}
