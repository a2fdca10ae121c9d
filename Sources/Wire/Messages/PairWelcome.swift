/// Takes the receiver in: the account's secrets and its whole log.
///
/// ```
/// +----------------+--------------+-----------------------+
/// | AccountSecrets | count varint | count × entry (bytes) |
/// +----------------+--------------+-----------------------+
/// ```
package struct PairWelcome: Hashable, Sendable {
    /// The secrets that the account's devices share.
    package var secrets: AccountSecrets
    /// Encoded `SignedAccountEntry` values, parents before children, with the one that adds the receiver.
    package var entries: [[UInt8]]

    /// Makes a message.
    package init(secrets: AccountSecrets, entries: [[UInt8]]) {
        self.secrets = secrets
        self.entries = entries
    }
}

extension PairWelcome: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(secrets)
        writer.writeBlobs(entries)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        secrets = try AccountSecrets(from: &reader)
        entries = try reader.readBlobs(
            countMax: Limits.accountEntryCountMax,
            byteCountMax: Limits.smallMessageByteCountMax
        )
    }
}
