package import Records

/// Seals keys to devices, so that no other device can open them: HPKE (RFC 9180) with X-Wing in a running node.
///
/// It is a port, because the library behind it is no part of the core, and draws randomness of its own: a replayed
/// run uses another implementation in its place.
package protocol EnvelopeSealing: Sendable {
    /// The public half of a device's encapsulation key.
    /// - Parameter seed: The 32 secret bytes from which the key is made.
    /// - Returns: The key that a device states in its certificate; at most 2,048 bytes.
    /// - Throws: Any error of the library.
    func encapsulationKey(seed: [UInt8]) throws -> [UInt8]

    /// Whether a secret can be sealed to the bytes that a device has stated.
    ///
    /// A device that states other bytes reads nothing until it states a key, and no device waits for it.
    /// - Parameter bytes: The bytes in its certificate; anything.
    /// - Returns: Whether it is a key.
    func isKey(_ bytes: [UInt8]) -> Bool

    /// Seals a key to a device.
    /// - Parameters:
    ///   - secret: The key's 32 bytes.
    ///   - key: The device's encapsulation key.
    ///   - info: The purpose of the envelope; it opens for no other one.
    ///   - entropy: Randomness for an implementation that has none of its own.
    /// - Returns: The envelope; at most 2,048 bytes.
    /// - Throws: An error of the library for bytes that are no encapsulation key.
    func seal(_ secret: [UInt8], to key: [UInt8], info: [UInt8], entropy: TransactionEntropy) throws -> [UInt8]

    /// Opens an envelope.
    /// - Parameters:
    ///   - envelope: An envelope from ``seal(_:to:info:entropy:)``.
    ///   - seed: The 32 secret bytes of the device's encapsulation key.
    ///   - info: The purpose of the envelope.
    /// - Returns: The key's bytes, secret.
    /// - Throws: An error of the library for anything else.
    func open(_ envelope: [UInt8], seed: [UInt8], info: [UInt8]) throws -> [UInt8]
}
