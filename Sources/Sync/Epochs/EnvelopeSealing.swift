package import Records

/// Seals keys to devices, so that nobody else opens them: HPKE (RFC 9180) with X-Wing in a running node.
///
/// A port, because the library that does it is no part of the core, and draws randomness of its own: where runs are replayed,
/// something else stands in its place.
package protocol EnvelopeSealing: Sendable {
    /// The public half of a device's encapsulation key.
    /// - Parameter seed: The 32 secret bytes that the key is made of.
    /// - Returns: What a device states in its certificate; at most 2,048 bytes.
    /// - Throws: What the library throws.
    func encapsulationKey(seed: [UInt8]) throws -> [UInt8]

    /// Whether something can be sealed to what a device has stated.
    ///
    /// Whoever states something else reads nothing until it states a key, and nobody waits for it.
    /// - Parameter bytes: The bytes that stand in its certificate; anything.
    /// - Returns: Whether it is a key.
    func isKey(_ bytes: [UInt8]) -> Bool

    /// Seals a key to a device.
    /// - Parameters:
    ///   - secret: The key's 32 bytes.
    ///   - key: The device's encapsulation key.
    ///   - info: What the envelope is for; it opens for nothing else.
    ///   - entropy: Randomness for an implementation that has none of its own.
    /// - Returns: The envelope; at most 2,048 bytes.
    /// - Throws: What the library throws, for bytes that are no encapsulation key.
    func seal(_ secret: [UInt8], to key: [UInt8], info: [UInt8], entropy: TransactionEntropy) throws -> [UInt8]

    /// Opens an envelope.
    /// - Parameters:
    ///   - envelope: What ``seal(_:to:info:entropy:)`` made.
    ///   - seed: The 32 secret bytes of the device's encapsulation key.
    ///   - info: What it is for.
    /// - Returns: The key's bytes, secret.
    /// - Throws: What the library throws, for anything else.
    func open(_ envelope: [UInt8], seed: [UInt8], info: [UInt8]) throws -> [UInt8]
}
