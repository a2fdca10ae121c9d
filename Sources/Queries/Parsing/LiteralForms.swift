/// The forms of dates and bytes in a predicate; readers of predicates supply the parsers of these known forms.
package struct LiteralForms: Sendable {
    /// Returns the milliseconds since 1970 of a time in RFC 3339; `nil` for any other text.
    package var readTime: @Sendable (String) -> Int64?
    /// The opposite, for any number.
    package var writeTime: @Sendable (Int64) -> String
    /// Returns the bytes of base64; `nil` for any other text.
    package var readBytes: @Sendable (String) -> [UInt8]?
    /// The opposite.
    package var writeBytes: @Sendable ([UInt8]) -> String

    /// Names the four functions.
    package init(
        readTime: @escaping @Sendable (String) -> Int64?,
        writeTime: @escaping @Sendable (Int64) -> String,
        readBytes: @escaping @Sendable (String) -> [UInt8]?,
        writeBytes: @escaping @Sendable ([UInt8]) -> String
    ) {
        self.readTime = readTime
        self.writeTime = writeTime
        self.readBytes = readBytes
        self.writeBytes = writeBytes
    }
}
