/// Why typed words are no recovery phrase; positions are counted from 1.
package enum RecoveryPhraseError: Error, Equatable, Sendable {
    /// There are not 24 words.
    case wrongCount(Int)

    /// A word that the list does not have.
    case unknownWord(String, position: Int)

    /// Every word exists, but together they are no phrase: at least one is another word than the one written down, or
    /// two changed places.
    case wrongChecksum
}

extension RecoveryPhraseError: CustomStringConvertible {
    /// A hint for the person who typed; of the words it shows only a wrong one.
    package var description: String {
        switch self {
        case .wrongCount(let count): "there are \(count) words instead of \(RecoveryPhrase.wordCount)"
        case .unknownWord(let word, let position): "word \(position), “\(word)”, is not in the list"
        case .wrongChecksum: "all words exist, but at least one is not the one that was written down"
        }
    }
}
