/// Why a step of a key encapsulation was refused.
package enum KeyEncapsulationError: Error, Equatable, Sendable {
    /// The other side's public key has a wrong size, or numbers in it that no key has.
    case malformedKey

    /// What the other side sent has a wrong size.
    case malformedCiphertext

    /// The library behind the mechanism failed for a reason of its own.
    case unavailable
}
