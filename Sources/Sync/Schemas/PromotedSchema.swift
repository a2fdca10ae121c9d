import Records
import Wire

/// The schema that the account has promoted in a container; every zone that it makes there begins with it.
///
/// All values of concurrent promotions stay, and the schema in force is their union.
struct PromotedSchema: BookEntry {
    static let type = "schema-production"

    /// The container.
    let container: String
    /// The union of all promotions.
    let schema: Schema

    static func name(_ container: String) -> String { prefix + SchemaName.of(container) }

    var name: String { Self.name(container) }

    var fields: [FieldAssignment] {
        [.init(field: "container", value: .string(container)), .bytes("schema", schema.encoded)]
    }

    init(container: String, schema: Schema) {
        self.container = container
        self.schema = schema
    }

    init?(_ body: RecordBody) {
        guard case .string(let container)? = body.field(named: "container")?.winner?.value,
            let entries = body.field(named: "schema")?.entries
        else { return nil }
        let promotions = entries.compactMap { entry -> SchemaPromotion? in
            guard case .bytes(let bytes) = entry.value else { return nil }
            return SchemaPromotion(hash: .zero, bytes: bytes)
        }
        guard let schema = ProductionSchema(promotions)?.schema else { return nil }
        self.init(container: container, schema: schema)
        guard body.name == name else { return nil }
    }
}
