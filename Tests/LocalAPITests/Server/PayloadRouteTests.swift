import FoundationEssentials
import HTTPTypes
import Hummingbird
import KairanClient
import NIOCore
import Node
import ServiceLifecycle
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `An upload of a payload` {
    private static let path = "/v1/zones/notes/payloads"

    private static func head(_ rest: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(rest)\r\n\r\n"
    }

    @Test(arguments: [[], [0], Array("{\"a\":".utf8), [UInt8](repeating: 0xFF, count: 300_000)])
    func `accepts any bytes unchanged`(bytes: [UInt8]) async throws {
        let node = FakeNode()
        let client = RouterClient(AskedBy(.admin, LocalRouter(node: node).makeResponder()))
        let body = ByteBuffer(bytes: bytes)
        let response = try await client.executeRequest(uri: Self.path, method: .post, headers: [:], body: body)
        let json = try JSONParser.parse(Array(String(buffer: response.body).utf8))
        #expect(response.status == .created && response.headers[.contentType] == "application/json")
        #expect(
            json == [
                "payload": .string(FakeNode.payloadID.text), "zone": .string(FakeNode.zoneID.text),
                "size": .integer(Int64(bytes.count)),
            ]
        )
        #expect(node.state.withLock { $0.handedIn } == bytes)
    }

    @Test(.timeLimit(.minutes(5))) func `reads no faster than the node keeps`() async throws {
        let bytes = (0...UInt8.max).flatMap { [UInt8](repeating: $0, count: 65_536) }
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        try await LiveServer.withFakeNode { node, path in
            // The upload waits until it is released the first time, and never after that.
            node.state.withLock { $0.whenHandedIn = { _ in for await _ in held {} } }
            let connection = try RawConnection(path: path)
            connection.send(Self.head("Content-Length: \(bytes.count)"))
            var rest = bytes[...]
            // The socket takes some of it, and the part that is read ahead; then nothing more before the node goes
            // on.
            var quietCount = 0
            while quietCount < 50, !rest.isEmpty {
                let count = connection.sendWhatFits(rest)
                rest = rest.dropFirst(count)
                quietCount = count > 0 ? 0 : quietCount + 1
                try await LiveServer.expectServed(path)
            }
            #expect(bytes.count - rest.count < 8 << 20, "\(bytes.count - rest.count)")
            release.finish()
            while !rest.isEmpty {
                rest = rest.dropFirst(connection.sendWhatFits(rest))
                await Task.yield()
            }
            #expect(await connection.receive(until: "}").hasPrefix("HTTP/1.1 201"))
            #expect(node.state.withLock { $0.handedIn } == bytes)
            #expect(node.state.withLock { $0.announced } == UInt64(bytes.count))
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["Content-Length: 10", "Transfer-Encoding: chunked"])
    func `keeps nothing of a body that breaks off`(length: String) async throws {
        try await LiveServer.withFakeNode { node, path in
            let body = length.hasPrefix("T") ? "5\r\nhello\r\n" : "hello"
            let half = try RawConnection(path: path)
            half.send(Self.head(length) + body)
            while node.state.withLock({ $0.handedIn.count < 5 }) { await Task.yield() }
            half.shutDownWriting()
            let answer = await half.receive(until: "fix")
            #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("request.cut_short"), "\(answer)")
            #expect(node.calls == ["handIn", "abandoned"])
            do {
                let gone = try RawConnection(path: path)
                gone.send(Self.head(length) + body)
                while node.state.withLock({ $0.handedIn.count < 5 || $0.calls.count < 3 }) { await Task.yield() }
            }
            while node.state.withLock({ $0.calls.count < 4 }) { await Task.yield() }
            #expect(node.calls.last == "abandoned")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `waits so long for the next piece, and no longer`() async throws {
        let node = FakeNode()
        let (body, source) = RequestBody.makeStream()
        await source.yield(ByteBuffer(string: "hello"))
        let request = Request(
            head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: Self.path),
            body: body
        )
        let route = HandInRoute(payloads: node, zone: "notes", patience: .milliseconds(1))
        let error = await #expect(throws: RequestError.self) { try await route.respond(to: request) }
        #expect(error?.code == .tooSlow)
        #expect(node.calls == ["handIn", "abandoned"])
        source.finish()
    }

    @Test(.timeLimit(.minutes(5))) func `is refused before anything is sent where that is known`() async throws {
        try await LiveServer.withFakeNode { node, path in
            let large = try RawConnection(path: path)
            large.send(Self.head("Content-Length: 17179869184"))
            let answer = await large.receive(until: "limit")
            #expect(answer.hasPrefix("HTTP/1.1 413") && answer.contains("message.too_large"), "\(answer)")
            #expect(node.calls == [])
            let foreign = try RawConnection(path: path)
            foreign.send(Self.head("Content-Length: 17179869183").replacing("notes", with: "other"))
            #expect(await foreign.receive(until: "fix").contains("zone.unknown"))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `ends in order when the daemon stops`() async throws {
        let node = FakeNode()
        try await LiveServer.client(node: node) { client, group in
            let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            continuation.yield([1, 2, 3])
            async let payload = client.handIn(pieces, in: "notes")
            while node.state.withLock({ $0.handedIn.isEmpty }) { await Task.yield() }
            await group.triggerGracefulShutdown()
            do {
                _ = try await payload
                Issue.record("half of it was taken for all")
            } catch let error as KairanError {
                #expect(error.code == "not_ready" && error.isRetryable)
            }
            continuation.finish()
            #expect(node.calls == ["handIn", "abandoned"])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `is kept by a real node, and named by a message of the same zone`() async throws
    {
        try await LiveServer.withDirectory { directory in
            try await LiveNode.run(in: directory) { node in
                try await LiveServer.run(node: node, in: directory) { path, _ in
                    try await DaemonClient.withClient(socketPath: path) { client in
                        for name in ["notes", "others"] {
                            _ = try await client.createZone(name: name, container: "org.example.notes")
                        }
                        let bytes = Data(repeating: 7, count: 200_000)
                        let payload = try await client.handIn(bytes, in: "notes")
                        #expect(payload.size == 200_000 && payload.payload.count == PayloadID.textCharacterCount)
                        // Nothing is wrong with it except that no device would receive the message.
                        let codes = [("notes", "message.no_recipient"), ("others", "payload.unknown")]
                        for (zone, code) in codes {
                            let error = await #expect(throws: KairanError.self) {
                                try await client.send(OutgoingMessage(.payload(payload.payload)), in: zone)
                            }
                            #expect(error?.code == code, "\(zone)")
                        }
                        let again = try await client.handIn(bytes, in: "notes")
                        #expect(again.payload != payload.payload)
                        #expect(try await client.handIn(Data(), in: "notes").size == 0)
                        let error = await #expect(throws: KairanError.self) {
                            try await client.handIn(Data(repeating: 7, count: 20 << 20), in: "nowhere")
                        }
                        #expect(error?.code == "zone.unknown")
                    }
                }
            }
        }
    }
}

@Suite struct `The content of a message` {
    private let node = FakeNode()
    private let path = "/v1/messages/\(FakeNode.messageID)/content"

    private func get(
        _ path: String,
        headers: HTTPFields = [:]
    ) async throws -> (status: Int, text: String, headers: HTTPFields) {
        let client = RouterClient(AskedBy(.admin, LocalRouter(node: node).makeResponder()))
        let response = try await client.executeRequest(uri: path, method: .get, headers: headers, body: nil)
        return (response.status.code, String(buffer: response.body), response.headers)
    }

    private func say(_ text: String, _ contentType: String = "text/plain") {
        node.state.withLock { state in
            let bytes = Array(text.utf8)
            state.content = ContentPart(bytes: bytes, byteCount: UInt64(bytes.count), contentType: contentType)
            state.contentPartByteCount = 4
        }
    }

    @Test func `is read part by part, and answered as a whole`() async throws {
        say("0123456789", "text/plain; charset=utf-8")
        let answer = try await get(path)
        #expect(answer.status == 200 && answer.text == "0123456789")
        #expect(answer.headers[.contentType] == "text/plain; charset=utf-8" && answer.headers[.contentLength] == "10")
        #expect(answer.headers[.acceptRanges] == "bytes" && answer.headers[.contentRange] == nil)
        #expect(answer.headers[.cacheControl] == "no-store")
        let calls = node.calls
        #expect(calls == [0, 4, 8].map { "content \(FakeNode.messageID) \($0)" })
        say("")
        let empty = try await get(path)
        #expect(empty.status == 200 && empty.text.isEmpty && empty.headers[.contentLength] == "0")
    }

    @Test(arguments: [
        ("bytes=0-", "0123456789", "0-9"), ("bytes=3-", "3456789", "3-9"), ("bytes=0-0", "0", "0-0"),
        ("Bytes=2-7", "234567", "2-7"), ("bytes=9-9", "9", "9-9"), ("bytes=4-99", "456789", "4-9"),
        ("bytes=1-99999999999999999999", "123456789", "1-9"),
    ])
    func `is answered from where it is asked for`(range: String, text: String, bounds: String) async throws {
        say("0123456789")
        let answer = try await get(path, headers: [.range: range])
        #expect(answer.status == 206 && answer.text == text, "\(answer)")
        #expect(answer.headers[.contentRange] == "bytes \(bounds)/10")
        #expect(answer.headers[.contentLength] == "\(text.count)" && answer.headers[.contentType] == "text/plain")
    }

    @Test(arguments: ["bytes=10-", "bytes=10-12", "bytes=18446744073709551615-", "bytes=99999999999999999999-"])
    func `has no bytes behind its end`(range: String) async throws {
        say("0123456789")
        let answer = try await get(path, headers: [.range: range])
        #expect(answer.status == 416 && answer.headers[.contentRange] == "bytes */10", "\(answer)")
        let json = try JSONParser.parse(Array(answer.text.utf8))
        #expect(json["code"] == "request.range_unsatisfiable" && json["size"] == 10)
        say("")
        #expect(try await get(path, headers: [.range: "bytes=0-"]).status == 416)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=-3", "bytes=3-2", "bytes=0-1,3-4", "bytes=a-", "bytes=1-b",
        "bytes= 1-",
        "bytes=+1-", "lines=1-", "bytes=1--2", "1-2",
    ])
    func `is all of it where the range is none that is understood`(range: String) async throws {
        say("0123456789")
        let answer = try await get(path, headers: [.range: range])
        #expect(answer.status == 200 && answer.text == "0123456789" && answer.headers[.contentRange] == nil)
        let conditional = try await get(path, headers: [.range: "bytes=3-", .ifRange: "\"v1\""])
        #expect(conditional.status == 200 && conditional.text == "0123456789")
    }

    @Test(arguments: [
        "image/png", "text/plain; charset=\"utf-8\"", "Text/HTML;charset=utf-8", "application/vnd.a+json", "a/b;",
        "a/b ; ; c=d", "a/b; c=\"d \\\" e\"",
    ])
    func `has its type where that is one`(type: String) async throws {
        say("a", type)
        #expect(try await get(path).headers[.contentType] == type)
    }

    @Test(arguments: [
        "", "text", "text/", "/plain", "text/plain/x", "text plain", "text/plain; charset", "text/plain; charset=",
        "text/plain; charset=\"utf-8", "text/plain ", " text/plain", "text/plain\r\nX-Evil: 1", "text/plain\u{0}",
        "text/ü", "text/plain, text/html", "a/b; c=\"d\u{1}\"", "a/b; c=\"d\\", "a/b; c=\"é\"",
    ])
    func `is of no known type where its own is none`(type: String) async throws {
        say("a", type)
        let answer = try await get(path)
        #expect(answer.status == 200 && answer.headers[.contentType] == "application/octet-stream")
    }

    @Test func `that cannot be read is a problem`() async throws {
        #expect(try await get("/v1/messages/none/content").status == 404)
        let incomplete = NodeError(.messageIncomplete, "Not all is here.", fix: "Wait.")
        node.state.withLock { $0.contentFailure = (0, incomplete) }
        let answer = try await get(path, headers: [.range: "bytes=2-"])
        #expect(answer.status == 409 && answer.text.contains("message.incomplete"))
        #expect(answer.headers[.contentType] == "application/problem+json" && answer.headers[.retryAfter] == "1")
    }

    @Test(.timeLimit(.minutes(5))) func `does not look whole when it breaks off, and is gone on with`() async throws {
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        node.state.withLock { state in
            state.content = ContentPart(bytes: bytes, byteCount: 1_000_000, contentType: "image/png")
            state.contentPartByteCount = 65_536
            state.contentFailure = (600_000, NodeError(.storageFailed, "It failed.", fix: "Look."))
        }
        try await LiveServer.client(node: node) { [node] client, _ in
            var read: [UInt8] = []
            let content = try await client.content(ofMessage: FakeNode.messageID)
            #expect(content.contentType == "image/png" && content.size == 1_000_000 && content.offset == 0)
            let error = await #expect(throws: KairanError.self) {
                for try await piece in content { read += piece }
            }
            #expect(error?.kind == .interrupted && read.count <= 655_360 && read == Array(bytes.prefix(read.count)))
            node.state.withLock { $0.contentFailure = nil }
            let rest = try await client.content(ofMessage: FakeNode.messageID, from: read.count)
            #expect(rest.size == 1_000_000 && rest.offset == read.count)
            for try await piece in rest { read += piece }
            #expect(read == bytes)
            let beyond = await #expect(throws: KairanError.self) {
                _ = try await client.content(ofMessage: FakeNode.messageID, from: 1_000_000)
            }
            #expect(beyond?.code == "request.range_unsatisfiable" && beyond?.problem.size == 1_000_000)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `is read no faster than it is taken`() async throws {
        node.state.withLock { state in
            let bytes = [UInt8](repeating: 7, count: 64 << 20)
            state.content = ContentPart(bytes: bytes, byteCount: 64 << 20, contentType: "image/png")
            state.contentPartByteCount = 65_536
        }
        try await LiveServer.withDirectory { directory in
            try await LiveServer.run(node: node, in: directory) { [node] socket, _ in
                let connection = try RawConnection(path: socket)
                connection.send("GET /v1/messages/\(FakeNode.messageID)/content HTTP/1.1\r\nHost: localhost\r\n\r\n")
                func parts() -> Int { node.state.withLock { $0.calls.count { $0.hasPrefix("content") } } }
                func ask() async throws {
                    for _ in 0..<50 {
                        _ = try await DaemonClient.withClient(socketPath: socket) { try await $0.status() }
                    }
                }
                // Some parts are read before it is known that the socket takes no more; then the next waits for the
                // reader. The other requests show that the daemon has had the time to go on, which on a busy machine
                // may take several of them.
                var (held, calmRounds) = (0, 0)
                while calmRounds < 3 {
                    try await ask()
                    let now = parts()
                    calmRounds = now == held && now > 0 ? calmRounds + 1 : 0
                    held = now
                }
                #expect(held < 512, "of 1,024 parts")
            }
        }
    }
}
