import Records
import Sodium
import Wire

extension RecordRow {
    /// 16 bytes that show whether a row is as it was written, in everything but its body, which has a hash of its
    /// own.
    ///
    /// SQLite has no checksums over its pages, and the row of a record refers to devices by the numbers of other
    /// rows: the checksum covers the assembled row, not the bytes of one row.
    /// - Complexity: O(vector).
    var checksum: [UInt8] {
        var writer = WireWriter(capacity: 256)
        writer.write(tag)
        writer.writeString(name)
        writer.writeString(type)
        writer.writeBool(isDeleted)
        writer.writeBool(isLocked)
        writer.writeRaw(version.bytes)
        writer.write(vector)
        writer.write(context)
        writer.writeList(live)
        writer.write(creation)
        writer.writeUInt64(time.raw)
        writer.writeCount(anchors.count)
        for name in anchors { writer.writeString(name) }
        writer.writeList(assets)
        return Array(Hash(digesting: .recordChecksum, writer.bytes).bytes.prefix(16))
    }
}
