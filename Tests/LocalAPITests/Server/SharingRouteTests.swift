import HTTPTypes
import Hummingbird
import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `The routes about sharing` {
    private let node = FakeNode()

    @Test func `list participants`() async throws {
        let (status, json) = try await node.ask(.get, "/v1/zones/notes/shares")
        #expect(status == 200 && json["owner"]?["account"] == .string(FakeNode.account.text))
        #expect(json["owner"]?["devices"]?.elements?.first?["name"] == "lap")
        let participant = try #require(json["participants"]?.elements?.first)
        #expect(participant["rights"] == "append" && participant["delegate"] == true && participant["this"] == false)
        #expect(participant["since"] == "2023-11-14T22:13:20.000Z")
        let capability = try #require(participant["capabilities"]?.elements?.first)
        #expect(capability["capability"] == participant["via"] && capability["depth"] == 1)
        #expect(capability["types"] == ["Comment"] && capability["prefix"] == "c-" && capability["expires_at"] == .null)
        #expect(json["public"]?["authenticated"] == ["read", "create"] && json["public"]?["creator"] == [])
        #expect(json["waits_for"] == [.string(FakeNode.participant.account.text)])
    }

    @Test func `tell applications nothing of devices`() async throws {
        let notes = ApplicationBinding(name: "notes", subject: .user(1), containers: ["org.example"])
        let responder = AskedBy(.bound([notes]), LocalRouter(node: node).makeResponder())
        let answer = try await RouterClient(responder).executeRequest(
            uri: "/v1/zones/notes/shares",
            method: .get,
            headers: [:],
            body: nil
        )
        let text = String(buffer: answer.body)
        #expect(text.contains(FakeNode.participant.account.text))
        for hidden in [FakeNode.device.text, FakeNode.other.text, "her phone", "lap", "kairan://join", "invite-id"] {
            #expect(!text.contains(hidden))
        }
    }

    @Test func `grant rights, and report whether they are new`() async throws {
        let body =
            #"{"account":"someone1","rights":"write","depth":2,"types":["A"],"prefix":"p","expires_s":60}"#
        #expect(try await node.ask(.post, "/v1/zones/notes/shares", body).status == 201)
        let again = try await node.ask(
            .post,
            "/v1/zones/notes/shares",
            #"{"account":"again-and-again","rights":"read"}"#
        )
        #expect(again.status == 200)
        #expect(
            node.calls == ["share with someone1 write 2 [\"A\"] p 60000", "share with again-and-again read 0 []  0"]
        )
    }

    @Test(arguments: [
        (#"{"rights":"read"}"#, "account"), (#"{"account":"a"}"#, "rights"),
        (#"{"account":"a","rights":"owner"}"#, "rights"), (#"{"account":"a","rights":"relay"}"#, "rights"),
        (#"{"account":"a","rights":"read","depth":8}"#, "depth"),
        (#"{"account":"a","rights":"read","types":"A"}"#, "types"),
        (#"{"account":"a","rights":"read","expires_s":59}"#, "expires_s"),
        (#"{"account":"a","rights":"read","delegate":true}"#, "delegate"),
    ])
    func `name the fault of a right`(body: String, field: String) async throws {
        let answer = try await node.ask(.post, "/v1/zones/notes/shares", body)
        #expect(answer.status == 400 && answer.json["field"] == .string(field))
        #expect(node.calls.isEmpty)
    }

    @Test func `revoke rights`() async throws {
        let (status, json) = try await node.ask(.delete, "/v1/zones/notes/shares/someone1?reason=moved%20out")
        #expect(status == 200 && json["revoked"] == [.string(FakeNode.participant.account.text)])
        #expect(json["quarantined"] == 2 && json["remaining"] == "read")
        #expect(json["epoch"] == .string(FakeNode.epoch.text))
        let raised = try await node.ask(.post, "/v1/zones/notes/shares/someone1/raise-cut")
        #expect(raised.json["raised"] == 1 && raised.json["released"] == 3)
        #expect(node.calls == ["revoke someone1 moved out", "raise someone1"])
    }

    @Test func `revoke and keep those below`() async throws {
        let path = "/v1/zones/notes/shares/someone1"
        let (status, json) = try await node.ask(.delete, path + "?keep_below=true")
        #expect(status == 200 && json["kept"] == [.string(FakeNode.participant.account.text)])
        #expect(try await node.ask(.delete, path + "?keep_below=false").json["kept"] == [])
        let wrong = try await node.ask(.delete, path + "?keep_below=yes")
        #expect(wrong.status == 400 && wrong.json["field"] == "keep_below")
        #expect(node.calls == ["revoke someone1  keep", "revoke someone1 "])
    }

    @Test func `begin another key`() async throws {
        let (status, json) = try await node.ask(.post, "/v1/zones/notes/epochs")
        #expect(status == 201 && json["zone"] == .string(FakeNode.zoneID.text))
        #expect(json["epoch"] == .string(FakeNode.epoch.text) && node.calls == ["rotate"])
    }

    @Test func `give a zone up or over`() async throws {
        let left = try await node.ask(.post, "/v1/zones/notes/leave")
        #expect(left.json["rights"] == "none" && left.json["state"] == "left")
        #expect(left.json["zone"] == .string(FakeNode.zoneID.text))
        let kept = try await node.ask(.post, "/v1/zones/notes/transfer", #"{"account":"someone1","keep":"read"}"#)
        #expect(kept.json["keep"] == "read" && kept.json["state"] == "offered")
        #expect(kept.json["account"] == .string(FakeNode.participant.account.text))
        #expect(kept.json["owner"] == .string(FakeNode.account.text))
        #expect(try await node.ask(.post, "/v1/zones/notes/transfer", #"{"account":"b"}"#).json["keep"] == "none")
        #expect(node.calls == ["leave", "transfer to someone1 read", "transfer to b -"])
    }

    @Test func `withdraw the offer of a zone, and answer one`() async throws {
        let requests: [(HTTPRequest.Method, String, JSONValue)] = [
            (.delete, "transfer", "withdrawn"), (.post, "transfer/accept", "accepted"),
            (.post, "transfer/decline", "declined"),
        ]
        for (method, path, state) in requests {
            let (status, json) = try await node.ask(method, "/v1/zones/notes/\(path)")
            #expect(status == 200 && json["state"] == state && json["keep"] == "write")
        }
        #expect(node.calls == ["withdraw the transfer", "accept the transfer", "decline the transfer"])
        #expect(try await node.ask(.get, "/v1/zones/notes/shares").json["transfer"]?["state"] == "offered")
    }

    @Test func `make a zone public`() async throws {
        let body = #"{"world":["read"],"authenticated":["create","write","read"]}"#
        let (status, json) = try await node.ask(.put, "/v1/zones/notes/public", body)
        #expect(status == 200 && json["authenticated"] == ["read", "create", "write"])
        _ = try await node.ask(.put, "/v1/zones/notes/public", #"{"creator":[]}"#)
        #expect(node.calls == ["public 1 7 -", "public - - 0"])
        let wrong = try await node.ask(.put, "/v1/zones/notes/public", #"{"world":["all"]}"#)
        #expect(wrong.status == 400 && wrong.json["field"] == "world")
    }

    @Test func `invite, and withdraw the invitation`() async throws {
        let body = #"{"rights":"write","uses":3,"expires_s":60,"approval":true,"addresses":["h:1"]}"#
        let (status, json) = try await node.ask(.post, "/v1/zones/notes/invites", body)
        #expect(status == 201 && json["link"] == "kairan://join#secret" && json["expires_at"] != nil)
        #expect(json["uses"] == 3 && json["taken"] == 1 && json["approval"] == true && json["state"] == "open")
        #expect(try await node.ask(.post, "/v1/zones/notes/invites", #"{"rights":"read"}"#).status == 200)
        let counted = #"{"rights":"read","countersigner":"relay"}"#
        #expect(try await node.ask(.post, "/v1/zones/notes/invites", counted).json["relay"] == .null)
        #expect(try await node.ask(.delete, "/v1/zones/notes/invites/invite-id").status == 204)
        #expect(
            node.calls == [
                "invite write 0 0 3 60000 true [\"h:1\"]", "invite read 0 0 1 604800000 false []",
                "invite read 0 0 1 604800000 false [] by relay", "withdraw invite-id",
            ]
        )
        for (body, field) in [
            (#"{"uses":1}"#, "rights"), (#"{"rights":"read","uses":0}"#, "uses"),
            (#"{"rights":"read","expires_s":59}"#, "expires_s"), (#"{"rights":"read","approval":1}"#, "approval"),
            (#"{"rights":"read","account":"a"}"#, "account"),
            (#"{"rights":"read","countersigner":"me"}"#, "countersigner"),
        ] {
            #expect(try await node.ask(.post, "/v1/zones/notes/invites", body).json["field"] == .string(field))
        }
    }

    @Test func `open invitations of others`() async throws {
        let joined = try await node.ask(.post, "/v1/joins", #"{"link":"kairan://join#x"}"#)
        #expect(joined.json == ["zone": .string(FakeNode.zoneID.text), "rights": "write", "state": "joined"])
        let later = try await node.ask(.post, "/v1/joins", #"{"link":"later"}"#)
        #expect(later.json == ["zone": .null, "rights": .null, "state": "waiting_approval"])
        #expect(try await node.ask(.post, "/v1/joins", "{}").json["field"] == "link")
        let open = try #require(try await node.ask(.get, "/v1/joins").json.elements?.first)
        #expect(open["invite"] == "invite-id" && open["state"] == "waiting_inviter")
        #expect(open["opened_at"] == "2023-11-14T22:13:20.000Z")
        #expect(open["account"] == .string(FakeNode.participant.account.text))
        #expect(try await node.ask(.delete, "/v1/joins/invite-id").status == 204)
        #expect(node.calls == ["join kairan://join#x", "join later", "joins", "forget invite-id"])
    }

    @Test func `approve and deny`() async throws {
        let listed = try #require(try await node.ask(.get, "/v1/zones/notes/shares").json["requests"]?.elements?.first)
        #expect(listed["request"] == "i1.a1" && listed["waits_for"] == "approval" && listed["asked_at"] != nil)
        #expect(try await node.ask(.post, "/v1/zones/notes/requests/i1.a1/approve").json == ["state": "joined"])
        #expect(
            try await node.ask(.post, "/v1/zones/notes/requests/elsewhere/approve").json == ["state": "waiting_inviter"]
        )
        #expect(try await node.ask(.post, "/v1/zones/notes/requests/i1.a1/deny").json == ["state": "denied"])
        #expect(node.calls.suffix(3) == ["approve i1.a1", "approve elsewhere", "deny i1.a1"])
    }

    @Test func `shut accounts out`() async throws {
        let all = try await node.ask(.get, "/v1/blocks")
        #expect(all.json.elements?.first?["account"] == .string(FakeNode.participant.account.text))
        #expect(try await node.ask(.put, "/v1/blocks/someone1").json["since"] == "2023-11-14T22:13:20.000Z")
        #expect(try await node.ask(.delete, "/v1/blocks/someone1").status == 204)
        #expect(node.calls == ["blocks", "block someone1", "unblock someone1"])
    }

    @Test func `know no other zone`() async throws {
        for (method, path, body) in [
            (HTTPRequest.Method.get, "shares", nil), (.delete, "shares/someone1", nil), (.post, "leave", nil),
            (.post, "shares", #"{"account":"someone1","rights":"read"}"#), (.put, "public", "{}"),
            (.post, "invites", #"{"rights":"read"}"#), (.delete, "invites/i", nil), (.post, "requests/r/deny", nil),
            (.post, "requests/r/approve", nil), (.post, "transfer", #"{"account":"someone1"}"#),
            (.delete, "transfer", nil), (.post, "transfer/accept", nil), (.post, "transfer/decline", nil),
            (.post, "shares/someone1/raise-cut", nil), (.post, "epochs", nil),
        ] {
            #expect(try await node.ask(method, "/v1/zones/other/\(path)", body).json["code"] == "zone.unknown")
        }
    }
}
