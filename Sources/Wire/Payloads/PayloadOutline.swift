/// The hashes of a payload's chunks, from which the payload's id is made.
///
/// ```
/// +-----------------+----------------------+--------------+--------------------+
/// | byteCount varint| chunkByteCount varint| count varint | count × hash 32 B  |
/// +-----------------+----------------------+--------------+--------------------+
/// ```
///
/// The count is that of the chunks which `byteCount` plain bytes make, so that it cannot be another.
package struct PayloadOutline: Hashable, Sendable {
    /// The sizes that the chunks of a payload may have, in plain bytes; all but its last one have the same.
    package static let chunkByteCounts = [Limits.chunkByteCount, Limits.chunkByteCountMax]

    /// Plain bytes of all chunks together, padding included; at least 1, at most `Limits.payloadByteCountMax`.
    package let byteCount: UInt64
    /// Plain bytes of each chunk but the last: one of ``chunkByteCounts``.
    package let chunkByteCount: Int
    /// The hash of each sealed chunk, in order.
    package let chunks: [Hash]

    /// Describes a payload; `nil` for chunks of another size, and where their number is not that of the bytes.
    package init?(byteCount: UInt64, chunkByteCount: Int, chunks: [Hash]) {
        guard (1...Limits.payloadByteCountMax).contains(byteCount), Self.chunkByteCounts.contains(chunkByteCount),
            chunks.count <= Limits.payloadChunkCountMax,
            chunks.count == Self.chunkCount(byteCount, chunkByteCount: chunkByteCount)
        else { return nil }
        (self.byteCount, self.chunkByteCount, self.chunks) = (byteCount, chunkByteCount, chunks)
    }

    /// Whether the payload has one small chunk alone, which its holder sends behind the outline.
    package var hasSoleChunk: Bool { byteCount <= UInt64(Limits.chunkByteCount) }

    /// Returns the number of chunks that a number of plain bytes makes.
    /// - Parameters:
    ///   - byteCount: The bytes.
    ///   - chunkByteCount: Plain bytes of a chunk, at least 1.
    /// - Returns: The chunks, the last of which may be shorter.
    package static func chunkCount(_ byteCount: UInt64, chunkByteCount: Int) -> Int {
        let size = UInt64(chunkByteCount)
        return Int(clamping: byteCount / size + (byteCount % size == 0 ? 0 : 1))
    }

    /// Returns the number of sealed bytes of a chunk.
    /// - Parameter position: Which one, from 0.
    /// - Returns: The bytes; `nil` where there is no such chunk.
    package func sealedByteCount(at position: UInt64) -> Int? {
        guard position < UInt64(chunks.count) else { return nil }
        let begin = position * UInt64(chunkByteCount)
        return Int(clamping: min(byteCount - begin, UInt64(chunkByteCount))) + Limits.chunkTagByteCount
    }
}

extension PayloadOutline: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeVarint(byteCount)
        writer.writeCount(chunkByteCount)
        writer.writeList(chunks)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let byteCount = try reader.readVarint()
        guard let chunkByteCount = Int(exactly: try reader.readVarint()),
            Self.chunkByteCounts.contains(chunkByteCount)
        else { throw .invalidValue("chunkByteCount") }
        let chunks: [Hash] = try reader.readList(
            maximum: Limits.payloadChunkCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        guard let outline = Self(byteCount: byteCount, chunkByteCount: chunkByteCount, chunks: chunks) else {
            throw .invalidValue("byteCount")
        }
        self = outline
    }
}
