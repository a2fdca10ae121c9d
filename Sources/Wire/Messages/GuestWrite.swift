/// Asks a device that rules a public zone to write something there for an account that holds no right in it.
///
/// ```
/// +---------------+-----------+----------+------------------------------------------+-----------------------+
/// | number varint | zone 32 B | isAtomic | length varint, count × GuestRecordWrite  | count × entry (bytes) |
/// +---------------+-----------+----------+------------------------------------------+-----------------------+
/// ```
///
/// The message names neither account nor device: the channel knows the sender. The receiver reads the entries to
/// check the account, and does not keep them.
package struct GuestWrite: Hashable, Sendable {
    /// The number of the request in the session; the same number asks for the same answer.
    package var number: UInt64
    /// The zone to write in.
    package var zone: ZoneID
    /// True: all or none.
    package var isAtomic: Bool
    /// The writes, in order: 1...1,024 of them, at most 480 KiB together.
    package var writes: [GuestRecordWrite]
    /// The asking account's whole log: encoded `SignedAccountEntry` values, parents before children.
    ///
    /// A message has at most 512 KiB of them. A longer log goes ahead of it, and this is empty on the way.
    package var entries: [[UInt8]]

    /// Makes a message.
    /// - Parameters: as the properties of the same names.
    package init(number: UInt64, zone: ZoneID, isAtomic: Bool, writes: [GuestRecordWrite], entries: [[UInt8]]) {
        self.number = number
        self.zone = zone
        self.isAtomic = isAtomic
        self.writes = writes
        self.entries = entries
    }

    /// The number of bytes of all writes together, as ``Limits/guestWriteByteCountMax`` bounds it.
    /// - Complexity: O(bytes).
    package var writesByteCount: Int { writesBytes.count }

    private var writesBytes: [UInt8] {
        var writer = WireWriter()
        writer.writeList(writes)
        return writer.bytes
    }
}

extension GuestWrite: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeVarint(number)
        writer.write(zone)
        writer.writeBool(isAtomic)
        writer.writeBytes(writesBytes)
        writer.writeBlobs(entries)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        number = try reader.readVarint()
        zone = try ZoneID(from: &reader)
        isAtomic = try reader.readBool()
        var nested = try reader.readNested(maximum: Limits.guestWriteByteCountMax)
        writes = try nested.readList(
            maximum: Int(Limits.batchOperationCountMax),
            itemByteCountMin: GuestRecordWrite.byteCountMin
        )
        guard !writes.isEmpty else { throw .invalidValue("number of writes") }
        try nested.finish()
        entries = try reader.readBlobs(
            countMax: Limits.accountEntryCountMax,
            byteCountMax: Limits.accountEntriesByteCountMax
        )
    }
}
