/// The value of a field that names bytes apart from the record, and describes them.
///
/// ```
/// +--------------+-------------+-------------+------------------+-----------------+
/// | payload 32 B | size varint | secret 32 B | mediaType string | fileName string |
/// +--------------+-------------+-------------+------------------+-----------------+
/// +-------------------------------+-----------------+
/// | modified: 0, or 1 and signed  | thumbnail bytes |
/// +-------------------------------+-----------------+
/// ```
package struct AssetDescriptor: Sendable {
    /// The payload that has the bytes.
    package var payload: PayloadID
    /// Bytes of the content, without padding; at most ``sizeMax``.
    package var size: UInt64
    /// The secret that opens the payload's chunks.
    package var secret: AssetSecret
    /// The media type of the bytes, as in RFC 6838; empty = not stated.
    package var mediaType: String
    /// The name of the file that the bytes come from, one component of a path; empty = not stated.
    package var fileName: String
    /// The time at which that file was changed, in milliseconds since 1970; `nil` = not stated.
    package var modified: Int64?
    /// A small preview, at most `Limits.thumbnailByteCountMax` bytes; empty = none.
    package var thumbnail: [UInt8]

    /// Describes an asset.
    /// - Parameters: as the properties of the same names.
    package init(
        payload: PayloadID,
        size: UInt64,
        secret: AssetSecret,
        mediaType: String,
        fileName: String,
        modified: Int64?,
        thumbnail: [UInt8]
    ) {
        self.payload = payload
        self.size = size
        self.secret = secret
        self.mediaType = mediaType
        self.fileName = fileName
        self.modified = modified
        self.thumbnail = thumbnail
    }

    /// The most bytes of a content: with its padding it has `Limits.payloadByteCountMax`.
    package static let sizeMax = Limits.payloadByteCountMax - 1

    /// The bytes of the shortest encoding.
    package static let byteCountMin = 69

    /// Whether the secret is known: a value that is not resolved has no encoding that a reader takes.
    package var isResolved: Bool { secret.isKnown }

    /// Whether a text may be the name of a file: one component of a path, which leads to no other directory.
    /// - Parameter text: The text; the empty one states no name.
    /// - Returns: False for more than `Limits.fileNameByteCountMax` bytes, for a slash or a NUL in it, and for `.` and `..`.
    package static func isFileName(_ text: String) -> Bool {
        guard text.utf8.count <= Limits.fileNameByteCountMax else { return false }
        if text.isBytewiseEqual(to: ".") || text.isBytewiseEqual(to: "..") { return false }
        return !text.utf8.contains { $0 == 0 || $0 == 0x2F }
    }
}

extension AssetDescriptor: EqualByEncoding {
    package func encode(into writer: inout WireWriter) {
        writer.write(payload)
        writer.writeVarint(size)
        writer.writeFixed(secret.bytes, count: AssetSecret.byteCount)
        writer.writeString(mediaType)
        writer.writeString(fileName)
        writer.writeBool(modified != nil)
        if let modified { writer.writeSigned(modified) }
        writer.writeBytes(thumbnail)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        payload = try PayloadID(from: &reader)
        size = try reader.readVarint()
        guard size <= Self.sizeMax else { throw .invalidValue("size") }
        guard let secret = AssetSecret(try reader.readFixed(AssetSecret.byteCount)), secret.isKnown else {
            throw .invalidValue("secret")
        }
        self.secret = secret
        mediaType = try reader.readString(maximum: Limits.mediaTypeByteCountMax)
        fileName = try reader.readString(maximum: Limits.fileNameByteCountMax)
        guard Self.isFileName(fileName) else { throw .invalidValue("fileName") }
        let isDated = try reader.readBool()
        modified = isDated ? try reader.readSigned() : nil
        thumbnail = try reader.readBytes(maximum: Limits.thumbnailByteCountMax)
    }
}
