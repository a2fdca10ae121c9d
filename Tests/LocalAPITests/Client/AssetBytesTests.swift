import FoundationEssentials
import Testing

@testable import KairanClient

@Suite(.timeLimit(.minutes(5))) struct `A part of an asset whose id is known` {
    private static let place = Asset.Place(zone: "z", record: "r", field: "f")

    private static func partial(_ range: String, of asset: String = "a", total: Int = 10) -> String {
        "206 Partial Content\r\nETag: \"\(asset)\"\r\nContent-Range: bytes \(range)/\(total)"
    }

    /// Asks for the bytes 3 to 7 of ten.
    private static func read(_ pool: ConnectionPool) async throws -> String {
        let client = DaemonClient(socketPath: pool.socketPath, transport: pool)
        let part = try await client.assets.bytes(
            of: "a",
            size: 10,
            at: place,
            from: 3,
            count: 5,
            waitMilliseconds: 100
        )
        #expect(part.count == 5)
        var bytes: [UInt8] = []
        for try await piece in part { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func error(answering status: String, _ text: String = "defgh") async throws -> KairanError? {
        try await ScriptedServer.run { connection in
            while await connection.head() != nil { try await connection.answer(text, status: status) }
        } _: { pool async throws in
            await #expect(throws: KairanError.self) { try await Self.read(pool) }
        }
    }

    @Test func `takes one request, and leaves its connection to the next`() async throws {
        try await ScriptedServer.run { connection in
            while let head = await connection.head() {
                #expect(head.hasPrefix("GET /v1/zones/z/records/r/assets/f/content?wait_ms=100 "))
                #expect(head.contains("range: bytes=3-7\r\n"))
                try await connection.answer("defgh", status: Self.partial("3-7"))
            }
        } _: { pool async throws in
            for _ in 0..<3 { #expect(try await Self.read(pool) == "defgh") }
            #expect(pool.counts.open == 1)
        }
    }

    @Test func `is never one of another asset`() async throws {
        #expect(try await error(answering: Self.partial("3-7", of: "b"))?.code == "asset.replaced")
        let problem =
            #"{"type":"t","title":"t","status":416,"code":"request.range_unsatisfiable","detail":"No.","fix":"","retryable":false}"#
        #expect(try await error(answering: "416 Range Not Satisfiable", problem)?.code == "asset.replaced")
    }

    @Test func `is not taken from an answer with another part, or of a content of another size`() async throws {
        for status in [
            Self.partial("2-6"), Self.partial("3-7", total: 11), "200 OK\r\nETag: \"a\"",
            "206 Partial Content\r\nETag: \"a\"",
            "206 Partial Content\r\nContent-Range: bytes 3-7/10",
        ] {
            #expect(try await error(answering: status)?.kind == .unexpectedAnswer, "\(status)")
        }
    }

    @Test func `that breaks off is an error`() async throws {
        try await ScriptedServer.run { connection in
            guard await connection.head() != nil else { return }
            try await connection.write("HTTP/1.1 \(Self.partial("3-7"))\r\nContent-Length: 5\r\n\r\nde")
        } _: { pool async throws in
            let error = await #expect(throws: KairanError.self) { try await Self.read(pool) }
            #expect(error?.kind == .interrupted)
        }
    }
}
