/// Why bytes are no key file.
package enum KeyFileError: Error, Equatable, Sendable {
    /// They do not begin as a key file does.
    case otherFormat

    /// They begin right but were cut short or damaged. Whoever reads them must not make new keys in their place: the
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
