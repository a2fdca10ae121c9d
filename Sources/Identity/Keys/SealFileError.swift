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

extension SealFileError: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence; nothing of the secret.
    package var description: String {
        switch self {
        case .otherFormat: "it is not a seal of Kairan"
        case .damaged: "the seal is damaged or was cut short"
        case .laterVersion(let version): "a later version of Kairan wrote the seal (format \(version))"
        case .tooCostly: "the seal asks for more memory or time than any seal that Kairan makes"
        case .wrongSecret: "the seal was locked with another passphrase or credential"
        case .otherKind: "the seal is opened by another kind of secret"
        case .outOfMemory(let byteCount): "there is no memory of \(byteCount >> 20) MiB to check the passphrase"
        }
    }
}
