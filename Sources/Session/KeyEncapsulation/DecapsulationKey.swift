package import Sodium

/// The key to which a secret is encapsulated; made for one handshake and gone with it.
package protocol DecapsulationKey: Sendable {
    /// The public half, ``ChannelLimits/encapsulationKeyByteCount`` bytes.
    var encapsulationKey: [UInt8] { get }

    /// Opens what was encapsulated to the public half.
    ///
    /// A ciphertext that was altered gives a secret that nobody else has (implicit rejection), so that only what is done with
    /// the secret afterwards tells.
    /// - Parameter ciphertext: What was received.
    /// - Returns: The secret, 32 bytes.
    /// - Throws: ``KeyEncapsulationError/malformedCiphertext`` for a wrong size, or ``KeyEncapsulationError/unavailable``.
    func decapsulate(_ ciphertext: [UInt8]) throws(KeyEncapsulationError) -> SecretBytes
}
