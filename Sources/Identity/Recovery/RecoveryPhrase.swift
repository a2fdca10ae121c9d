package import Sodium

/// The 24 words that outrank every device of an account.
///
/// 32 random bytes in the form of BIP-39: 24 words of eleven bits each, the last eight bits a checksum (the first byte
/// of the SHA-256 of the 32 bytes). The signing key is derived from the bytes for this purpose alone, so a phrase that
/// a person also used for something else gives nothing away.
package struct RecoveryPhrase: ~Copyable, Sendable {
    /// The number of words.
    package static let wordCount = 24
    /// The number of bytes that they stand for, without the checksum.
    package static let byteCount = 32

    /// Far above 24 words of at most eight letters; a longer text was not typed.
    private static let typedByteCountMax = 4_096

    private let entropy: SecretBytes

    /// A new phrase.
    /// - Parameter generator: The source of the randomness.
    package init(using generator: inout some RandomNumberGenerator) {
        entropy = SecretBytes(count: Self.byteCount, using: &generator)
    }

    /// The phrase of known bytes.
    /// - Parameter bytes: 32 secret bytes; the caller sees to its own copy.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(bytes: [UInt8]) throws(SodiumError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: bytes.count)
        }
        entropy = SecretBytes(copying: bytes)
    }

    /// Reads a text that a person typed; case and the kind and amount of white space do not matter.
    /// - Parameter typed: 24 words.
    /// - Throws: ``RecoveryPhraseError`` that names the wrong word, if one word alone can be blamed.
    package init(typed: String) throws(RecoveryPhraseError) {
        guard typed.utf8.count <= Self.typedByteCountMax else { throw .wrongCount(typed.utf8.count) }
        let words = typed.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        var indices: [Int] = []
        for (offset, word) in words.enumerated() {
            // An unknown word is the better explanation even when the number of words is wrong as well.
            guard let index = WordList.index(of: word) else { throw .unknownWord(word, position: offset + 1) }
            indices.append(index)
        }
        guard indices.count == Self.wordCount else { throw .wrongCount(indices.count) }
        var bytes = ElevenBitGroups.join(indices)
        guard bytes.count == Self.byteCount + 1, let checksum = bytes.popLast(),
            SHA256.hash(bytes).first == checksum
        else { throw .wrongChecksum }
        entropy = SecretBytes(wiping: &bytes)
    }

    /// The words, for being shown once and written down on paper.
    package var words: [String] {
        var bytes = entropy.exportBytes()
        bytes.append(SHA256.hash(bytes).first ?? 0)
        let words = ElevenBitGroups.split(bytes).map { WordList.words[$0] }
        ConstantTime.wipe(&bytes)
        return words
    }

    /// The key that signs recovery entries of an account log.
    /// - Returns: The key; the same one each time.
    package borrowing func signingKey() -> SigningKey {
        let seed = entropy.derivedBytes(.recoveryKey, byteCount: SigningKey.seedByteCount)
        do {
            return try SigningKey(seed: seed)
        } catch {
            preconditionFailure("a derivation gives as many bytes as were asked for: \(error)")
        }
    }

    /// The secret of the channel on which the account's devices answer a device that has the words.
    ///
    /// They hold it as a ``RecoveryDoor``.
    /// - Returns: The key; the same one each time. It leads neither to the words nor to the key that signs.
    package borrowing func channelKey() -> SymmetricKey {
        entropy.derivedKey(.recoveryChannel, placement: .guarded)
    }

    /// The bytes in the clear, for the key file alone.
    borrowing func exportBytes() -> [UInt8] {
        entropy.exportBytes()
    }

    /// The public half of ``signingKey()``, which the account log names.
    package var publicKey: VerifyingKey { signingKey().publicKey }
}
