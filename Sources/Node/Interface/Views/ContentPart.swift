/// A part of a message's content.
package struct ContentPart: Sendable, Hashable {
    /// The bytes from the requested offset; none at the end.
    package var bytes: [UInt8]
    /// The size of the whole content in bytes.
    package var byteCount: UInt64
    /// The media type of the content.
    package var contentType: String

    /// Describes a part.
    /// - Parameters: as the properties of the same names.
    package init(bytes: [UInt8], byteCount: UInt64, contentType: String) {
        (self.bytes, self.byteCount, self.contentType) = (bytes, byteCount, contentType)
    }
}
