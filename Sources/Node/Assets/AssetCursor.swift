import Sync
import Wire

/// The place at which a page of a zone's assets ends, as text: the record's tag and the asset.
enum AssetCursor {
    /// Writes a cursor.
    static func text(of reference: AssetReference) -> String {
        Hexadecimal.encode(reference.tag.bytes + reference.payload.bytes)
    }

    /// Reads a cursor.
    /// - Parameters:
    ///   - text: The text.
    ///   - zone: The zone of the list.
    /// - Returns: The reference behind which the next page begins.
    /// - Throws: `NodeError` `queryBadCursor`.
    static func reference(_ text: String, zone: ZoneID) throws(NodeError) -> AssetReference {
        guard let bytes = Hexadecimal.decode(text), bytes.count == 2 * Digest32.byteCount,
            let tag = RecordTag(bytes.prefix(Digest32.byteCount)),
            let payload = PayloadID(bytes.suffix(Digest32.byteCount))
        else { throw .badCursor }
        return AssetReference(payload: payload, zone: zone, tag: tag)
    }
}
