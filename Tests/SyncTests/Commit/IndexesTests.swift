import Identity
import Queries
import Records
import Sync
import Testing
import Wire

@Suite("Indexes that schemas ask for")
struct IndexesTests {
    private let container = "org.example.notes"
    private static let text = FieldIndex(type: "note", field: .named("text"), kind: .text)
    private static let due = FieldIndex(type: "note", field: .named("due"), kind: .value)
    private static let asked = FieldIndex(type: "note", field: .system(.modifiedAt), kind: .value)

    private func schema(_ indexes: IndexKinds, due: IndexKinds = []) -> Schema {
        let fields = [
            FieldSchema(name: "text", kind: .string, indexes: indexes),
            FieldSchema(name: "due", kind: .date, indexes: due),
        ]
        return Schema(types: [RecordTypeSchema(name: "note", fields: fields)])
    }

    /// Does the work of the daemon after a change of schemas.
    /// - Returns: The indexes there are then.
    private func settle(_ neighbours: inout Neighbours, on index: Int) throws -> [FieldIndex] {
        try neighbours.change(index) {
            let open = try FieldIndexes($0).outdatedContainers(in: $2)
            try FieldIndexes($0).updateIndexes(of: open, in: &$2)
            #expect(try FieldIndexes($0).outdatedContainers(in: $2).isEmpty)
            return try $2.fieldIndexes(container: container).map(\.index)
        }
    }

    private func declare(_ schema: Schema, on index: Int, in neighbours: inout Neighbours) throws -> Bool {
        try neighbours.change(index) { try Schemas($0).declare(schema, container: container, in: &$2).mayChangeSchemas }
    }

    @Test func `exist on each device that has the book, until no schema asks for them`() throws {
        var neighbours = try Neighbours([2])
        let zone = try neighbours.zone(of: 0)
        try neighbours.exchange(zone)
        let book = try neighbours.change(0) { try AccountZone($0).establish(in: &$2).zone }
        _ = try neighbours.change(1) { try AccountZone($0).establish(in: &$2).zone }
        #expect(try settle(&neighbours, on: 1).isEmpty)
        #expect(try declare(schema(.text, due: .value), on: 0, in: &neighbours))
        #expect(try settle(&neighbours, on: 1).isEmpty, "it has not heard of it")
        try neighbours.exchange(book)
        for index in [0, 1] { #expect(try settle(&neighbours, on: index) == [Self.due, Self.text]) }
        // The indexes requested here stay under any schema, and are not those of other devices.
        try neighbours.change(1) {
            try FieldIndexes($0).ask(for: [Self.asked, Self.text], container: container, in: &$2)
        }
        #expect(Set(try settle(&neighbours, on: 1)) == [Self.asked, Self.text, Self.due])
        #expect(try declare(schema([]), on: 0, in: &neighbours))
        try neighbours.exchange(book)
        #expect(try settle(&neighbours, on: 0).isEmpty)
        #expect(Set(try settle(&neighbours, on: 1)) == [Self.asked, Self.text])
        let declared = try neighbours.change(1) { try FieldIndexes($0).all(of: container, in: $2).filter(\.isDeclared) }
        #expect(declared.isEmpty)
        try neighbours.change(1) { try FieldIndexes($0).ask(for: [], container: container, in: &$2) }
        #expect(try settle(&neighbours, on: 1).isEmpty)
    }

    @Test func `exist for participants of a shared zone, once they are promoted`() throws {
        var neighbours = try Neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        _ = try declare(schema(.text), on: 0, in: &neighbours)
        #expect(try settle(&neighbours, on: 0) == [Self.text])
        try neighbours.exchange(zone)
        #expect(try settle(&neighbours, on: 1).isEmpty, "development is the account's own")
        let tells = try neighbours.change(0) {
            try Schemas($0).promote(container: container, in: &$2).notice.mayChangeSchemas
        }
        #expect(tells)
        try neighbours.exchange(zone)
        #expect(try settle(&neighbours, on: 1) == [Self.text])
        let declared = try neighbours.change(1) { try FieldIndexes($0).all(of: container, in: $2).map(\.isDeclared) }
        #expect(declared == [true])
        // The indexes of the schema in force stay, regardless of the present development schema.
        _ = try declare(schema([]), on: 0, in: &neighbours)
        #expect(try settle(&neighbours, on: 0) == [Self.text])
    }

    @Test func `are at most as many as a container may have, the first requested ones`() throws {
        var neighbours = try Neighbours([1])
        _ = try neighbours.zone(of: 0)
        let fields = (0..<100).map { FieldSchema(name: "f\($0)", kind: .string, indexes: [.value, .text]) }
        _ = try declare(
            Schema(types: [RecordTypeSchema(name: "note", fields: fields)]),
            on: 0,
            in: &neighbours
        )
        try neighbours.change(0) { try FieldIndexes($0).ask(for: [Self.asked], container: container, in: &$2) }
        let indexes = try settle(&neighbours, on: 0)
        #expect(indexes.count == FieldIndexes.countMax && indexes.contains(Self.asked))
    }

    @Test func `leave those that existed before requests were recorded`() throws {
        var neighbours = try Neighbours([1])
        _ = try neighbours.zone(of: 0)
        try neighbours.change(0) { try $2.setFieldIndexes([Self.asked], container: container) }
        _ = try declare(schema(.text), on: 0, in: &neighbours)
        #expect(Set(try settle(&neighbours, on: 0)) == [Self.asked, Self.text])
        _ = try declare(schema([]), on: 0, in: &neighbours)
        #expect(try settle(&neighbours, on: 0) == [Self.asked])
    }
}
