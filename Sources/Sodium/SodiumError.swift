/// Why a cryptographic operation was refused.
///
/// The cases carry no secret and no position inside a secret, so they may be logged.
package enum SodiumError: Error, Equatable, Sendable {
    /// A key, nonce, signature or sealed value has the wrong number of bytes.
    case wrongByteCount(expected: Int, actual: Int)

    /// A ciphertext is shorter than its authentication tag, or its tag does not fit its contents.
    ///
    /// The two are one case on purpose: the sender of the bytes must not learn which it was.
    case notAuthentic

    /// A key agreement gave the all-zero value, so the other side sent a point of low order (RFC 7748 §6.1).
    case contributoryBehaviour

    /// More output was asked of a derivation than it can give.
    case outputTooLong(maximum: Int)

    /// A passphrase cannot be hashed: there is not as much memory as its parameters ask for.
    case outOfMemory(byteCount: Int)
}

extension SodiumError: CustomStringConvertible {
    /// The reason, for logs; nothing of a key or of the plaintext.
    package var description: String {
        switch self {
        case .wrongByteCount(let expected, let actual): "there are \(actual) bytes where \(expected) belong"
        case .notAuthentic: "the sealed data does not open: it was altered, or sealed under another key"
        case .contributoryBehaviour: "the other side's public key is of low order"
        case .outputTooLong(let maximum): "a derivation gives at most \(maximum) bytes"
        case .outOfMemory(let byteCount): "there is no memory of \(byteCount) bytes to hash a passphrase"
        }
    }
}
