/// A part of what a message says.
package struct ContentPart: Sendable, Hashable {
    /// The bytes from where they were asked for; none at the end.
    package var bytes: [UInt8]
    /// How many bytes the message says in all.
    package var byteCount: UInt64
    /// The media type of what it says.
    package var contentType: String

    /// Describes a part.
    /// - Parameters: as the properties of the same names.
    package init(bytes: [UInt8], byteCount: UInt64, contentType: String) {
        (self.bytes, self.byteCount, self.contentType) = (bytes, byteCount, contentType)
    }
}
