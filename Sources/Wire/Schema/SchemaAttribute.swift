/// A property of a schema, a type or a field that this version does not know.
///
/// ```
/// +------------+---------------+---------+
/// | tag varint | length varint | payload |
/// +------------+---------------+---------+
/// ```
///
/// It is kept byte for byte, so that a schema may pass through nodes that are older than its writer.
package struct SchemaAttribute: Hashable, Sendable {
    /// The tag of the property.
    package let tag: UInt64
    /// The encoded value of the property.
    package let payload: [UInt8]

    /// Makes an attribute.
    /// - Parameters: as the properties of the same names.
    package init(tag: UInt64, payload: [UInt8]) {
        self.tag = tag
        self.payload = payload
    }
}

extension SchemaAttribute: WireCodable, WireOrdered {
    package var orderKey: UInt64 { tag }

    /// Tag and length.
    static let byteCountMin = 2

    package func encode(into writer: inout WireWriter) {
        writer.writeTagged(tag) { $0.writeRaw(payload) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        tag = try reader.readVarint()
        payload = try reader.readBytes(maximum: Limits.schemaByteCountMax)
    }
}

extension WireReader {
    /// Reads a count and attributes, ascending by tag.
    mutating func readSchemaAttributes() throws(WireError) -> [SchemaAttribute] {
        try readAscending(
            maximum: Limits.schemaAttributeCountMax,
            itemByteCountMin: SchemaAttribute.byteCountMin
        )
    }
}
