/// A part of the content of a message or an asset.
package struct ContentPart: Sendable, Hashable {
    /// The bytes from the requested offset; none at the end.
    package var bytes: [UInt8]
    /// The size of the whole content in bytes.
    package var byteCount: UInt64
    /// The media type of the content.
    package var contentType: String
    /// The name of the file that the content comes from; empty where none is stated.
    package var fileName: String
    /// The same for all parts of one content, and another one for any other; `nil` where the content cannot change.
    package var validator: String?

    /// Describes a part.
    /// - Parameters: as the properties of the same names.
    package init(
        bytes: [UInt8],
        byteCount: UInt64,
        contentType: String,
        fileName: String = "",
        validator: String? = nil
    ) {
        self.bytes = bytes
        self.byteCount = byteCount
        self.contentType = contentType
        self.fileName = fileName
        self.validator = validator
    }
}
