package import Sodium

/// A secret, and what opens it at the other side.
package struct EncapsulatedSecret: ~Copyable, Sendable {
    /// What to send, ``ChannelLimits/encapsulatedByteCount`` bytes.
    package let ciphertext: [UInt8]
    /// The secret, 32 bytes.
    package let secret: SecretBytes

    /// Puts the two together.
    /// - Parameters:
    ///   - ciphertext: What to send.
    ///   - secret: The secret.
    package init(ciphertext: [UInt8], secret: consuming SecretBytes) {
        self.ciphertext = ciphertext
        self.secret = secret
    }
}
