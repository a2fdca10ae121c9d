import HTTPTypes
import KairanClient
import Node
import Synchronization
import Testing

@testable import LocalAPI

@Suite struct `The routes about containers` {
    private let node = FakeNode()

    @Test func `report the content of a container`() async throws {
        let (status, json) = try await node.ask(.get, "/v1/containers/org.example")
        #expect(status == 200 && json["container"] == "org.example" && json["zones"] == 1)
        #expect(json["records"] == 2 && json["bytes"] == 300 && json["used_bytes"] == 300)
        #expect(json["limit_bytes"] == 1_000)
        let databases = try #require(json["databases"]?.elements)
        #expect(databases.map { $0["database"] } == ["private", "shared", "public"])
        #expect(databases.first?["zones"]?.elements?.first?["kind"] == "custom")
        #expect(try await node.ask(.get, "/v1/containers").json.elements == [json])
    }

    @Test func `tell a program whether it may write`() async throws {
        let (status, json) = try await node.ask(.get, "/v1/account/status")
        #expect(status == 200 && json["status"] == "available" && json["may_write"] == true)
        #expect(json["reason"] == .null && json["recovering"] == true && json["used_bytes"] == 300)
        let reader = ApplicationBinding(
            name: "notes",
            subject: .user(1),
            containers: ["org.example"],
            isReadOnly: true
        )
        let answer = try await node.ask(.get, "/v1/account/status", as: .bound([reader])).json
        #expect(answer["status"] == "restricted" && answer["may_write"] == false)
        #expect(answer["reason"]?["code"] == "access.read_only")
    }

    @Test func `make the default zone once`() async throws {
        let new = try await node.ask(.post, "/v1/zones", #"{"container":"new","default":true}"#)
        let known = try await node.ask(.post, "/v1/zones", #"{"container":"known","default":true}"#)
        #expect(new.status == 201 && known.status == 200 && known.json["kind"] == "custom")
        #expect(node.calls == ["defaultZone new", "defaultZone known"])
    }

    @Test func `list deleted zones, and accept a reason`() async throws {
        let gone = try #require(try await node.ask(.get, "/v1/gone-zones").json.elements?.first)
        #expect(gone["name"] == "old" && gone["kind"] == "deleted" && gone["reason"] == "done")
        let answer = try await node.ask(.delete, "/v1/zones/notes?reason=moved%20out")
        #expect(answer.status == 204)
        #expect(node.calls.last == "deleteZone notes since moved out")
    }

    @Test func `make a pair zone once`() async throws {
        let new = try await node.ask(.post, "/v1/zones", #"{"container":"new","name":"n","pair_with":"abcdefgh"}"#)
        let known = try await node.ask(.post, "/v1/zones", #"{"container":"known","name":"n","pair_with":"abcdefgh"}"#)
        #expect(new.status == 201 && known.status == 200)
        #expect(node.calls == ["pairZone n new abcdefgh", "pairZone n known abcdefgh"])
    }

    @Test(arguments: [
        (#"{"container":"c","default":true,"name":"n"}"#, "name"),
        (#"{"container":"c","default":true,"history":"full"}"#, "history"),
        (#"{"container":"c","default":true,"pair_with":"abcdefgh"}"#, "pair_with"),
        (#"{"container":"c","name":"n","history":"full","pair_with":"abcdefgh"}"#, "history"),
        (#"{"container":"c","pair_with":"abcdefgh"}"#, "name"),
        (#"{"container":"c","default":1}"#, "default"),
        (#"{"container":"c"}"#, "name"),
        (#"{"default":true}"#, "container"),
    ])
    func `refuse contradictory options`(body: String, field: String) async throws {
        let answer = try await node.ask(.post, "/v1/zones", body)
        #expect(answer.status == 400 && answer.json["field"] == .string(field))
    }
}
