import HTTPTypes
import KairanClient
import NIOCore
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `The routes for assets` {
    private let node = FakeNode()
    private let place = "/v1/zones/notes/records/lake/assets/picture"

    private func say(_ bytes: [UInt8], named name: String = "", _ contentType: String = "image/png") {
        node.state.withLock { state in
            let size = UInt64(bytes.count)
            state.content = ContentPart(
                bytes: bytes,
                byteCount: size,
                contentType: contentType,
                fileName: name,
                validator: FakeNode.assetID.text
            )
            state.contentPartByteCount = 4
        }
    }

    @Test(.timeLimit(.minutes(5))) func `take the content of an asset as it is, with its announced size`() async throws
    {
        let bytes = [UInt8](repeating: 0xFF, count: 300_000)
        let client = RouterClient(AskedBy(.admin, LocalRouter(node: node).makeResponder()))
        let body = ByteBuffer(bytes: bytes)
        let answer = try await client.executeRequest(
            uri: "/v1/zones/notes/assets",
            method: .post,
            headers: [:],
            body: body
        )
        let json = try JSONParser.parse(Array(String(buffer: answer.body).utf8))
        #expect(answer.status == .created)
        #expect(
            json == [
                "asset": .string(FakeNode.payloadID.text), "zone": .string(FakeNode.zoneID.text), "size": 300_000,
            ]
        )
        #expect(node.state.withLock { $0.handedIn } == bytes)
        #expect(node.calls == ["handIn"] && node.state.withLock { $0.announced } == 300_000)
        #expect(try await node.answer(to: .post, "/v1/zones/other/assets", "x").json["code"] == "zone.unknown")
    }

    @Test(.timeLimit(.minutes(5))) func `refuse content that is too large before it is sent`() async throws {
        try await LiveServer.withFakeNode { node, path in
            let large = try RawConnection(path: path)
            let head = "POST /v1/zones/notes/assets HTTP/1.1\r\nHost: localhost\r\n"
            large.send(head + "Content-Length: \(Limits.payloadByteCountMax)\r\n\r\n")
            let answer = await large.receive(until: "limit")
            #expect(answer.hasPrefix("HTTP/1.1 413") && answer.contains("asset.too_large"), "\(answer)")
            #expect(node.calls == [])
        }
        node.fail(with: NodeError(.messageTooLarge, "Too large.", fix: "Divide it."))
        #expect(try await node.answer(to: .post, "/v1/zones/notes/assets", "x").json["code"] == "asset.too_large")
        #expect(try await node.answer(to: .post, "/v1/zones/notes/payloads", "x").json["code"] == "message.too_large")
    }

    @Test func `list the assets of a zone in pages`() async throws {
        say(Array("0123456789".utf8), named: "lake.png")
        let first = try await node.answer(to: .get, "/v1/zones/notes/assets?limit=1")
        let asset: JSONValue = [
            "asset": .string(FakeNode.assetID.text), "zone": .string(FakeNode.zoneID.text), "record": "lake",
            "field": "picture", "size": 10, "media_type": "image/png", "name": "lake.png",
            "modified_at": "2026-07-21T09:30:00.125Z", "state": "present", "percent": 100,
        ]
        #expect(first.status == 200 && first.json == ["assets": [asset], "cursor": "c1"])
        let last = try await node.answer(to: .get, "/v1/zones/notes/assets?after=c1")
        #expect(last.json == ["assets": [asset]])
        #expect(node.calls == ["assets after:- limit:1", "assets after:c1 limit:200"])
    }

    @Test func `name an asset by its record, its field and its item`() async throws {
        say([])
        node.state.withLock { ($0.assetState, $0.assetPercent) = (.partial, 40) }
        let field = try await node.answer(to: .get, place)
        #expect(field.status == 200 && field.json["item"] == nil && field.json["name"] == nil)
        #expect(field.json["state"] == "partial" && field.json["percent"] == 40)
        #expect(try await node.answer(to: .get, place + "?item=1").json["item"] == 1)
        #expect(try await node.answer(to: .get, place + "?item=2").json["code"] == "asset.unknown")
        for wrong in ["", "-1", "x", "1048576", "1.0"] {
            let answer = try await node.answer(to: .get, place + "?item=" + wrong)
            #expect(answer.status == 400 && answer.json["field"] == "item", "\(wrong)")
        }
        let odd = try await node.answer(to: .get, "/v1/zones/notes/records/a%2Fb/assets/c%20d")
        #expect(odd.status == 404 && node.calls.last == "asset a/b.c d")
    }

    @Test func `fetch and cancel`() async throws {
        say([])
        #expect(try await node.answer(to: .post, place + "/fetch").json["asset"] == .string(FakeNode.assetID.text))
        #expect(try await node.answer(to: .post, place + "/cancel?item=1").json["item"] == 1)
        #expect(node.calls == ["fetch lake.picture", "cancel lake.picture[1]"])
    }

    @Test func `evict content by the promises of other devices`() async throws {
        say([])
        let answer = try await node.answer(to: .post, place + "/evict?item=1", #"{"copies":2,"others":true}"#)
        #expect(answer.status == 200 && answer.json["state"] == "evicted" && answer.json["freed"] == 9)
        let holder = answer.json["holders"]?.elements?.first
        #expect(holder?["answer"] == "promised" && holder?["until"] == "1970-01-02T00:00:00.000Z")
        // Without a body one promise of the own account is enough.
        #expect(try await node.answer(to: .post, place + "/evict").status == 200)
        #expect(try await node.answer(to: .post, place + "/evict", "{}").status == 200)
        #expect(
            node.calls == [
                "evict lake.picture[1] copies:2 others:true", "evict lake.picture copies:1 others:false",
                "evict lake.picture copies:1 others:false",
            ]
        )
    }

    @Test func `say which devices have not promised`() async throws {
        say([])
        let answer = try await node.answer(to: .post, place + "/evict", #"{"copies":3}"#)
        #expect(answer.status == 409 && answer.json["code"] == "asset.not_safe")
        #expect(answer.json["retryable"] == false && answer.headers[.retryAfter] == nil)
        #expect(answer.json["holders"]?.elements?.first?["answer"] == "promised")
        for body in [#"{"copies":0}"#, #"{"copies":65}"#, #"{"copies":"1"}"#] {
            let wrong = try await node.answer(to: .post, place + "/evict", body)
            #expect(wrong.status == 400 && wrong.json["field"] == "copies", "\(wrong.text)")
        }
    }

    @Test func `ask which devices hold a content`() async throws {
        let path = "/v1/assets/\(FakeNode.assetID.text)"
        let answer = try await node.answer(to: .get, path + "?holders=true")
        #expect(answer.json["holders"]?.elements?.first?["answer"] == "held")
        #expect(answer.json["promised_until"] == "1970-01-02T00:00:00.000Z")
        let plain = try await node.answer(to: .get, path + "?holders=false")
        #expect(plain.json["holders"] == nil && plain.json["promised_until"] == nil)
        #expect(try await node.answer(to: .get, path + "?holders=1").json["field"] == "holders")
        let id = FakeNode.assetID.text
        #expect(node.calls == ["explain \(id) holders", "explain \(id)"])
    }

    @Test(arguments: [
        (#"{"policy":"never"}"#, "never", #"{"policy":"never","default":false,"relays":true}"#),
        (#"{"policy":"on_demand"}"#, "onDemand", #"{"policy":"on_demand","default":false,"relays":true}"#),
        (#"{"policy":"up_to","up_to":5}"#, "upTo(5)", #"{"policy":"up_to","up_to":5,"default":false,"relays":true}"#),
        (#"{"policy":"up_to","up_to":0}"#, "upTo(0)", #"{"policy":"up_to","up_to":0,"default":false,"relays":true}"#),
        (#"{"policy":"always"}"#, "always", #"{"policy":"always","default":false,"relays":true}"#),
    ])
    func `set the policy of a zone`(body: String, policy: String, text: String) async throws {
        let path = "/v1/zones/notes/assets/policy"
        let answer = try await node.answer(to: .put, path, body)
        #expect(answer.status == 200 && answer.text == text)
        #expect(node.calls == ["setPolicy \(policy)"])
        #expect(try await node.answer(to: .delete, path).text == #"{"policy":"always","default":true,"relays":true}"#)
        #expect(try await node.answer(to: .get, path).text == #"{"policy":"always","default":true,"relays":true}"#)
    }

    @Test func `set whether relays keep the contents of a zone`() async throws {
        let path = "/v1/zones/notes/assets/policy"
        let answer = try await node.answer(to: .put, path, #"{"relays":false}"#)
        #expect(answer.status == 200 && answer.text == #"{"policy":"always","default":true,"relays":false}"#)
        #expect(node.calls == ["setKeptAtRelays false"])
        let both = try await node.answer(to: .put, path, #"{"policy":"never","relays":true}"#)
        #expect(both.status == 200)
        #expect(node.calls == ["setKeptAtRelays false", "setKeptAtRelays true", "setPolicy never"])
        let refused = try await node.answer(to: .put, path, #"{"relays":"no"}"#)
        #expect(refused.status == 400 && refused.json["field"] == "relays" && node.calls.count == 3)
    }

    @Test(arguments: [
        ("{}", "policy"), (#"{"policy":"sometimes"}"#, "policy"), (#"{"policy":"up_to"}"#, "up_to"),
        (#"{"policy":"up_to","up_to":-1}"#, "up_to"), (#"{"policy":"up_to","up_to":9007199254740992}"#, "up_to"),
        (#"{"policy":"always","up_to":5}"#, "up_to"), (#"{"policy":"always","upto":5}"#, "upto"),
    ])
    func `refuse a policy that is none`(body: String, field: String) async throws {
        let answer = try await node.answer(to: .put, "/v1/zones/notes/assets/policy", body)
        #expect(answer.status == 400 && answer.json["field"] == .string(field), "\(answer.text)")
        #expect(node.calls.isEmpty)
    }

    @Test func `explain an asset, and collect those without a record`() async throws {
        let id = FakeNode.assetID.text
        let answer = try await node.answer(to: .get, "/v1/assets/\(id)")
        #expect(answer.json["state"] == "unresolved" && answer.json["reasons"] == ["No device has it."])
        #expect(answer.json["places"]?.elements?.first?["item"] == 1)
        #expect(answer.json["kept_until"] == "1970-01-08T00:00:00.000Z")
        #expect(try await node.answer(to: .get, "/v1/assets/none").json["code"] == "asset.unknown")
        let list = try await node.answer(to: .post, "/v1/assets/collect", #"{"dry_run":true}"#)
        #expect(list.json["dropped"] == 0 && list.json["bytes"] == 9)
        #expect(list.json["assets"]?.elements?.first?["until"] == "1970-01-08T00:00:00.000Z")
        #expect(try await node.answer(to: .post, "/v1/assets/collect", "{}").json["dropped"] == 1)
        // Its segment is a name of its own here, and no id.
        let wrong = try await node.answer(to: .get, "/v1/assets/collect")
        #expect(wrong.status == 405 && wrong.headers[.allow] == "POST")
        let other = try await node.answer(to: .post, "/v1/assets/\(id)", "{}")
        #expect(other.status == 405 && other.headers[.allow] == "GET")
    }

    @Test func `answer with the content as a file of its name`() async throws {
        say(Array("0123456789".utf8), named: "mein Föto.png")
        let answer = try await node.answer(to: .get, place + "/content")
        #expect(answer.status == 200 && answer.text == "0123456789" && answer.headers[.contentLength] == "10")
        #expect(answer.headers[.contentType] == "image/png" && answer.headers[.cacheControl] == "no-store")
        #expect(answer.headers[.acceptRanges] == "bytes" && answer.headers[.eTag] == "\"\(FakeNode.assetID.text)\"")
        #expect(answer.headers[.contentDisposition] == "attachment; filename*=UTF-8''mein%20F%C3%B6to.png")
        #expect(node.calls == [0, 4, 8].map { "content of lake.picture \($0) 30000" })
        say(Array("a".utf8), "")
        let plain = try await node.answer(to: .get, place + "/content?item=1")
        #expect(plain.headers[.contentDisposition] == "attachment")
        #expect(plain.headers[.contentType] == "application/octet-stream")
    }

    @Test(arguments: [
        ("a.txt", "a.txt"), ("100%", "100%25"), ("a\"b;c", "a%22b%3Bc"), ("a\r\nX-Evil: 1", "a%0D%0AX-Evil%3A%201"),
        ("..a", "..a"), ("ü😀", "%C3%BC%F0%9F%98%80"), ("!#$&+-.^_`|~", "!#$&+-.^_`|~"), ("a*b'c", "a%2Ab%27c"),
        ("\u{202E}gpj.exe", "%E2%80%AEgpj.exe"),
    ])
    func `encode every name of a file`(name: String, text: String) {
        #expect(ContentDisposition.attachment(name) == "attachment; filename*=UTF-8''\(text)")
    }

    @Test(arguments: [
        ("bytes=0-", "0123456789", "0-9"), ("bytes=3-", "3456789", "3-9"), ("bytes=2-7", "234567", "2-7"),
        ("bytes=9-9", "9", "9-9"), ("bytes=4-99", "456789", "4-9"),
    ])
    func `answer with a range of the content`(range: String, text: String, bounds: String) async throws {
        say(Array("0123456789".utf8), named: "a")
        let answer = try await node.answer(to: .get, place + "/content?wait_ms=7", headers: [.range: range])
        #expect(answer.status == 206 && answer.text == text, "\(answer)")
        #expect(answer.headers[.contentRange] == "bytes \(bounds)/10")
        #expect(answer.headers[.contentDisposition]?.hasPrefix("attachment") == true && answer.headers[.eTag] != nil)
        #expect(node.calls.first?.hasSuffix(" 7") == true)
        let beyond = try await node.answer(to: .get, place + "/content", headers: [.range: "bytes=10-"])
        #expect(beyond.status == 416 && beyond.headers[.contentRange] == "bytes */10" && beyond.json["size"] == 10)
    }

    @Test func `answer with the whole content where the caller has the beginning of another one`() async throws {
        say(Array("0123456789".utf8))
        let tag = "\"\(FakeNode.assetID.text)\""
        let path = place + "/content"
        let same = try await node.answer(to: .get, path, headers: [.range: "bytes=3-", .ifRange: tag])
        #expect(same.status == 206 && same.text == "3456789" && same.headers[.eTag] == tag)
        for other in ["\"other\"", FakeNode.assetID.text, "W/" + tag, "Tue, 21 Jul 2026 09:30:00 GMT"] {
            for range in ["bytes=3-", "bytes=10-"] {
                let answer = try await node.answer(to: .get, path, headers: [.range: range, .ifRange: other])
                #expect(answer.status == 200 && answer.text == "0123456789", "\(other) \(range)")
                #expect(answer.headers[.contentRange] == nil && answer.headers[.eTag] == tag)
            }
        }
        let alone = try await node.answer(to: .get, path, headers: [.ifRange: "\"other\""])
        #expect(alone.status == 200 && alone.text == "0123456789")
    }

    @Test(arguments: [(NodeError.Code.assetUnavailable, 503), (.assetNotWanted, 409), (.assetUnknown, 404)])
    func `say why there is no content`(code: NodeError.Code, status: Int) async throws {
        say(Array("0123".utf8))
        node.state.withLock {
            $0.contentFailure = (0, NodeError(code, "No.", fix: "None.", facts: [.state("missing")]))
        }
        let answer = try await node.answer(to: .get, place + "/content?wait_ms=0")
        #expect(answer.status == status && answer.json["code"] == .string(code.rawValue))
        #expect(answer.json["state"] == "missing")
        #expect((answer.headers[.retryAfter] != nil) == (code == .assetUnavailable))
        #expect(answer.headers[.contentDisposition] == nil)
        let wrong = try await node.answer(to: .get, place + "/content?wait_ms=300001")
        #expect(wrong.status == 400 && wrong.json["field"] == "wait_ms")
    }

    @Test(.timeLimit(.minutes(5))) func `break an answer off whose record names other content meanwhile`() async throws
    {
        say(Array("01234567".utf8))
        node.state.withLock { state in
            state.whenContentRead = { state, offset in
                if offset == 4 { state.content.validator = "other" }
            }
        }
        try await LiveServer.withDirectory { [node, place] directory in
            try await LiveServer.run(node: node, in: directory) { path, _ in
                let connection = try RawConnection(path: path)
                connection.send("GET \(place)/content HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let answer = await connection.receive(until: "4567")
                #expect(answer.hasPrefix("HTTP/1.1 200") && !answer.contains("4567"), "\(answer)")
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `end the wait of a reader that has left`() async throws {
        say(Array("0123".utf8))
        let (left, continuation) = AsyncStream.makeStream(of: Void.self)
        node.state.withLock { state in
            state.contentFailure = (0, NodeError(.assetUnavailable, "No.", fix: "Wait."))
            // Until the task is cancelled.
            state.gate = { for await _ in left {} }
        }
        defer { continuation.finish() }
        try await LiveServer.withDirectory { [node, place] directory in
            try await LiveServer.run(node: node, in: directory) { path, _ in
                do {
                    let connection = try RawConnection(path: path)
                    connection.send("GET \(place)/content HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    while node.calls.isEmpty { await Task.yield() }
                }
                while !node.state.withLock({ $0.hasSeenCancellation }) { await Task.yield() }
                try await LiveServer.expectServed(path)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `report changes of assets on streams`() async throws {
        try await LiveServer.client(node: node) { [node] client, _ in
            var iterator = try await client.events(zone: "notes").makeAsyncIterator()
            _ = try await iterator.next()
            let feed = try #require(node.state.withLock { $0.events })
            let event = AssetEvent(zone: FakeNode.zoneID, asset: FakeNode.assetID, state: .partial, percent: 40)
            feed.yield(.asset(event))
            let told = try #require(try await iterator.next())
            guard case .asset(let change) = told.kind else {
                Issue.record("it is another event")
                return
            }
            #expect(change.zone == FakeNode.zoneID.text && change.asset == FakeNode.assetID.text)
            #expect(change.state == .partial && change.percent == 40 && told.number == 1 && told.token == nil)
        }
    }
}
