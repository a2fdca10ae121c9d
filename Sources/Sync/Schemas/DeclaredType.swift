import Records
import Wire

/// The development schema of one record type of a container: one field of the record for each field of the type.
///
/// If two devices learn of different fields at once, both fields stay. If both learn of one field, the later value
/// wins, as for any field.
struct DeclaredType: BookEntry {
    static let type = "schema-type"

    /// The container.
    let container: String
    /// The type.
    let schema: RecordTypeSchema

    /// The prefix of the names of all types of a container.
    static func prefix(_ container: String) -> String { prefix + SchemaName.of(container) + "/" }
    static func name(_ container: String, _ type: String) -> String { prefix(container) + SchemaName.of(type) }

    var name: String { Self.name(container, schema.name.string) }

    var fields: [FieldAssignment] {
        var fields: [FieldAssignment] = [
            .init(field: "container", value: .string(container)),
            .init(field: "type", value: .string(schema.name.string)),
        ]
        if !schema.attributes.isEmpty { fields.append(.bytes("attributes", Self.encode(schema.attributes))) }
        return fields + schema.fields.map { .bytes(Self.fieldPrefix + SchemaName.of($0.name.string), $0.encoded) }
    }

    init(container: String, schema: RecordTypeSchema) {
        self.container = container
        self.schema = schema
    }

    init?(_ body: RecordBody) {
        guard case .string(let container)? = body.field(named: "container")?.winner?.value,
            case .string(let type)? = body.field(named: "type")?.winner?.value
        else { return nil }
        let fields = body.fields.filter { $0.name.utf8.starts(with: Self.fieldPrefix.utf8) }.compactMap { field in
            // A field that a later version wrote in another form is not shown; it stays in the book.
            body.bytes(field.name).flatMap { try? FieldSchema(decoding: $0) }
        }
        // Unreadable attributes are ignored.
        let attributes = body.bytes("attributes").flatMap { try? Self.decode($0) } ?? []
        self.init(container: container, schema: RecordTypeSchema(name: type, fields: fields, unknown: attributes))
        guard body.name == name else { return nil }
    }

    private static let fieldPrefix = "f."

    private static func encode(_ attributes: [SchemaAttribute]) -> [UInt8] {
        RecordTypeSchema(name: "-", unknown: attributes).encoded
    }

    private static func decode(_ bytes: [UInt8]) throws(WireError) -> [SchemaAttribute] {
        try RecordTypeSchema(decoding: bytes).attributes
    }
}
