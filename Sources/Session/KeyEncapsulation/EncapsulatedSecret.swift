package import Sodium

/// A secret, and the ciphertext that opens to it at the other side.
package struct EncapsulatedSecret: ~Copyable, Sendable {
    /// The ciphertext to send, ``ChannelLimits/encapsulatedByteCount`` bytes.
    package let ciphertext: [UInt8]
    /// The secret, 32 bytes.
    package let secret: SecretBytes

    /// Puts the two together.
    /// - Parameters:
    ///   - ciphertext: The ciphertext to send.
    ///   - secret: The secret.
    package init(ciphertext: [UInt8], secret: consuming SecretBytes) {
        self.ciphertext = ciphertext
        self.secret = secret
    }
}
