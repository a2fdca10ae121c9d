package import Sodium

/// A key encapsulation mechanism with the sizes of ML-KEM-768 (FIPS 203).
///
/// The channel needs one for its second version and brings none along: implementations are outside of the core.
package protocol KeyEncapsulation: Sendable {
    /// Makes the key of one handshake.
    /// - Parameter seed: ``ChannelLimits/encapsulationSeedByteCount`` fresh random bytes; the same ones give the same key.
    /// - Returns: The key.
    /// - Throws: ``KeyEncapsulationError/unavailable``.
    func makeKey(seed: borrowing SecretBytes) throws(KeyEncapsulationError) -> any DecapsulationKey

    /// Makes a secret, and closes it for the holder of a key's secret half.
    /// - Parameters:
    ///   - key: The other side's public half, as it was received.
    ///   - randomness: ``ChannelLimits/encapsulationRandomnessByteCount`` fresh random bytes, for an implementation whose
    ///     library does not insist on its own.
    /// - Returns: The secret, and the ciphertext to send.
    /// - Throws: ``KeyEncapsulationError/malformedKey`` for bytes that are no public key, or
    ///   ``KeyEncapsulationError/unavailable``.
    func encapsulate(
        to key: [UInt8],
        randomness: borrowing SecretBytes
    ) throws(KeyEncapsulationError) -> EncapsulatedSecret
}
