/// Asks to be taken into the receiver's account, with an entry of its log that the recovery key has signed.
///
/// ```
/// +-------------+
/// | entry bytes |
/// +-------------+
/// ```
package struct RecoverRequest: Hashable, Sendable {
    /// The encoded `SignedAccountEntry` that adds the sender.
    package var entry: [UInt8]

    /// Makes a message.
    package init(entry: [UInt8]) {
        self.entry = entry
    }
}

extension RecoverRequest: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeBytes(entry)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        entry = try reader.readBytes(maximum: Limits.accountEntryByteCountMax)
    }
}
