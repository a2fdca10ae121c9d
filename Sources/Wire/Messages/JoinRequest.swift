/// Asks for the right that an invitation promises, under the channel key of that invitation.
///
/// ```
/// +--------------+--------------+-----------------------+
/// | account 32 B | count varint | count × entry (bytes) |
/// +--------------+--------------+-----------------------+
/// ```
///
/// The channel determines the invitation: its secret opened it. The same request may be sent again until it has a
/// final answer.
package struct JoinRequest: Hashable, Sendable {
    /// The account that is to get the right.
    package var account: AccountID
    /// The account's whole log: encoded `SignedAccountEntry` values, parents before children.
    ///
    /// A message has at most 512 KiB of them. A longer log goes ahead of it, and this is empty on the way.
    package var entries: [[UInt8]]

    /// Makes a message.
    package init(account: AccountID, entries: [[UInt8]]) {
        self.account = account
        self.entries = entries
    }
}

extension JoinRequest: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(account)
        writer.writeBlobs(entries)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        account = try AccountID(from: &reader)
        entries = try reader.readBlobs(
            countMax: Limits.accountEntryCountMax,
            byteCountMax: Limits.accountEntriesByteCountMax
        )
    }
}
