import Queries
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Indexes that a schema asks for` {
    private static let text = FieldIndex(type: "Record", field: .named("text"), kind: .text)

    private func schema(_ indexes: IndexKinds) -> Schema {
        let field = FieldSchema(name: "text", kind: .string, indexes: indexes)
        return Schema(types: [RecordTypeSchema(name: "Record", fields: [field])])
    }

    /// Waits beside the builder, which works between commits.
    private func wait(_ node: Node, until fact: ([FieldIndexStatus]) -> Bool) async throws {
        while !fact(try await node.indexes.fieldIndexes(container: "tests")) {
            try await node.store.commits.perform { _ in () }
        }
    }

    @Test func `are built on another device once it learns of them, and dropped when no schema asks for them`()
        async throws
    {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            let zone = try await desk.makeZone("notes")
            for number in 0..<5 { try await desk.put("n\(number)", in: "notes", text: "quick \(number)") }
            try await pair(desk, lap)
            try await lap.untilField("text", of: "n4", in: zone.text, is: .string("quick 4"))
            let pattern = try #require(TextPattern("quick 3"))
            let query = QueryRequest(query: Query(type: "Record", predicate: .matches(.named("text"), pattern)))
            try await expectRefusal(.queryNotIndexed) { try await lap.node.records.query(zone: zone.text, query) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for node in [desk.node, lap.node] { group.addTask { await node.indexing.run() } }
                _ = try await desk.node.schemas.declareSchema(schema(.text), container: "tests")
                for node in [desk.node, lap.node] {
                    try await wait(node) { $0 == [FieldIndexStatus(index: Self.text, isReady: true, isDeclared: true)] }
                    let found = try await node.records.query(zone: zone.text, query).records.map(\.name)
                    #expect(found == ["n3"])
                }
                let due = FieldIndex(type: "Record", field: .named("due"), kind: .value)
                let asked = try await lap.node.indexes.setFieldIndexes([due], container: "tests")
                #expect(asked.map(\.isDeclared) == [false, true] || asked.map(\.isDeclared) == [true, false])
                _ = try await desk.node.schemas.declareSchema(schema([]), container: "tests")
                try await wait(desk.node) { $0.isEmpty }
                try await wait(lap.node) { $0.map(\.index) == [due] }
                group.cancelAll()
            }
        }
    }
}
