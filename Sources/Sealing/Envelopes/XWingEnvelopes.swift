internal import Crypto
internal import FoundationEssentials
package import Records
import Sync

/// Envelopes by HPKE (RFC 9180, base mode) with X-Wing (draft-connolly-cfrg-xwing-kem-06: ML-KEM-768 and X25519),
/// HKDF-SHA256 and ChaCha20-Poly1305, all from swift-crypto.
///
/// An envelope is the encapsulated key, 1,120 bytes, and the ciphertext with its tag. An attacker who breaks only one
/// of ML-KEM-768 and X25519 opens nothing.
package struct XWingEnvelopes: EnvelopeSealing {
    /// The size of an encapsulated key in bytes.
    static let encapsulatedByteCount = 1_120
    private static let suite = HPKE.Ciphersuite(kem: .XWingMLKEM768X25519, kdf: .HKDF_SHA256, aead: .chaChaPoly)

    private let tried = TriedKeys()

    /// The mechanism; it remembers which keys it has tried.
    package init() {}

    /// The public half of a device's encapsulation key: 1,216 bytes.
    package func encapsulationKey(seed: [UInt8]) throws -> [UInt8] {
        Array(try privateKey(seed).publicKey.rawRepresentation)
    }

    /// Whether these are the 1,216 bytes of a key to which the library can seal.
    ///
    /// The key is tried, since one may parse and have an X25519 half with which no secret can be agreed.
    /// - Complexity: One hash for a key that was tried before; else as much work as sealing to it.
    package func isKey(_ bytes: [UInt8]) -> Bool {
        tried.answer(for: bytes) { Self.isUsable(bytes) }
    }

    private static func isUsable(_ bytes: [UInt8]) -> Bool {
        do {
            let recipient = try XWingMLKEM768X25519.PublicKey(rawRepresentation: bytes)
            _ = try HPKE.Sender(recipientKey: recipient, ciphersuite: suite, info: Data())
            return true
        } catch {
            return false
        }
    }

    /// Seals a key to a device: 1,168 bytes for a key of 32.
    package func seal(
        _ secret: [UInt8],
        to key: [UInt8],
        info: [UInt8],
        entropy: TransactionEntropy
    ) throws -> [UInt8] {
        let recipient = try XWingMLKEM768X25519.PublicKey(rawRepresentation: key)
        // The library draws from the operating system, and takes no randomness from elsewhere.
        var sender = try HPKE.Sender(recipientKey: recipient, ciphersuite: Self.suite, info: Data(info))
        let ciphertext = try sender.seal(Data(secret))
        return Array(sender.encapsulatedKey) + Array(ciphertext)
    }

    /// Opens an envelope.
    package func open(_ envelope: [UInt8], seed: [UInt8], info: [UInt8]) throws -> [UInt8] {
        guard envelope.count > Self.encapsulatedByteCount else { throw CryptoKitError.incorrectParameterSize }
        var recipient = try HPKE.Recipient(
            privateKey: try privateKey(seed),
            ciphersuite: Self.suite,
            info: Data(info),
            encapsulatedKey: Data(envelope[..<Self.encapsulatedByteCount])
        )
        return Array(try recipient.open(Data(envelope[Self.encapsulatedByteCount...])))
    }

    private func privateKey(_ seed: [UInt8]) throws -> XWingMLKEM768X25519.PrivateKey {
        try XWingMLKEM768X25519.PrivateKey(seedRepresentation: seed, publicKey: nil)
    }
}
