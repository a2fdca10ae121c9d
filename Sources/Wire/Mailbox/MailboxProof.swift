/// The proof that a device may put parcels into a mailbox, or take them out.
///
/// ```
/// +-----------+-------------+
/// | key 32 B  | other 32 B  |
/// +-----------+-------------+
/// ```
///
/// A mailbox has a put key and a get key, and its id is the hash over the hashes of both. One key and the hash of the
/// other prove by themselves that the key is that mailbox's. So a relay has nothing to remember of mailboxes, and a
/// device with the put key cannot take parcels out.
package struct MailboxProof: Hashable, Sendable {
    /// The number of bytes of a key.
    package static let keyByteCount = 32

    /// The key that is shown.
    package let key: [UInt8]
    /// The hash of the other key.
    package let other: Hash

    /// Makes a proof.
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - other: The hash of the other key.
    package init(key: [UInt8], other: Hash) {
        self.key = key
        self.other = other
    }
}

extension MailboxProof: UnprintedSecret {
    package var description: String { "mailbox proof" }
}

extension MailboxProof: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeFixed(key, count: Self.keyByteCount)
        writer.write(other)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        key = try reader.readFixed(Self.keyByteCount)
        other = try Hash(from: &reader)
    }
}
