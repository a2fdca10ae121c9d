import HTTPTypes
import Hummingbird
import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `The routes about schemas` {
    private let node = FakeNode()

    private func send(
        _ method: HTTPRequest.Method,
        _ path: String = "",
        _ body: String? = nil
    ) async throws -> (status: Int, json: JSONValue) {
        let client = RouterClient(AskedBy(.admin, LocalRouter(node: node).makeResponder()))
        let response = try await client.executeRequest(
            uri: "/v1/containers/org.example.a%2Fb/schema" + path,
            method: method,
            headers: [:],
            body: body.map { ByteBuffer(string: $0) }
        )
        return (response.status.code, try JSONParser.parse(Array(String(buffer: response.body).utf8)))
    }

    private var calls: [String] { node.state.withLock { $0.calls } }

    @Test func `show both, and accept what they show`() async throws {
        let (status, json) = try await send(.get)
        #expect(status == 200 && json["container"] == "org.example.a/b" && json["production"] == .null)
        let development = try #require(json["development"])
        let schema: ContainerSchema = try DaemonClient.decode(json.encoded)
        #expect(schema.development.types.count == 1)
        let (again, _) = try await send(.put, "", String(decoding: development.encoded, as: UTF8.self))
        #expect(again == 200)
        #expect(calls == ["schema org.example.a/b", "declare org.example.a/b true"])
    }

    @Test func `check the development schema, or a given one`() async throws {
        let (status, json) = try await send(.post, "/check")
        #expect(status == 200 && json["promotable"] == false)
        #expect(json["differences"]?.elements?.map { $0["refused"] } == [false, true])
        #expect(json["differences"]?.elements?.last?["reason"] == "why not")
        _ = try await send(.post, "/check", "{}")
        #expect(calls == ["check org.example.a/b true", "check org.example.a/b false"])
    }

    @Test func `promote, or report the refusal`() async throws {
        let (status, json) = try await send(.post, "/promote")
        #expect(status == 200 && json["zones"] == [.string(FakeNode.zoneID.text)])
        let refusal = SchemaDifferenceStatus(
            type: "note",
            field: "a",
            aspect: "kind",
            change: "changed",
            refusal: "why not"
        )
        node.fail(with: NodeError(.schemaNotAdditive, "no", fix: "none", facts: [.differences([refusal])]))
        let (refused, problem) = try await send(.post, "/promote")
        #expect(refused == 409 && problem["code"] == "schema.not_additive")
        let (_, checked) = try await send(.post, "/check")
        #expect(problem["differences"]?.elements?.first == checked["differences"]?.elements?.last)
    }
}
