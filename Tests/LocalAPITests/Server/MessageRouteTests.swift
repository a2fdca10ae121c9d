import HTTPTypes
import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `The routes about messages` {
    private let node = FakeNode()

    private let path = "/v1/zones/notes/messages"
    private let id = FakeNode.messageID

    @Test func `send a text to all`() async throws {
        let (status, json) = try await node.ask(.post, path, #"{"text":"Grüße"}"#)
        #expect(status == 201 && node.calls == ["send 7 text/plain; charset=utf-8 [] - -"])
        #expect(
            json == [
                "message": .string(id), "zone": .string(FakeNode.zoneID.text), "number": 7,
                "from": .string(FakeNode.account.text), "from_name": "Alice", "device": .string(FakeNode.device.text),
                "sent_at": "2023-11-14T22:13:20.000Z", "size": 7, "content_type": "text/plain; charset=utf-8",
                "text": "Grüße", "to": [], "state": "sent",
            ]
        )
    }

    @Test func `send bytes to some, for a while`() async throws {
        let body = #"{"data":"AP8=","content_type":"image/png","to":["someone1"],"expires_in_ms":1000}"#
        let (status, json) = try await node.ask(.post, path, body)
        #expect(status == 201 && node.calls == ["send 2 image/png [\"someone1\"] - 1000"])
        #expect(json["data"] == "AP8=" && json["text"] == nil && json["expires_at"] == "2023-11-14T22:13:21.000Z")
        #expect(json["to"] == [.string(FakeNode.participant.account.text)])
        _ = try await node.ask(.post, path, #"{"data":""}"#)
        #expect(node.calls.last == "send 0 application/octet-stream [] - -")
    }

    @Test func `send an uploaded payload`() async throws {
        let payload = FakeNode.payloadID.text
        node.state.withLock { $0.handedIn = [1, 2, 3] }
        let (status, json) = try await node.ask(.post, path, #"{"payload":"\#(payload)"}"#)
        #expect(status == 201 && node.calls == ["send \(payload) application/octet-stream [] - -"])
        #expect(json["payload"] == ["payload": .string(payload), "state": "present", "percent": 100])
        #expect(json["text"] == nil && json["data"] == nil && json["size"] == 3)
        _ = try await node.ask(.post, path, #"{"payload":"\#(payload)","content_type":"image/png","to":["someone1"]}"#)
        #expect(node.calls.last == "send \(payload) image/png [\"someone1\"] - -")
        let unknown = try await node.ask(.post, path, #"{"payload":"other"}"#)
        #expect(unknown.status == 404 && unknown.json["code"] == "payload.unknown")
    }

    @Test func `report how much of a payload is here`() async throws {
        node.state.withLock { $0.payload = PayloadProgress(id: FakeNode.payloadID, state: .fetching, percent: 40) }
        let json = try await node.ask(.get, path).json["messages"]?.elements?.first
        #expect(json?["state"] == "fetching" && json?["text"] == nil && json?["size"] == 3_145_728)
        #expect(json?["payload"]?["state"] == "fetching" && json?["payload"]?["percent"] == 40)
        node.state.withLock { $0.payload = PayloadProgress(id: FakeNode.payloadID, state: .absent, percent: 0) }
        #expect(try await node.ask(.get, path).json["messages"]?.elements?.first?["payload"]?["state"] == "absent")
    }

    @Test(arguments: [("reply_to", "reply"), ("edits", "edit"), ("reacts_to", "reaction")])
    func `send a message about another one`(name: String, kind: String) async throws {
        let (status, json) = try await node.ask(.post, path, #"{"text":"a","\#(name)":"\#(id)"}"#)
        #expect(status == 201 && json[name] == .string(id))
        #expect(node.calls == ["send 1 text/plain; charset=utf-8 [] \(kind) \(id) -"])
    }

    @Test func `take as many bytes as a message has, however they are escaped`() async throws {
        let escaped = String(repeating: #"\u0001"#, count: 16 << 10)
        #expect(try await node.ask(.post, path, "{\"text\":\"\(escaped)\"}").status == 201)
        #expect(node.calls == ["send 16384 text/plain; charset=utf-8 [] - -"])
    }

    @Test(arguments: [
        ("{}", "text"), (#"{"text":"a","data":"YQ=="}"#, "data"), (#"{"text":1}"#, "text"), (#"{"data":"YQ"}"#, "data"),
        (#"{"text":"a","to":"x"}"#, "to"), (#"{"text":"a","edits":"m","reply_to":"m"}"#, "edits"),
        (#"{"text":"a","payload":"x"}"#, "payload"), (#"{"data":"","payload":"x"}"#, "payload"),
        (#"{"payload":1}"#, "payload"), (#"{"text":"a","expires_in_ms":0}"#, "expires_in_ms"),
        (#"{"text":"a","subject":"b"}"#, "subject"),
        (#"{"text":"a","reply_to":null}"#, "reply_to"),
    ])
    func `refuse an invalid message, with the position`(body: String, field: String) async throws {
        let (status, json) = try await node.ask(.post, path, body)
        #expect(status == 400 && json["code"] == "invalid_argument" && json["field"] == .string(field))
        #expect(node.calls.isEmpty)
    }

    @Test(arguments: [
        ("text/plain", "Milk", "text"), ("Text/HTML; charset=utf-8", "Milk", "text"), ("text/plain", nil, "data"),
        ("application/json", "{}", "data"), ("", "Milk", "data"), ("texture/png", "Milk", "data"),
    ])
    func `show text as text if it is declared and valid`(type: String, text: String?, member: String) throws {
        let json = try FakeNode.message(contentType: type, content: text.map { Array($0.utf8) } ?? [0xC0, 0x80]).json
        #expect(["text", "data"].filter { json[$0] != nil } == [member])
    }

    @Test func `leave out unreadable records`() throws {
        let json = try FakeNode.message(content: nil, state: .forOthers).json
        #expect(json["text"] == nil && json["data"] == nil && json["state"] == "for_others" && json["size"] == 5)
    }

    @Test func `list the messages of a zone, page by page`() async throws {
        let first = try await node.ask(.get, path + "?limit=1")
        #expect(first.status == 200 && first.json["next"] == 7)
        #expect(first.json["messages"]?.elements?.count == 1)
        let rest = try await node.ask(.get, path + "?after=7")
        #expect(rest.json["next"] == nil && rest.json["messages"]?.elements?.first?["number"] == 9)
        #expect(node.calls == ["messages after:- limit:1", "messages after:7 limit:200"])
        for query in ["?after=", "?after=-1", "?after=x", "?limit=0", "?limit=1001", "?since=1"] {
            #expect(try await node.ask(.get, path + query).json["code"] == "invalid_argument", "\(query)")
        }
    }

    @Test func `report the state of a message`() async throws {
        let (status, json) = try await node.ask(.get, "/v1/messages/\(id)")
        #expect(status == 200 && json["message"] == .string(id))
        let deliveries = try #require(json["deliveries"]?.elements)
        #expect(deliveries.map { $0["state"] } == ["queued", "read"])
        #expect(deliveries.last?["device"] == .string(FakeNode.other.text))
        #expect(deliveries.last?["account"] == .string(FakeNode.participant.account.text))
        let missing = try await node.ask(.get, "/v1/messages/none")
        #expect(missing.status == 404 && missing.json["code"] == "message.unknown")
    }

    @Test func `deliver waiting messages until they are finished`() async throws {
        #expect(try await node.ask(.get, "/v1/inbox").json == ["messages": []])
        node.state.withLock { $0.inbox = [FakeNode.message()] }
        for _ in 0..<2 {
            let (status, json) = try await node.ask(.get, "/v1/inbox?limit=5&wait_ms=60000")
            #expect(status == 200 && json["messages"]?.elements?.first?["state"] == "waiting")
        }
        for _ in 0..<2 { #expect(try await node.ask(.post, "/v1/messages/\(id)/finish").status == 204) }
        #expect(try await node.ask(.get, "/v1/inbox").json == ["messages": []])
        #expect(try await node.ask(.post, "/v1/messages/none/finish").status == 404)
        #expect(node.calls.contains("inbox - 5 60000") && node.calls.contains("inbox - 200 0"))
        node.state.withLock { $0.inbox = [FakeNode.message()] }
        #expect(try await node.ask(.get, "/v1/inbox?after=6").json["messages"]?.elements?.count == 1)
        #expect(try await node.ask(.get, "/v1/inbox?after=7").json == ["messages": []])
        for query in ["?wait_ms=60001", "?wait_ms=-1", "?limit=0", "?after=-1", "?since=1"] {
            #expect(try await node.ask(.get, "/v1/inbox" + query).json["code"] == "invalid_argument", "\(query)")
        }
    }

    @Test func `are sent together, or none of them with the place of the first that is refused`() async throws {
        let two = #"{"messages":[{"text":"a"},{"text":"b","content_type":"text/markdown"}]}"#
        let (status, json) = try await node.ask(.post, path + "/batch", two)
        #expect(status == 201 && json["messages"]?.elements?.count == 2)
        #expect(json["messages"]?.elements?.last?["content_type"] == "text/markdown")
        let refused = try await node.ask(.post, path + "/batch", #"{"messages":[{"text":"a"},{"payload":"x"}]}"#)
        #expect(refused.status == 404 && refused.json["code"] == "payload.unknown" && refused.json["index"] == 1)
        let misspelt = try await node.ask(.post, path + "/batch", #"{"messages":[{"text":"a"},{"txt":"b"}]}"#)
        #expect(misspelt.json["code"] == "invalid_argument" && misspelt.json["field"] == "messages[1].txt")
        for body in ["{}", #"{"messages":[]}"#, #"{"messages":{}}"#] {
            #expect(try await node.ask(.post, path + "/batch", body).json["field"] == "messages", "\(body)")
        }
        // Their number is checked before any of them is read.
        let many = Array(repeating: "1", count: 257).joined(separator: ",")
        let large = try await node.ask(.post, path + "/batch", #"{"messages":[\#(many)]}"#)
        #expect(large.json["code"] == "batch.too_large" && large.json["limit"] == 256)
        #expect(large.json["title"] == "The request is about too much")
    }

    @Test func `are finished together, and one that cannot be keeps no other from it`() async throws {
        node.state.withLock { $0.inbox = [FakeNode.message()] }
        let (status, json) = try await node.ask(.post, "/v1/inbox/finish", #"{"messages":["none","\#(id)"]}"#)
        #expect(status == 200 && json["finished"] == 1)
        let refused = try #require(json["refused"]?.elements)
        #expect(refused.count == 1 && refused.first?["message"] == "none")
        #expect(refused.first?["problem"]?["code"] == "message.unknown")
        #expect(try await node.ask(.get, "/v1/inbox").json == ["messages": []])
        for body in ["{}", #"{"messages":[]}"#, #"{"messages":[1]}"#] {
            #expect(try await node.ask(.post, "/v1/inbox/finish", body).json["field"] == "messages", "\(body)")
        }
        let many = Array(repeating: "1", count: 1_001).joined(separator: ",")
        let large = try await node.ask(.post, "/v1/inbox/finish", #"{"messages":[\#(many)]}"#)
        #expect(large.json["code"] == "batch.too_large" && large.json["limit"] == 1_000)
        #expect(large.json["title"] == "The request is about too much")
    }

    @Test func `are finished up to a number, of all zones or of one`() async throws {
        let path = "/v1/inbox/finish"
        node.state.withLock { $0.inbox = [FakeNode.message(), FakeNode.message(number: 9)] }
        let (status, json) = try await node.ask(.post, path, #"{"through":8}"#)
        #expect(status == 200 && json == ["finished": 1, "refused": []])
        #expect(try await node.ask(.post, path, #"{"through":9.0,"zone":"notes"}"#).json["finished"] == 1)
        #expect(node.calls.contains("finish through 8 -") && node.calls.contains("finish through 9 notes"))
        #expect(try await node.ask(.post, path, #"{"through":9,"zone":"other"}"#).json["code"] == "zone.unknown")
        for (body, field) in [
            (#"{"through":-1}"#, "through"), (#"{"through":"9"}"#, "through"), (#"{"zone":"notes"}"#, "zone"),
            (#"{"through":9,"zone":null}"#, "zone"), (#"{"through":9,"messages":["x"]}"#, "messages"),
        ] {
            #expect(try await node.ask(.post, path, body).json["field"] == .string(field), "\(body)")
        }
    }

    @Test func `name a zone that there is not`() async throws {
        for (method, body) in [(HTTPRequest.Method.get, nil), (.post, #"{"text":"a"}"#)] as [(_, String?)] {
            #expect(try await node.ask(method, "/v1/zones/other/messages", body).json["code"] == "zone.unknown")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `end the wait of a disconnected client`() async throws {
        let (entered, continuation) = AsyncStream.makeStream(of: Void.self)
        node.state.withLock { state in
            state.gate = {
                continuation.yield()
                let (never, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
            }
        }
        try await LiveServer.client(node: node) { [node] client, _ in
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await client.inbox(waitMilliseconds: 60_000) }
                var arrivals = entered.makeAsyncIterator()
                _ = await arrivals.next()
                group.cancelAll()
                await #expect(throws: CancellationError.self) { try await group.next() }
            }
            while !node.state.withLock({ $0.hasSeenCancellation }) { await Task.yield() }
        }
    }
}
