import Node
import Wire

extension FakeNode {
    static let schema = Schema(types: [
        RecordTypeSchema(
            name: "note",
            fields: [
                FieldSchema(
                    name: "title",
                    kind: .string,
                    isRequired: true,
                    lengthMinimum: 1,
                    lengthMaximum: 80,
                    values: [.string("a"), .string("b")],
                    indexes: [.value, .text],
                    unknown: [SchemaAttribute(tag: 99, payload: [1, 2])]
                ),
                FieldSchema(name: "tags", kind: .list, element: .string),
                FieldSchema(name: "due", kind: .date, minimum: .date(milliseconds: 0)),
                FieldSchema(name: "share", kind: .double, minimum: .double(0), maximum: .double(1.5)),
            ]
        )
    ])

    func schema(container: String) async throws(NodeError) -> SchemaStatus {
        try enter("schema \(container)")
        return SchemaStatus(container: container, development: Self.schema, production: nil)
    }

    func declareSchema(_ schema: Schema, container: String) async throws(NodeError) -> SchemaStatus {
        try enter("declare \(container) \(schema == Self.schema)")
        return SchemaStatus(container: container, development: schema, production: nil)
    }

    func checkSchema(_ schema: Schema?, container: String) async throws(NodeError) -> [SchemaDifferenceStatus] {
        try enter("check \(container) \(schema == nil)")
        return [
            SchemaDifferenceStatus(type: "note", field: nil, aspect: "type", change: "added", refusal: nil),
            SchemaDifferenceStatus(type: "note", field: "a", aspect: "kind", change: "changed", refusal: "why not"),
        ]
    }

    func promoteSchema(container: String) async throws(NodeError) -> PromotionStatus {
        try enter("promote \(container)")
        return PromotionStatus(container: container, production: Self.schema, zones: [Self.zoneID])
    }
}
