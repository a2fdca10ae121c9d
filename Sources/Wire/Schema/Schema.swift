/// The schema of a container's records: its types, their fields, and the rules for them.
///
/// ```
/// +---+---------------------------------------+-------------------------------------+
/// | 1 | count × SchemaAttribute, ascending    | count × RecordTypeSchema, ascending |   at most 256 types, 256 KiB
/// +---+---------------------------------------+-------------------------------------+
/// ```
package struct Schema: Hashable, Sendable {
    /// The types, ascending by name.
    package let types: [RecordTypeSchema]
    /// Attributes of the whole schema that a later version defines, ascending by tag.
    package var unknown: [SchemaAttribute]

    /// Describes a container, and sorts types and attributes.
    /// - Parameters: as the properties of the same names.
    package init(types: [RecordTypeSchema] = [], unknown: [SchemaAttribute] = []) {
        self.types = types.inWireOrder()
        self.unknown = unknown.inWireOrder()
    }

    /// The type of a name, compared by bytes.
    /// - Returns: `nil` when there is none.
    /// - Complexity: O(log n).
    package func type(named name: String) -> RecordTypeSchema? {
        types.ordered(at: BytewiseString(name))
    }
}

extension Schema: WireCodable {
    /// The format that this code writes and reads.
    package static let format: UInt8 = 1

    package func encode(into writer: inout WireWriter) {
        writer.writeByte(Self.format)
        writer.writeList(unknown)
        writer.writeList(types)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        guard reader.remaining <= Limits.schemaByteCountMax else { throw .tooLong(limit: Limits.schemaByteCountMax) }
        try reader.readFormat(Self.format)
        unknown = try reader.readSchemaAttributes()
        types = try reader.readAscending(
            maximum: Limits.schemaTypeCountMax,
            itemByteCountMin: RecordTypeSchema.byteCountMin
        )
    }
}
