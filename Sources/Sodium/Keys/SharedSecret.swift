/// The result of a key agreement: secret, but not uniformly random, so a derivation must take it in before use.
package struct SharedSecret: ~Copyable, Sendable {
    /// The raw value.
    package let bytes: SecretBytes

    /// Derives a key for one purpose.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - info: Further input that the key depends on, such as both public keys.
    /// - Returns: The key.
    package borrowing func derivedKey(_ context: ContextString, info: [UInt8] = []) -> SymmetricKey {
        bytes.derivedKey(context, info: info)
    }
}
