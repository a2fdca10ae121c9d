/// Entries of an account's log that the receiver seems to lack.
///
/// ```
/// +--------------+--------------+-----------------------+--------+
/// | account 32 B | count varint | count × entry (bytes) | more 1 |
/// +--------------+--------------+-----------------------+--------+
/// ```
package struct AccountEntries: Hashable, Sendable {
    /// The account.
    package var account: AccountID
    /// Encoded `SignedAccountEntry` values, parents before children, at most 512 KiB together.
    package var entries: [[UInt8]]
    /// Whether another such message follows.
    package var more: Bool

    /// Makes a message.
    package init(account: AccountID, entries: [[UInt8]], more: Bool) {
        self.account = account
        self.entries = entries
        self.more = more
    }
}

extension AccountEntries: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(account)
        writer.writeBlobs(entries)
        writer.writeBool(more)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        account = try AccountID(from: &reader)
        entries = try reader.readBlobs(
            countMax: Limits.accountEntryCountMax,
            byteCountMax: Limits.accountEntriesByteCountMax
        )
        more = try reader.readBool()
    }
}

extension WireWriter {
    /// Writes a count and byte strings with their lengths.
    mutating func writeBlobs(_ blobs: [[UInt8]]) {
        writeCount(blobs.count)
        for blob in blobs {
            writeBytes(blob)
        }
    }
}

extension WireReader {
    /// Reads a count and byte strings with their lengths.
    /// - Parameters:
    ///   - countMax: The number of blobs that are accepted.
    ///   - byteCountMax: The number of bytes that all of them together may have.
    /// - Returns: The byte strings as they came.
    /// - Throws: as `readBytes(maximum:)`.
    mutating func readBlobs(countMax: Int, byteCountMax: Int) throws(WireError) -> [[UInt8]] {
        let count = try readCount(maximum: countMax, itemByteCountMin: 1)
        var blobs: [[UInt8]] = []
        blobs.reserveCapacity(count)
        var room = byteCountMax
        for _ in 0..<count {
            let length = try readLength(maximum: byteCountMax)
            guard length <= room else { throw .tooLong(limit: byteCountMax) }
            room -= length
            blobs.append(try readFixed(length))
        }
        return blobs
    }
}
