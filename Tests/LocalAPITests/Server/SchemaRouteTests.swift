import HTTPTypes
import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `The routes about schemas` {
    private static let path = "/v1/containers/org.example.a%2Fb/schema"

    private let node = FakeNode()

    @Test func `show both, and accept what they show`() async throws {
        let (status, json) = try await node.ask(.get, Self.path)
        #expect(status == 200 && json["container"] == "org.example.a/b" && json["production"] == .null)
        let development = try #require(json["development"])
        let schema: ContainerSchema = try DaemonClient.decode(json.encoded)
        #expect(schema.development.types.count == 1)
        let (again, _) = try await node.ask(.put, Self.path, String(decoding: development.encoded, as: UTF8.self))
        #expect(again == 200)
        #expect(node.calls == ["schema org.example.a/b", "declare org.example.a/b true"])
    }

    @Test func `check the development schema, or a given one`() async throws {
        let (status, json) = try await node.ask(.post, "\(Self.path)/check")
        #expect(status == 200 && json["promotable"] == false)
        #expect(json["differences"]?.elements?.map { $0["refused"] } == [false, true])
        #expect(json["differences"]?.elements?.last?["reason"] == "why not")
        _ = try await node.ask(.post, "\(Self.path)/check", "{}")
        #expect(node.calls == ["check org.example.a/b true", "check org.example.a/b false"])
    }

    @Test func `promote, or report the refusal`() async throws {
        let (status, json) = try await node.ask(.post, "\(Self.path)/promote")
        #expect(status == 200 && json["zones"] == [.string(FakeNode.zoneID.text)])
        let refusal = SchemaDifferenceStatus(
            type: "note",
            field: "a",
            aspect: "kind",
            change: "changed",
            refusal: "why not"
        )
        node.fail(with: NodeError(.schemaNotAdditive, "no", fix: "none", facts: [.differences([refusal])]))
        let (refused, problem) = try await node.ask(.post, "\(Self.path)/promote")
        #expect(refused == 409 && problem["code"] == "schema.not_additive")
        let (_, checked) = try await node.ask(.post, "\(Self.path)/check")
        #expect(problem["differences"]?.elements?.first == checked["differences"]?.elements?.last)
    }
}
