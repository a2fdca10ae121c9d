/// An account entry with its signature, which holding it here does not verify.
///
/// ```
/// +---------------------+-------------+----------------+
/// | entry length varint | entry bytes | signature 64 B |
/// +---------------------+-------------+----------------+
/// ```
package struct SignedAccountEntry: Hashable, Sendable {
    /// The entry that is signed.
    package let entry: AccountEntry
    /// The bytes of `entry` as received, or as made here.
    package let entryBytes: [UInt8]
    /// The author's signature over its context and `entryBytes`.
    package let signature: Signature64

    /// Joins an entry made here with its signature.
    package init(entry: AccountEntry, signature: Signature64) {
        self.entry = entry
        entryBytes = entry.encoded
        self.signature = signature
    }
}

extension SignedAccountEntry: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeBytes(entryBytes)
        writer.write(signature)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        (entry, entryBytes) = try reader.readKeepingBytes(maximum: Limits.accountEntryByteCountMax)
        signature = try Signature64(from: &reader)
    }
}
