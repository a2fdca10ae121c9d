import Capabilities
import Identity
import Queries
import Records
import Sync
import Testing
import Wire

@Suite struct `The indexes of a container` {
    private let container = "org.example.notes"
    private static let text = FieldIndex(type: "note", field: .named("text"), kind: .text)

    /// Does the work of the daemon after a change of schemas.
    /// - Returns: The indexes there are then.
    private func settle(_ n: inout Neighbours, on index: Int) throws -> [FieldIndex] {
        try n.change(index) {
            let open = try FieldIndexes($0).outdatedContainers(in: $2)
            try FieldIndexes($0).updateIndexes(of: open, in: &$2)
            return try $2.fieldIndexes(container: container).map(\.index)
        }
    }

    @Test func `are not those that the schema of a deleted zone asks for`() throws {
        var n = try Neighbours([1, 1])
        let shared = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: shared)
        // Bob's own zone of the container stays, without a schema.
        _ = try n.zone(of: 1)
        let fields = [FieldSchema(name: "text", kind: .string, indexes: .text)]
        let schema = Schema(types: [RecordTypeSchema(name: "note", fields: fields)])
        try n.change(0) {
            _ = try Schemas($0).declare(schema, container: container, in: &$2)
            _ = try Schemas($0).promote(container: container, in: &$2)
        }
        try n.exchange(shared)
        #expect(try settle(&n, on: 1) == [Self.text])
        try n.change(0) { _ = try ZoneLifecycle($0).delete(shared, reason: "", in: &$2) }
        try n.exchange(shared)
        #expect(try n.homes[1].store.zone(shared)?.isDeleted == true)
        #expect(try settle(&n, on: 1).isEmpty)
    }
}
