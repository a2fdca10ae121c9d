/// One sealed chunk of a payload.
///
/// ```
/// +-----------+--------------+-----------------+-------------+
/// | zone 32 B | payload 32 B | position varint | bytes bytes |
/// +-----------+--------------+-----------------+-------------+
/// ```
package struct PayloadChunk: Hashable, Sendable {
    /// The zone that the request named.
    package let zone: ZoneID
    /// The payload.
    package let payload: PayloadID
    /// The position of the chunk, from 0.
    package let position: UInt64
    /// The sealed bytes: at most `Limits.chunkByteCountMax` and the tag.
    package let bytes: [UInt8]

    /// Makes a chunk.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, payload: PayloadID, position: UInt64, bytes: [UInt8]) {
        (self.zone, self.payload, self.position, self.bytes) = (zone, payload, position, bytes)
    }
}

extension PayloadChunk: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.write(payload)
        writer.writeVarint(position)
        writer.writeBytes(bytes)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        payload = try PayloadID(from: &reader)
        position = try reader.readVarint()
        guard position < UInt64(Limits.payloadChunkCountMax) else { throw .invalidValue("position") }
        bytes = try reader.readBytes(maximum: Limits.chunkByteCountMax + Limits.chunkTagByteCount)
    }
}
