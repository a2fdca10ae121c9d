import Sodium
package import Wire

extension SignedCapability {
    /// Names the capability: the hash of its bytes with the signature, so that equal names mean equal bytes.
    /// - Complexity: one hash of at most 2,048 bytes, computed again each time.
    package var id: Hash {
        let words = encoded.withUnsafeBytes { Blake2b.words32(.capabilityID, $0) }
        return Hash(Digest32(word0: words.first, word1: words.second, word2: words.third, word3: words.fourth))
    }
}
