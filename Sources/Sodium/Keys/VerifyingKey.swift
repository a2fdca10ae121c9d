internal import CSodium

/// An Ed25519 public key.
///
/// Everything replicated is verified here and nowhere else. Libraries differ on signatures at the edges (points of low
/// order, encodings that are not canonical); replicas with two verifiers would disagree for ever on the effective
/// operations. Whether 32 bytes are a point on the curve shows when a signature is checked.
package typealias VerifyingKey = FixedBytes<VerifyingKind>

/// The kind of `VerifyingKey`.
package enum VerifyingKind: FixedBytesKind {
    package static let byteCount = 32
}

extension VerifyingKey {
    /// Checks a signature that was made for one purpose.
    /// - Parameters:
    ///   - signature: The signature.
    ///   - message: The bytes as they were received, never encoded again.
    ///   - context: The purpose; a signature made for another one is not valid.
    /// - Returns: Whether libsodium accepts it.
    /// - Complexity: O(message), about 60 µs for short ones.
    package func isValid(_ signature: Signature, over message: [UInt8], context: ContextString) -> Bool {
        isValid(signature, over: context.prefixed(message))
    }

    /// Checks a signature over exactly these bytes, without a purpose.
    ///
    /// For foreign formats and test vectors.
    /// - Parameters:
    ///   - signature: The signature.
    ///   - message: The signed bytes.
    /// - Returns: Whether libsodium accepts it.
    package func isValid(_ signature: Signature, over message: [UInt8]) -> Bool {
        SodiumLibrary.start()
        return unsafe crypto_sign_verify_detached(signature.bytes, message, UInt64(message.count), bytes) == 0
    }
}
