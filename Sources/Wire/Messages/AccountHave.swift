/// States the heads of the sender's copy of an account's log.
///
/// ```
/// +--------------+--------------+-------------------+-------------+
/// | account 32 B | count varint | count × head 32 B | wantsReply 1 |   heads strictly ascending
/// +--------------+--------------+-------------------+-------------+
/// ```
package struct AccountHave: Hashable, Sendable {
    /// The account.
    package let account: AccountID
    /// The heads, ascending, at most 64.
    package let heads: [Hash]
    /// Whether the receiver should state its heads too.
    package let wantsReply: Bool

    /// Makes a message, and sorts the heads.
    package init(account: AccountID, heads: [Hash], wantsReply: Bool) {
        self.account = account
        self.heads = heads.inWireOrder()
        self.wantsReply = wantsReply
    }
}

extension AccountHave: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(account)
        writer.writeList(heads)
        writer.writeBool(wantsReply)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        account = try AccountID(from: &reader)
        heads = try reader.readAscending(
            maximum: Limits.accountHeadCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        wantsReply = try reader.readBool()
    }
}
