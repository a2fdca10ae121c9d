/// The place of a large value's bytes and the means to check them; the bytes themselves travel apart.
///
/// ```
/// +-----------+-------------+------------------+-------------------+-------------------+-------------------+
/// | root 32 B | size varint | chunkSize varint | wrappedKey bytes  | thumbnail bytes   | mediaType string  |
/// +-----------+-------------+------------------+-------------------+-------------------+-------------------+
/// ```
package struct AssetDescriptor: Hashable, Sendable {
    /// Root of the tree over the (sealed) chunks.
    package var root: Hash
    /// Size in bytes.
    package var size: UInt64
    /// Size of a chunk in bytes, at least 1.
    package var chunkSize: UInt32
    /// The asset's key under the epoch's; empty = in clear.
    package var wrappedKey: [UInt8]
    /// A small preview; empty = none.
    ///
    /// At most `Limits.thumbnailByteCountMax`.
    package var thumbnail: [UInt8]
    /// The media type of the bytes, as in RFC 6838; empty = not stated.
    package var mediaType: String

    /// Describes an asset.
    /// - Parameters: as the properties of the same names.
    package init(
        root: Hash,
        size: UInt64,
        chunkSize: UInt32,
        wrappedKey: [UInt8],
        thumbnail: [UInt8],
        mediaType: String
    ) {
        self.root = root
        self.size = size
        self.chunkSize = chunkSize
        self.wrappedKey = wrappedKey
        self.thumbnail = thumbnail
        self.mediaType = mediaType
    }
}

extension AssetDescriptor: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(root)
        writer.writeVarint(size)
        writer.writeVarint(UInt64(chunkSize))
        writer.writeBytes(wrappedKey)
        writer.writeBytes(thumbnail)
        writer.writeString(mediaType)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        root = Hash(try reader.readDigest())
        size = try reader.readVarint()
        let chunkSize = try reader.readVarint()
        guard (1...UInt64(UInt32.max)).contains(chunkSize) else { throw .invalidValue("chunkSize") }
        self.chunkSize = UInt32(chunkSize)
        wrappedKey = try reader.readBytes(maximum: Limits.wrappedKeyByteCountMax)
        thumbnail = try reader.readBytes(maximum: Limits.thumbnailByteCountMax)
        mediaType = try reader.readString(maximum: Limits.mediaTypeByteCountMax)
    }
}
