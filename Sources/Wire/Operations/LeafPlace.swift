/// The part of a leaf that stays readable after the operation is superseded.
///
/// ```
/// +-----------+----------------+-------+
/// | tag 32 B  | creation (Dot) | batch |
/// +-----------+----------------+-------+
/// ```
struct LeafPlace: WireCodable {
    /// The record's tag.
    let tag: RecordTag
    /// The write that created the record.
    let creation: Dot
    /// The place in the atomic batch.
    let batch: BatchPlace

    /// Makes a place.
    init(tag: RecordTag, creation: Dot, batch: BatchPlace) {
        self.tag = tag
        self.creation = creation
        self.batch = batch
    }

    init(from reader: inout WireReader) throws(WireError) {
        tag = RecordTag(try reader.readDigest())
        creation = try Dot(from: &reader)
        batch = try BatchPlace(from: &reader)
    }

    func encode(into writer: inout WireWriter) {
        writer.write(tag)
        writer.write(creation)
        writer.write(batch)
    }

    /// 0x00 (RFC 6962's mark of a leaf) and the encoding.
    var prefixBytes: [UInt8] {
        var writer = WireWriter(capacity: 96)
        writer.writeByte(0)
        encode(into: &writer)
        return writer.bytes
    }
}
