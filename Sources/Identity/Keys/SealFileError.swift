/// Why a seal does not open.
package enum SealFileError: Error, Equatable, Sendable {
    /// The bytes are no seal.
    case otherFormat

    /// It was cut short or damaged.
    case damaged

    /// A later version wrote it.
    case laterVersion(UInt8)

    /// It states a cost of guessing that is outside of the limits; nothing was allocated for it.
    case tooCostly

    /// It is whole, and this secret is not the one that it was locked with.
    case wrongSecret

    /// It is opened by another kind of secret.
    case otherKind

    /// The passphrase cannot be hashed, because there is not as much memory as the seal asks for.
    case outOfMemory(byteCount: Int)
}
