import Sodium
import Wire

extension Identifier {
    /// Names something by the BLAKE2b-256 of bytes for one purpose.
    static func hash(_ context: ContextString, _ message: [UInt8]) -> Self {
        let words = message.withUnsafeBytes { Blake2b.words32(context, $0) }
        return Self(Digest32(word0: words.first, word1: words.second, word2: words.third, word3: words.fourth))
    }
}
