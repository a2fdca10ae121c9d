/// The definition of a record type.
///
/// ```
/// +-------------+---------------------------------------+-------------------------------+
/// | name string | count × SchemaAttribute, ascending    | count × FieldSchema, ascending |   at most 512 fields
/// +-------------+---------------------------------------+-------------------------------+
/// ```
///
/// Attributes of a type: 1 = the policy for values that were written concurrently (``ConflictPolicy``). All others
/// are kept as they are.
package struct RecordTypeSchema: Hashable, Sendable {
    /// The type's name, 1...255 bytes.
    package var name: BytewiseString
    /// The fields, ascending by name.
    package let fields: [FieldSchema]
    /// The policy for values of a field that were written concurrently.
    package let conflicts: ConflictPolicy
    /// Attributes of the type that a later version defines, ascending by tag.
    package let unknown: [SchemaAttribute]

    /// Describes a type, and sorts fields and attributes.
    /// - Parameters: as the properties of the same names.
    package init(
        name: String,
        fields: [FieldSchema] = [],
        conflicts: ConflictPolicy = .keep,
        unknown: [SchemaAttribute] = []
    ) {
        self.name = BytewiseString(name)
        self.fields = fields.inWireOrder()
        // There is one encoding, in whichever form the policy was given.
        self.conflicts = unknown.contains(Self.latest) ? .latest : conflicts
        self.unknown = unknown.filter { $0 != Self.latest }.inWireOrder()
    }

    /// All attributes of the type, known and unknown.
    package var attributes: [SchemaAttribute] {
        (conflicts == .latest ? [Self.latest] : []) + unknown
    }

    private static let latest = SchemaAttribute(tag: 1, payload: [1])

    /// The field of a name, compared by bytes.
    /// - Returns: `nil` when the type has none.
    /// - Complexity: O(log n).
    package func field(named name: String) -> FieldSchema? {
        fields.ordered(at: BytewiseString(name))
    }
}

extension RecordTypeSchema: WireCodable, WireOrdered {
    package var orderKey: BytewiseString { name }

    /// A name of one byte, no attributes, no fields.
    static let byteCountMin = 4

    package func encode(into writer: inout WireWriter) {
        writer.writeString(name.string)
        writer.writeList(attributes.sorted { $0.tag < $1.tag })
        writer.writeList(fields)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let name = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
        let attributes = try reader.readSchemaAttributes()
        let fields: [FieldSchema] = try reader.readAscending(
            maximum: Limits.schemaFieldCountMax,
            itemByteCountMin: FieldSchema.byteCountMin
        )
        self.init(name: name, fields: fields, unknown: attributes)
    }
}

extension Array where Element: WireOrdered {
    /// The item with a key, in an array that ascends.
    /// - Complexity: O(log n).
    func ordered(at key: Element.OrderKey) -> Element? {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].orderKey < key { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].orderKey == key ? self[low] : nil
    }
}
