import Records
import Wire

/// What the account has promoted in a container: what every zone begins with that it makes there.
///
/// Of several promotions at once all values stay, and what holds is what they say together.
struct PromotedSchema: BookEntry {
    static let type = "schema-production"

    /// The container.
    let container: String
    /// What was promoted, all together.
    let schema: Schema

    static func name(_ container: String) -> String { prefix + SchemaName.of(container) }

    var name: String { Self.name(container) }

    var fields: [RecordWrite.Assignment] {
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
