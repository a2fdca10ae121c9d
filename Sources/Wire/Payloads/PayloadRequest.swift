/// Asks for parts of a payload; as an answer, names those that are not here.
///
/// ```
/// +-----------+------------+--------------+----------------------+
/// | zone 32 B | payload 32 | count varint | count × position var |   strictly ascending; none = the outline
/// +-----------+------------+--------------+----------------------+
/// ```
package struct PayloadRequest: Hashable, Sendable {
    /// A zone with a record or a message that names the payload; a device that may read it may have the payload.
    package let zone: ZoneID
    /// The payload.
    package let payload: PayloadID
    /// The chunks, ascending, at most `Limits.chunkRequestCountMax`; none for the outline.
    package let positions: [UInt64]

    /// Asks for the outline.
    package init(zone: ZoneID, outlineOf payload: PayloadID) {
        (self.zone, self.payload, positions) = (zone, payload, [])
    }

    /// Asks for chunks, and sorts them.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - payload: The payload.
    ///   - positions: One to `Limits.chunkRequestCountMax`.
    package init(zone: ZoneID, payload: PayloadID, positions: [UInt64]) {
        (self.zone, self.payload) = (zone, payload)
        self.positions = Set(positions).sorted()
    }
}

extension PayloadRequest: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.write(payload)
        writer.writeCount(positions.count)
        for position in positions { writer.writeVarint(position) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        payload = try PayloadID(from: &reader)
        let count = try reader.readCount(maximum: Limits.chunkRequestCountMax, itemByteCountMin: 1)
        var positions: [UInt64] = []
        for _ in 0..<count {
            let position = try reader.readVarint()
            guard position < UInt64(Limits.payloadChunkCountMax) else { throw .invalidValue("position") }
            if let last = positions.last, position <= last { throw .notAscending }
            positions.append(position)
        }
        self.positions = positions
    }
}
