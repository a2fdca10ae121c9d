import Records
import Wire

/// The place at which a page of conflicts ends: a record, and its zone.
struct ConflictCursor: Sendable, Hashable {
    /// The zone.
    let zone: ZoneID
    /// The record.
    let tag: RecordTag

    /// Describes a place.
    init(zone: ZoneID, tag: RecordTag) {
        (self.zone, self.tag) = (zone, tag)
    }

    /// Reads a cursor.
    /// - Parameter text: The text, as ``text`` shows it.
    /// - Throws: `NodeError` `queryBadCursor`.
    init(_ text: String) throws(NodeError) {
        guard let bytes = Hexadecimal.decode(text), bytes.count == 2 * Digest32.byteCount,
            let zone = ZoneID(bytes.prefix(Digest32.byteCount)), let tag = RecordTag(bytes.suffix(Digest32.byteCount))
        else { throw .badCursor }
        self.init(zone: zone, tag: tag)
    }

    /// The cursor as text.
    var text: String { Hexadecimal.encode(zone.bytes + tag.bytes) }
}
