import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `The content of an answer` {
    private let large = FieldValue.bytes(Array(repeating: 7, count: 1_000_000))

    /// A zone with 40 records of nearly a MiB, more than one answer holds.
    private func fill(_ desk: RunningNode) async throws -> [String] {
        try await desk.makeZone("notes")
        let names = (10..<50).map { "n\($0)" }
        for name in names { try await desk.put(name, in: "notes", [("large", large), ("small", .int64(1))]) }
        return names
    }

    @Test func `is bounded, and the rest is in the next one`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let names = try await fill(desk)
            let first = try await desk.node.records.list(zone: "notes", after: nil, limit: 1_000)
            #expect(first.records.count < 40 && first.records.count >= 32 && first.next == first.records.last?.name)
            let rest = try await desk.node.records.list(zone: "notes", after: first.next, limit: 1_000)
            #expect((first.records + rest.records).map(\.name) == names && rest.next == nil)
            let fetched = try await desk.node.records.fetch(names, zone: "notes", keys: nil)
            let codes = fetched.map { result -> NodeError.Code? in
                if case .failure(let error) = result { error.code } else { nil }
            }
            #expect(codes.first == .some(nil) && codes.last == .answerTooLarge && codes.count == 40)
            let small = try await desk.node.records.fetch(names, zone: "notes", keys: DesiredKeys(["small"]))
            #expect(try small.map { try $0.get().fields.map(\.name) } == Array(repeating: ["small"], count: 40))
            // A batch whose records would be too large together is refused before any of it is written.
            let batch = names.map { RecordDraft(name: $0, fields: [(name: "small", value: .int64(2))]) }
            let refused = await #expect(throws: NodeError.self) {
                try await desk.node.records.write(batch, zone: "notes", atomic: false)
            }
            #expect(refused?.code == .batchTooLarge)
            #expect(try await desk.node.records.field("small", of: "n10", in: "notes") == .int64(1))
        }
    }
}
