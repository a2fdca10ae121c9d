import Queries
import Testing
import Wire

@Suite struct `Indexes of a schema` {
    @Test func `are those that its fields ask for, by type and field`() {
        let schema = Schema(types: [
            RecordTypeSchema(
                name: "Note",
                fields: [
                    FieldSchema(name: "title", kind: .string, indexes: [.value, .text]),
                    FieldSchema(name: "body", kind: .string),
                    FieldSchema(name: "at", kind: .date, indexes: .value),
                ]
            )
        ])
        #expect(
            schema.indexes == [
                FieldIndex(type: "Note", field: .named("at"), kind: .value),
                FieldIndex(type: "Note", field: .named("title"), kind: .value),
                FieldIndex(type: "Note", field: .named("title"), kind: .text),
            ]
        )
    }
}
