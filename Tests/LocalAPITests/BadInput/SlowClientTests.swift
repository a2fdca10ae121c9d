import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

/// Slow clients, and clients that send no valid request, on a real socket.
@Suite struct `Slow and broken clients` {
    private static func head(_ row: BadInputRow, _ rest: String) -> String {
        "\(row.method) \(row.path()) HTTP/1.1\r\nHost: localhost\r\n\(rest)\r\n\r\n"
    }

    @Test(.timeLimit(.minutes(5))) func `a body that arrives in pieces is awaited, and delays no other request`()
        async throws
    {
        try await LiveServer.withFakeNode { node, path in
            var slow: [(row: BadInputRow, connection: RawConnection)] = []
            for row in BadInputRow.all where !row.body.isEmpty {
                let connection = try RawConnection(path: path)
                connection.send(Self.head(row, "Content-Length: \(row.body.utf8.count)") + row.body.prefix(3))
                slow.append((row, connection))
            }
            try await LiveServer.expectServed(path)
            // Nothing is done with half a body.
            #expect(node.calls == ["status"])
            for (row, connection) in slow {
                connection.send(String(row.body.dropFirst(3)))
                let answer = await connection.receive(until: "}")
                #expect(answer.hasPrefix("HTTP/1.1 "), "\(row.endpoint): \(answer)")
                #expect(
                    !answer.contains("malformed_json") && !answer.contains("\"code\":\"internal\""),
                    "\(row.endpoint): \(answer)"
                )
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a body that breaks off changes nothing`() async throws {
        try await LiveServer.withFakeNode { node, path in
            for row in BadInputRow.all where !row.body.isEmpty {
                for length in ["Content-Length: \(row.body.utf8.count + 1)", "Transfer-Encoding: chunked"] {
                    let connection = try RawConnection(path: path)
                    let isChunked = length.hasPrefix("T")
                    let body = isChunked ? "\(String(row.body.utf8.count, radix: 16))\r\n\(row.body)\r\n" : row.body
                    connection.send(Self.head(row, length) + body)
                    connection.shutDownWriting()
                    let answer = await connection.receive(until: "never")
                    #expect(!answer.hasPrefix("HTTP/1.1 2"), "\(row.endpoint), \(length): \(answer)")
                }
            }
            #expect(node.calls == [])
        }
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            "Content-Length: -1", "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 99999999999999999999",
            "Content-Length: 2\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked, identity",
            "Content-Length: 0x2", "No colon here", "Bad\u{0}Name: x", ": x", "X-Folded: a\r\n b", "X: a\u{0}b",
            "X : y",
        ]
    )
    func `a head that is none is refused, and nothing is done`(header: String) async throws {
        try await LiveServer.withFakeNode { node, path in
            let connection = try RawConnection(path: path)
            connection.send("DELETE /v1/zones/notes HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n\r\n")
            connection.shutDownWriting()
            let answer = await connection.receive(until: "never")
            #expect(answer.hasPrefix("HTTP/1.1 400") || answer.isEmpty, "\(answer)")
            #expect(node.calls == [])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a head without end is cut off`() async throws {
        try await LiveServer.withFakeNode { node, path in
            let long = String(repeating: "x", count: 200_000)
            let many = (0..<5_000).map { "X-\($0): y\r\n" }.joined()
            for head in [
                "GET /v1/zones/\(long) HTTP/1.1\r\n", "GET /v1/zones HTTP/1.1\r\nX: \(long)\r\n",
                "GET /v1/zones HTTP/1.1\r\n\(many)",
            ] {
                let connection = try RawConnection(path: path)
                connection.send(head)
                connection.shutDownWriting()
                let answer = await connection.receive(until: "never")
                #expect(!answer.hasPrefix("HTTP/1.1 2"), "\(answer)")
            }
            #expect(node.calls == [])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a reader that does not read an export stops it`() async throws {
        try await LiveServer.withFakeNode { node, path in
            let text = FieldValue.string(String(repeating: "x", count: 200_000))
            _ = try await node.records.write(
                [RecordDraft(name: "n1", fields: [("text", text)])],
                zone: "notes",
                atomic: true
            )
            node.state.withLock { $0.hasEndlessRecords = true }
            let connection = try RawConnection(path: path)
            connection.send("GET /v1/zones/notes/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
            func pages() -> Int { node.state.withLock { $0.calls.count { $0.hasPrefix("records") } } }
            // The socket takes some pages; then the next is not fetched before the client reads. A daemon that went
            // on would fetch one after the other while the others are served.
            for _ in 0..<50 { try await LiveServer.expectServed(path) }
            let held = pages()
            for _ in 0..<50 { try await LiveServer.expectServed(path) }
            #expect(pages() == held && held < 20, "\(held), then \(pages())")
            _ = await connection.receive(until: "never", atMost: 4 << 20)
            while pages() == held { await Task.yield() }
        }
    }
}
