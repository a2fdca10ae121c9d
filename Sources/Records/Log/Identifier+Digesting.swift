package import Sodium
package import Wire

extension Digest32 {
    /// A hash's words as a digest; both are big-endian.
    init(_ words: Blake2b.Words) {
        self.init(word0: words.first, word1: words.second, word2: words.third, word3: words.fourth)
    }
}

extension Identifier {
    /// Names something by the BLAKE2b-256 of bytes for one purpose.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - message: The bytes.
    /// - Complexity: O(message).
    package init(digesting context: ContextString, _ message: [UInt8]) {
        self.init(Digest32(message.withUnsafeBytes { Blake2b.words32(context, $0) }))
    }
}
