import Sodium
import Wire

/// An account entry as received: well-formed, and nothing more.
struct UnverifiedAccountEntry: Sendable {
    /// See ``VerifiedAccountEntry/hash``.
    let hash: Hash
    /// All bytes, the signature included.
    let bytes: [UInt8]
    /// The claimed entry, with the exact bytes that the signature allegedly covers.
    let signed: SignedAccountEntry

    /// Reads an entry.
    /// - Parameter bytes: The bytes as received.
    /// - Throws: ``AccountError/malformed(_:)``.
    init(_ bytes: [UInt8]) throws(AccountError) {
        do {
            signed = try SignedAccountEntry(decoding: bytes)
        } catch {
            throw .malformed(error)
        }
        self.bytes = bytes
        hash = Self.name(of: bytes)
    }

    /// The name of an entry: a hash of its signed form.
    static func name(of bytes: [UInt8]) -> Hash { .hash(.accountEntryHash, bytes) }

    /// The account that the entry starts, if it is a genesis.
    var startedAccount: AccountID { .hash(.accountID, bytes) }
}
