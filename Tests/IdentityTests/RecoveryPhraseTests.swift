import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct RecoveryPhraseTests {
    /// Published vectors of BIP-39 for 256 bits (trezor/python-mnemonic, vectors.json).
    static let vectors: [(hex: String, words: String)] = [
        (
            "0000000000000000000000000000000000000000000000000000000000000000",
            Array(repeating: "abandon", count: 23).joined(separator: " ") + " art"
        ),
        (
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            Array(repeating: "zoo", count: 23).joined(separator: " ") + " vote"
        ),
        (
            "68a79eaca2324873eacc50cb9c6eca8cc68ea5d936f98787c60c7ebc74e6ce7c",
            "hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel "
                + "tennis maple dilemma loan word shrug inflict delay length"
        ),
        (
            "f585c11aec520db57dd353c69554b21a89b20fb0650966fa0a9d6f74fd989d8f",
            "void come effort suffer camp survey warrior heavy shoot primary clutch crush open amazing screen "
                + "patrol group space point ten exist slush involve unfold"
        ),
    ]

    @Test(arguments: vectors)
    func `words and bytes are those of BIP-39`(vector: (hex: String, words: String)) throws {
        let bytes = try #require(Hexadecimal.decode(vector.hex))
        let phrase = try RecoveryPhrase(bytes: bytes)
        #expect(phrase.words.joined(separator: " ") == vector.words)
        let typed = try RecoveryPhrase(typed: "  " + vector.words.uppercased() + "\n")
        #expect(typed.publicKey == phrase.publicKey)
    }

    @Test func `a phrase that was typed back gives the same key`() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            let phrase = RecoveryPhrase(using: &generator)
            let typed = try RecoveryPhrase(typed: phrase.words.joined(separator: "\n"))
            #expect(typed.words == phrase.words)
            #expect(typed.publicKey == phrase.publicKey)
        }
    }

    @Test func `other words give another key`() {
        var generator = SeededGenerator(seed: 8)
        #expect(RecoveryPhrase(using: &generator).publicKey != RecoveryPhrase(using: &generator).publicKey)
    }

    @Test func `a misspelt word is named with its position`() {
        var generator = SeededGenerator(seed: 9)
        var words = RecoveryPhrase(using: &generator).words
        words[16] = "baloon"
        #expect(throws: RecoveryPhraseError.unknownWord("baloon", position: 17)) {
            _ = try RecoveryPhrase(typed: words.joined(separator: " "))
        }
    }

    @Test(arguments: [0, 1, 23, 25])
    func `another number of words is refused`(count: Int) {
        let typed = Array(repeating: "zoo", count: count).joined(separator: " ")
        #expect(throws: RecoveryPhraseError.wrongCount(count)) { _ = try RecoveryPhrase(typed: typed) }
    }

    @Test func `a word of the list in the wrong place is noticed by the checksum`() {
        let typed = Array(repeating: "zoo", count: 22).joined(separator: " ") + " zone vote"
        #expect(throws: RecoveryPhraseError.wrongChecksum) { _ = try RecoveryPhrase(typed: typed) }
    }

    @Test func `bytes of another count are refused`() {
        #expect(throws: SodiumError.wrongByteCount(expected: 32, actual: 31)) {
            _ = try RecoveryPhrase(bytes: Array(repeating: 0, count: 31))
        }
    }

    @Test func `an endless text is refused before it is read`() {
        #expect(throws: RecoveryPhraseError.wrongCount(5_000)) {
            _ = try RecoveryPhrase(typed: String(repeating: "a", count: 5_000))
        }
    }
}
