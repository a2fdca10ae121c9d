/// Why bytes are no key file.
package enum KeyFileError: Error, Equatable, Sendable {
    /// They do not begin as a key file does.
    case otherFormat

    /// They begin right but were cut short or damaged. A reader must not make new keys in their place: the
    /// old ones may be in a backup.
    case damaged

    /// A later version wrote them.
    case laterVersion(UInt8)

    /// They hold another kind of secret than was asked for.
    case otherContent

    /// They are sealed, and there is no key.
    case sealed

    /// They are whole, and sealed under another key than the one that there is.
    case otherSeal
}

extension KeyFileError: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence; nothing of the keys.
    package var description: String {
        switch self {
        case .otherFormat: "the file is not a key file of Kairan"
        case .damaged: "the key file is damaged or was cut short"
        case .laterVersion(let version): "a later version of Kairan wrote the key file (format \(version))"
        case .otherContent: "the key file holds another kind of secret than expected"
        case .sealed: "the key file is sealed, and no secret that opens it was given"
        case .otherSeal: "the key file is sealed under another key than the seal's"
        }
    }
}
