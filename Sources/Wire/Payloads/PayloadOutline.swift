/// The hashes of a payload's chunks, from which the payload's id is made.
///
/// ```
/// +-----------+-----------------+--------------+--------------------+
/// | zone 32 B | byteCount varint| count varint | count × hash 32 B  |
/// +-----------+-----------------+--------------+--------------------+
/// ```
///
/// The count is that of the chunks which `byteCount` plain bytes make, so that it cannot be another.
package struct PayloadOutline: Hashable, Sendable {
    /// The zone that the payload belongs to.
    package let zone: ZoneID
    /// Plain bytes of all chunks together, padding included; at least 1, at most `Limits.payloadByteCountMax`.
    package let byteCount: UInt64
    /// The hash of each sealed chunk, in order.
    package let chunks: [Hash]

    /// Describes a payload; `nil` where the number of chunks is not that of the bytes.
    package init?(zone: ZoneID, byteCount: UInt64, chunks: [Hash]) {
        guard (1...Limits.payloadByteCountMax).contains(byteCount), chunks.count == Self.chunkCount(byteCount) else {
            return nil
        }
        (self.zone, self.byteCount, self.chunks) = (zone, byteCount, chunks)
    }

    /// Returns the number of chunks that a number of plain bytes makes.
    package static func chunkCount(_ byteCount: UInt64) -> Int {
        let size = UInt64(Limits.chunkByteCount)
        return Int(clamping: byteCount / size + (byteCount % size == 0 ? 0 : 1))
    }

    /// Returns the number of sealed bytes of a chunk.
    /// - Parameter position: Which one, from 0.
    /// - Returns: The bytes; `nil` where there is no such chunk.
    package func sealedByteCount(at position: UInt64) -> Int? {
        guard position < UInt64(chunks.count) else { return nil }
        let begin = position * UInt64(Limits.chunkByteCount)
        return Int(clamping: min(byteCount - begin, UInt64(Limits.chunkByteCount))) + Limits.chunkTagByteCount
    }
}

extension PayloadOutline: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.writeVarint(byteCount)
        writer.writeList(chunks)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let zone = try ZoneID(from: &reader)
        let byteCount = try reader.readVarint()
        let chunks: [Hash] = try reader.readList(
            maximum: Limits.payloadChunkCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        guard let outline = Self(zone: zone, byteCount: byteCount, chunks: chunks) else {
            throw .invalidValue("byteCount")
        }
        self = outline
    }
}
