import Node
import Synchronization
import Testing

@testable import LocalAPI

@Suite struct `Clients that misbehave` {
    @Test(.timeLimit(.minutes(5))) func `a subscription whose request never ends does no harm`() async throws {
        try await LiveServer.withFakeNode { node, path in
            let connection = try RawConnection(path: path)
            connection.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
            #expect(await connection.receive(until: "snapshot").contains("\"number\":0"))
            node.state.withLock { $0.events }?.yield(.end(reason: "too_slow"))
            #expect(await connection.receive(until: "too_slow").contains("event"))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a subscriber that has closed its sending side still gets events`() async throws
    {
        try await LiveServer.withFakeNode { node, path in
            let connection = try RawConnection(path: path)
            connection.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.shutDownWriting()
            #expect(await connection.receive(until: "snapshot").contains("\"number\":0"))
            node.state.withLock { $0.events }?.yield(.peer(FakeNode.peer))
            #expect(await connection.receive(until: "\"number\":1").contains("desk"))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `bytes that are not HTTP are answered with a refusal`() async throws {
        try await LiveServer.withFakeNode { _, path in
            for text in ["nonsense\r\n\r\n", "GET /v1/status HTTP/9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"] {
                let connection = try RawConnection(path: path)
                connection.send(text)
                connection.shutDownWriting()
                #expect(await connection.receive(until: "never").hasPrefix("HTTP/1.1 400"), "\(text)")
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a foreign host is refused, an absent one is not`() async throws {
        try await LiveServer.withFakeNode { _, path in
            let foreign = try RawConnection(path: path)
            foreign.send("GET /v1/status HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            #expect(await foreign.receive(until: "fix").contains("request.from_browser"))
            let absent = try RawConnection(path: path)
            absent.send("GET /v1/status HTTP/1.1\r\n\r\n")
            #expect(await absent.receive(until: "\"state\"").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            "GET /v1/status HTTP/1.1\r\nHost: localhost:x@evil.example\r\n",
            "GET /v1/status HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n",
            "GET /v1/status HTTP/1.1\r\nHost: localhost.evil.example\r\n",
            "GET /v1/status HTTP/1.1\r\nHost: [::1]\r\n",
        ]
    )
    func `a foreign host is found at every position`(request: String) async throws {
        try await LiveServer.withFakeNode { node, path in
            let connection = try RawConnection(path: path)
            connection.send(request + "\r\n")
            let answer = await connection.receive(until: "fix")
            #expect(!answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `requests one behind the other are answered in order`() async throws {
        try await LiveServer.withFakeNode { _, path in
            let connection = try RawConnection(path: path)
            let body = "{\"fields\":{\"a\":1}}"
            let length = "Content-Length: \(body.utf8.count)"
            connection.send(
                "PUT /v1/zones/notes/records/n1 HTTP/1.1\r\nHost: localhost\r\n\(length)\r\n\r\n\(body)"
                    + "GET /v1/zones/notes/records/n1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    + "GET /v1/zones/notes/records/n2 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
            let answers = await connection.receive(until: "record.unknown")
            #expect(answers.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["200", "200", "404"])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a client that asks before a body receives 100 Continue`() async throws {
        try await LiveServer.withFakeNode { _, path in
            let connection = try RawConnection(path: path)
            let head = "PUT /v1/zones/notes/records/n1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
            connection.send(head + "Expect: 100-continue\r\n\r\n")
            #expect(await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
            connection.send("{}")
            #expect(await connection.receive(until: "version").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a body over its limit is refused without being kept`() async throws {
        try await LiveServer.withFakeNode { _, path in
            let connection = try RawConnection(path: path)
            connection.send("POST /v1/zones HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n")
            connection.send(String(repeating: "x", count: RequestBodyLimit.small + 1))
            #expect(await connection.receive(until: "fix").contains("request.too_large"))
        }
    }
}
