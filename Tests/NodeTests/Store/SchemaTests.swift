import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Schemas of a container` {
    private func field(_ status: SchemaStatus, _ name: String) -> FieldSchema? {
        status.development.type(named: "Record")?.field(named: name)
    }

    @Test func `are learned from writes, checked, promoted, and in force from then on`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            let container = try await desk.node.zones.zone("notes").container
            #expect(try await desk.node.schemas.schema(container: container).development == Schema())
            try await expectRefusal(.schemaUnknown) { try await desk.node.schemas.promoteSchema(container: container) }
            try await desk.put("a", in: "notes", [("text", .string("x")), ("count", .int64(1))])
            let learnt = try await desk.node.schemas.schema(container: container)
            #expect(field(learnt, "text")?.kind == .string && field(learnt, "count")?.kind == .int64)
            #expect(try await desk.node.schemas.checkSchema(nil, container: container).map(\.change) == ["added"])
            let zone = try await desk.node.zones.zone("notes").zone
            #expect(try await desk.node.schemas.promoteSchema(container: container).zones == [zone])
            #expect(try await desk.node.schemas.promoteSchema(container: container).zones == [])
            try await expectRefusal(.schemaViolation) {
                try await desk.put("a", in: "notes", [("text", .int64(7)), ("other", .string("secret"))])
            }
            do {
                try await desk.put("a", in: "notes", [("text", .int64(7)), ("other", .string("secret"))])
            } catch let error as NodeError {
                let violations = [
                    SchemaViolationStatus(field: "other", rule: "undeclared_field", found: "string of 6"),
                    SchemaViolationStatus(field: "text", rule: "kind", found: "int64"),
                ]
                #expect(error.facts == [.record("a"), .violations(violations), .index(0)])
                #expect(!error.description.contains("secret"))
                let sentences =
                    "\"a\" does not fit its schema: field \"other\" is not declared for the type \"Record\", which has count, text;"
                    + " field \"text\" must be a text, and an int64 was given."
                #expect(error.message == sentences)
            }
            try await desk.put("a", in: "notes", [("text", .string("y"))])
            let changed = Schema(types: [
                RecordTypeSchema(name: "Record", fields: [FieldSchema(name: "text", kind: .bytes)])
            ])
            let differences = try await desk.node.schemas.checkSchema(changed, container: container)
            #expect(differences.map(\.aspect) == ["field", "kind"] && differences.allSatisfy { $0.refusal != nil })
            _ = try await desk.node.schemas.declareSchema(changed, container: container)
            try await expectRefusal(.schemaNotAdditive) {
                try await desk.node.schemas.promoteSchema(container: container)
            }
        }
    }

    @Test func `settle conflicts of a type in which the latest write wins, including existing ones`() async throws {
        try await withNodes { nodes in
            var (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            let container = try await desk.node.zones.zone("notes").container
            try await desk.put("milk", in: "notes", text: "base")
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("base"))
            try await nodes.stop(lap)
            try await desk.put("milk", in: "notes", text: "desk")
            try await nodes.stop(desk)
            lap = try await nodes.start(in: lap.directory)
            try await lap.put("milk", in: "notes", text: "lap")
            desk = try await nodes.start(in: desk.directory, peers: [lap.address])
            for node in [desk, lap] {
                try await node.until("a conflict") { try await $0.conflicts.isOpen("milk", in: "notes") }
            }
            let policy = Schema(types: [
                RecordTypeSchema(
                    name: "Record",
                    fields: [FieldSchema(name: "text", kind: .string)],
                    conflicts: .latest
                )
            ])
            _ = try await desk.node.schemas.declareSchema(policy, container: container)
            _ = try await desk.node.schemas.promoteSchema(container: container)
            for node in [desk, lap] {
                try await node.until("nothing to resolve") { try await !$0.conflicts.isOpen("milk", in: "notes") }
                #expect(try await node.node.records.field("text", of: "milk", in: "notes") == .string("lap"))
            }
            try await converged(zone, desk, lap)
            #expect(try await lap.node.records.record(zone: "notes", name: "milk").conflicts == 0)
        }
    }

    @Test func `are those of the containers that the caller sees`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let node = desk.node.narrowed(to: ZoneScope(containers: ["org.example"], byteCountMax: nil))
            try await expectRefusal(.forbidden) { try await node.schemas.schema(container: "org.other") }
            try await expectRefusal(.forbidden) {
                try await node.schemas.declareSchema(Schema(), container: "org.other")
            }
            try await expectRefusal(.invalidArgument) { try await node.schemas.schema(container: "kairan.account") }
            #expect(try await node.schemas.schema(container: "org.example").production == nil)
        }
    }
}
