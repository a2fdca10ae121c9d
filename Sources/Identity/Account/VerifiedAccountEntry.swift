import Sodium
import Wire

/// An account entry whose signature was checked against the key that it claims.
///
/// Made in this file only, from received bytes and the key, or by signing; so holding one is the proof. Whether it
/// is *effective* is another question, which only the whole set of entries answers.
struct VerifiedAccountEntry: Equatable, Sendable {
    /// Names the entry: the hash of its bytes with the signature, so that equal names mean equal bytes.
    let hash: Hash
    /// The bytes as they were received, for passing on.
    let bytes: [UInt8]
    /// The entry.
    let entry: AccountEntry

    /// Checks an entry.
    /// - Parameters:
    ///   - unverified: The entry as decoded.
    ///   - key: The key of the author that it names.
    /// - Throws: ``AccountError/badSignature``.
    init(_ unverified: UnverifiedAccountEntry, key: VerifyingKey) throws(AccountError) {
        let signed = unverified.signed
        guard key.isValid(signed.signature.signature, over: signed.bodyBytes, context: .accountEntry) else {
            throw .badSignature
        }
        hash = unverified.hash
        bytes = unverified.bytes
        entry = signed.entry
    }
}

extension AccountSigner {
    /// Signs an entry.
    /// - Parameter entry: The entry.
    /// - Returns: The entry with its signature.
    /// - Throws: ``AccountError/malformed(_:)`` when no receiver would accept it, such as for a name that is too long.
    func sign(_ entry: AccountEntry) throws(AccountError) -> SignedAccountEntry {
        let bytes: [UInt8]
        do {
            bytes = try entry.checkedEncoding()
        } catch {
            throw .malformed(error)
        }
        let signature =
            switch self {
            case .device(let identity): identity.sign(bytes, context: .accountEntry)
            case .recovery(let key): Signature64(key.signingKey.signature(over: bytes, context: .accountEntry))
            }
        return SignedAccountEntry(entry, signature: signature)
    }
}
