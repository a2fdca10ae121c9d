package import Sodium

/// The key to which a secret is encapsulated; made for one handshake and gone with it.
package protocol DecapsulationKey: Sendable {
    /// The public half, ``ChannelLimits/encapsulationKeyByteCount`` bytes.
    var encapsulationKey: [UInt8] { get }

    /// Opens a secret that was encapsulated to the public half.
    ///
    /// A ciphertext that was altered gives a secret that no other party has (implicit rejection), so that only the
    /// later use of the secret shows it.
    /// - Parameter ciphertext: The ciphertext as received.
    /// - Returns: The secret, 32 bytes.
    /// - Throws: ``KeyEncapsulationError/malformedCiphertext`` for a wrong size, or ``KeyEncapsulationError/unavailable``.
    func decapsulate(_ ciphertext: [UInt8]) throws(KeyEncapsulationError) -> SecretBytes
}
