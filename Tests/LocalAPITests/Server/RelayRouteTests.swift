import HTTPTypes
import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `The routes about relays` {
    private let node = FakeNode()

    private static let used: JSONValue = [
        "relay": .string(FakeNode.relay.relay.text),
        "address": "relay.example:7620",
        "addresses": ["relay.example:7620", "[2001:db8::1]:7620"],
        "state": "connected",
        "own": true,
        "accounts": [],
        "stored_bytes": 4_352,
        "quota_bytes": 1_073_741_824,
        "backend": "sqlite",
        "waiting": 2,
        "since": "2023-11-14T22:13:20.000Z",
    ]

    @Test func `list the relays in use and their state`() async throws {
        let (status, json) = try await node.ask(.get, "/v1/relays")
        #expect(status == 200 && json.elements?.first == Self.used)
        let silent = try #require(json.elements?.last)
        #expect(silent["state"] == "unreachable" && silent["waiting"] == 2)
        // A figure that the relay has not reported is null, not left out.
        #expect(silent["own"] == false && silent["accounts"] == [.string(FakeNode.participant.account.text)])
        #expect(["stored_bytes", "quota_bytes", "backend", "since"].allSatisfy { silent[$0] == .null })
        #expect(node.calls == ["relays"])
    }

    @Test func `use one, and report whether that is new`() async throws {
        let (status, json) = try await node.ask(.post, "/v1/relays", #"{"link":"kairan://relay#x"}"#)
        #expect(status == 201 && json == Self.used)
        #expect(try await node.ask(.post, "/v1/relays", #"{"link":"again"}"#).status == 200)
        #expect(try await node.ask(.post, "/v1/relays", "{}").json["field"] == "link")
        #expect(try await node.ask(.delete, "/v1/relays/abcdefgh").status == 204)
        #expect(node.calls == ["use relay kairan://relay#x", "use relay again", "forget relay abcdefgh"])
    }

    @Test func `list the accounts for which parcels are kept, without their links`() async throws {
        let (status, json) = try await node.ask(.get, "/v1/relay/admissions")
        #expect(status == 200 && node.calls == ["admissions"])
        #expect(
            json == [
                [
                    "admission": .string(FakeNode.admission.admission.text),
                    "name": "Ada",
                    "stored_bytes": 0,
                    "quota_bytes": 1_073_741_824,
                    "parcels": 0,
                    "passes": 0,
                    "pass_bytes": 0,
                    "backend": "sqlite",
                    "since": "2023-11-14T22:13:20.000Z",
                ]
            ]
        )
    }

    @Test func `admit an account, with the link shown once, and revoke it`() async throws {
        let body = #"{"name":"Ada","quota_bytes":1048576,"addresses":["h:1","[::1]:2"]}"#
        let (status, json) = try await node.ask(.post, "/v1/relay/admissions", body)
        #expect(status == 201 && json["link"] == "kairan://relay#x" && json["name"] == "Ada")
        #expect(json["admission"] == .string(FakeNode.admission.admission.text) && json["parcels"] == 0)
        #expect(try await node.ask(.post, "/v1/relay/admissions", #"{"name":"Bob"}"#).status == 201)
        #expect(try await node.ask(.delete, "/v1/relay/admissions/abcdefgh").status == 204)
        #expect(node.calls == ["admit Ada 1048576 [\"h:1\", \"[::1]:2\"]", "admit Bob - []", "dismiss abcdefgh"])
    }

    @Test(arguments: [
        ("{}", "name"), (#"{"name":1}"#, "name"), (#"{"name":"a","quota_bytes":1048575}"#, "quota_bytes"),
        (#"{"name":"a","quota_bytes":9007199254740992}"#, "quota_bytes"),
        (#"{"name":"a","quota_bytes":null}"#, "quota_bytes"), (#"{"name":"a","addresses":"h:1"}"#, "addresses"),
        (#"{"name":"a","address":"h:1"}"#, "address"),
    ])
    func `name the fault of an admission`(body: String, field: String) async throws {
        let answer = try await node.ask(.post, "/v1/relay/admissions", body)
        #expect(answer.status == 400 && answer.json["field"] == .string(field), "\(answer)")
        #expect(node.calls.isEmpty)
    }

    @Test func `tell applications nothing`() async throws {
        let notes = ApplicationBinding(name: "notes", subject: .user(1), containers: ["org.example"])
        for (method, path) in [
            (HTTPRequest.Method.get, "relays"), (.post, "relays"), (.delete, "relays/abcdefgh"),
            (.get, "relay/admissions"), (.post, "relay/admissions"), (.delete, "relay/admissions/abcdefgh"),
        ] {
            let answer = try await node.ask(method, "/v1/\(path)", as: .bound([notes]))
            #expect(answer.status == 403 && answer.json["code"] == "access.admin_only", "\(method) \(path)")
        }
        #expect(node.calls.isEmpty)
    }

    @Test func `are the client library's calls`() async throws {
        try await LiveServer.client(node: node) { client, _ in
            let relays = try await client.relays()
            #expect(relays.map(\.state) == [.connected, .unreachable] && relays[0].storedBytes == 4_352)
            #expect(relays[0].addresses.count == 2 && relays[1].quotaBytes == nil && relays[1].backend == nil)
            #expect(try await client.useRelay("kairan://relay#x") == relays[0])
            try await client.forgetRelay("abcdefgh")
            let admissions = try await client.admissions()
            #expect(admissions.map(\.name) == ["Ada"] && admissions[0].link == nil)
            var made = try await client.admit("Ada", quota: 1 << 20, addresses: ["h:1"])
            #expect(made.link == "kairan://relay#x")
            made.link = nil
            #expect(made == admissions[0])
            _ = try await client.admit("Bob")
            try await client.dismiss("abcdefgh")
        }
        #expect(
            node.calls == [
                "relays", "use relay kairan://relay#x", "forget relay abcdefgh", "admissions",
                "admit Ada 1048576 [\"h:1\"]", "admit Bob - []", "dismiss abcdefgh",
            ]
        )
    }

    @Test(arguments: [
        (NodeError.Code.relayBadLink, 400), (.relayUnknown, 404), (.relayOff, 409), (.admissionUnknown, 404),
        (.admissionTooMany, 409),
    ])
    func `have statuses for refusals`(code: NodeError.Code, status: Int) async throws {
        node.fail(with: NodeError(code, "What.", fix: "Do."))
        let answer = try await node.ask(.get, "/v1/relays")
        #expect(answer.status == status && answer.json["code"] == .string(code.rawValue))
        #expect(answer.json["retryable"] == false)
    }
}
