/// Why a step of a key encapsulation was refused.
package enum KeyEncapsulationError: Error, Equatable, Sendable {
    /// The other side's public key has a wrong size, or numbers in it that no key has.
    case malformedKey

    /// The ciphertext from the other side has a wrong size.
    case malformedCiphertext

    /// The library behind the mechanism failed for a reason of its own.
    case unavailable
}

extension KeyEncapsulationError: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String {
        switch self {
        case .malformedKey: "the other side's key is not an ML-KEM-768 key"
        case .malformedCiphertext: "the other side's ciphertext has a wrong size"
        case .unavailable: "the cryptographic library failed"
        }
    }
}
