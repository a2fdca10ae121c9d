import Glibc
import KairanClient
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import LocalAPI

@Suite(.timeLimit(.minutes(5))) struct `A connection to the daemon` {
    private static let get = SocketRequest(.GET, "/")
    private static let post = SocketRequest(.POST, "/", body: .bytes(ByteBuffer(string: "once")))

    /// Answers every request of a connection with the connection's number.
    @Sendable private static func tellNumber(_ connection: inout ScriptedServer.Connection) async throws {
        while let head = await connection.head() {
            if head.hasPrefix("POST") { _ = await connection.text(4) }
            try await connection.answer("\(connection.number)")
        }
    }

    @Test func `carries one request after the other`() async throws {
        try await ScriptedServer.run(Self.tellNumber) { pool async throws in
            for request in [Self.get, Self.post, Self.post, Self.get] {
                #expect(try await pool.execute(request).text() == "1")
            }
            #expect(pool.counts == (open: 1, idle: 1, waiting: 0))
        }
    }

    @Test func `writes path, query and fields as they are given, and the length of what it sends`() async throws {
        let heads = Mutex<[String]>([])
        try await ScriptedServer.run { connection in
            while let head = await connection.head() {
                heads.withLock { $0.append(head) }
                if head.hasPrefix("PUT") { _ = await connection.text(4) }
                try await connection.answer("")
            }
        } _: { pool async throws in
            let target = "/v1/a%2fb/..//%2E?q=%7E&&r=a+b"
            for method in [HTTPMethod.GET, .DELETE, .POST] {
                _ = try await pool.execute(SocketRequest(method, target, headers: ["a": "b"])).text()
            }
            let body = RequestBody.bytes(ByteBuffer(string: "body"))
            _ = try await pool.execute(SocketRequest(.PUT, target, body: body)).text()
            #expect(
                heads.withLock { $0 } == [
                    "GET \(target) HTTP/1.1\r\na: b\r\n\r\n",
                    "DELETE \(target) HTTP/1.1\r\na: b\r\ncontent-length: 0\r\n\r\n",
                    "POST \(target) HTTP/1.1\r\na: b\r\ncontent-length: 0\r\n\r\n",
                    "PUT \(target) HTTP/1.1\r\ncontent-length: 4\r\n\r\n",
                ]
            )
        }
    }

    @Test func `refuses a target that would be more than one line`() async throws {
        try await ScriptedServer.run(Self.tellNumber) { pool async throws in
            await #expect(throws: HTTPParserError.invalidHeaderToken) {
                try await pool.execute(SocketRequest(.GET, "/ HTTP/1.1\r\nx: y"))
            }
            #expect(pool.counts.idle == 0)
            #expect(try await pool.execute(Self.get).status == 200)
        }
    }

    @Test func `that the daemon closed while it was idle is not used`() async throws {
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            try await connection.answer("\(connection.number)")
        } _: { pool async throws in
            for number in 1...20 {
                let request = SocketRequest(.POST, "/")
                #expect(try await pool.execute(request).text() == "\(number)")
                while pool.counts.open > 0 { await Task.yield() }
            }
        }
    }

    @Test(arguments: [get, post]) func `that ends while a request is on its way does not send it a second time`(
        request: SocketRequest
    ) async throws {
        let count = Mutex(0)
        try await ScriptedServer.run { connection in
            if connection.number == 1 {
                _ = await connection.head()
                try await connection.answer("1")
            }
            if await connection.head()?.hasPrefix("POST") == true { _ = await connection.text(4) }
            count.withLock { $0 += 1 }
        } _: { pool async throws in
            #expect(try await pool.execute(Self.get).text() == "1")
            for _ in 1...2 {
                // On a connection that was used before, then on a new one.
                await #expect(throws: TransportFailure.unanswered(reason: "the daemon has closed the connection")) {
                    try await pool.execute(request)
                }
            }
        }
        #expect(count.withLock { $0 } == 2)
    }

    @Test func `skips interim responses before the answer`() async throws {
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            try await connection.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n")
            try await connection.answer("whole")
            await connection.untilClosed()
        } _: { pool async throws in
            let answer = try await pool.execute(Self.get)
            #expect(answer.status == 200 && answer.headers.count == 1)
            #expect(try await answer.text() == "whole")
        }
    }

    @Test(arguments: [
        "Content-Length: 10\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "Transfer-Encoding: chunked\r\n\r\n9\r\nhalf",
    ])
    func `that ends within an answer makes no whole answer of it`(rest: String) async throws {
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            try await connection.write("HTTP/1.1 200 OK\r\n" + rest)
        } _: { pool async throws in
            let answer = try await pool.execute(Self.get)
            var text = ""
            await #expect(throws: TransportFailure.broken(reason: "the daemon has closed the connection")) {
                for try await piece in answer.body { text += String(buffer: piece) }
            }
            #expect(text == "half")
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n"])
    func `that ends before an answer is an error`(beginning: String) async throws {
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            try await connection.write(beginning)
        } _: { pool async throws in
            await #expect(throws: TransportFailure.unanswered(reason: "the daemon has closed the connection")) {
                try await pool.execute(Self.get)
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\nall, or not", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/2 200 OK\r\n\r\n",
        "SSH-2.0-OpenSSH_9.6\r\n", "HTTP/1.1 200 OK\r\na: \(String(repeating: "b", count: 100_000))\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\(String(repeating: "a: b\r\n", count: 1_000))\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ])
    func `refuses an answer without an end, without a bound, or of another form`(answer: String) async throws {
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            try await connection.write(answer)
            await connection.untilClosed()
        } _: { pool async throws in
            let error = await #expect(throws: TransportFailure.self) { try await pool.execute(Self.get) }
            guard case .unexpected = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `ends with a task that is cancelled before the answer`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            arrived.yield()
            await connection.untilClosed()
            ended.yield()
        } _: { pool async throws in
            await withTaskGroup(of: (any Error)?.self) { group in
                group.addTask {
                    do {
                        _ = try await pool.execute(Self.get)
                        return nil
                    } catch {
                        return error
                    }
                }
                _ = await arrivals.first { true }
                group.cancelAll()
                #expect(await group.next() is CancellationError?)
            }
            _ = await ends.first { true }
        }
    }

    @Test func `ends with a task that is cancelled within the answer`() async throws {
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            try await connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
            await connection.untilClosed()
            ended.yield()
        } _: { pool async throws in
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            await withTaskGroup(of: (any Error)?.self) { group in
                group.addTask {
                    do {
                        for try await _ in try await pool.execute(Self.get).body { arrived.yield() }
                        return nil
                    } catch {
                        return error
                    }
                }
                _ = await arrivals.first { true }
                group.cancelAll()
                #expect(await group.next() is CancellationError?)
            }
            _ = await ends.first { true }
        }
    }

    @Test func `ends with a body that is not read to its end`() async throws {
        let (ends, ended) = AsyncStream.makeStream(of: Int.self)
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
            await connection.untilClosed()
            ended.yield(connection.number)
        } _: { pool async throws in
            _ = try await pool.execute(Self.get)
            for try await _ in try await pool.execute(Self.get).body { break }
            var numbers: Set<Int> = []
            for await number in ends where numbers.insert(number).inserted && numbers.count == 2 { break }
            #expect(numbers == [1, 2])
        }
    }

    @Test func `is not read while received bytes are not consumed`() async throws {
        let written = Mutex(0)
        let byteCount = 64 << 20
        try await ScriptedServer.run { connection in
            while let head = await connection.head() {
                guard head.hasPrefix("GET /large") else {
                    try await connection.answer("small")
                    continue
                }
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(byteCount)\r\n\r\n")
                let piece = ByteBuffer(repeating: 7, count: 65_536)
                for _ in 0..<byteCount / 65_536 {
                    try await connection.write(piece)
                    written.withLock { $0 += 65_536 }
                }
            }
        } _: { pool async throws in
            let answer = try await pool.execute(SocketRequest(.GET, "/large"))
            // A connection that went on would carry a piece while another carries a request and its answer.
            for _ in 0..<200 { #expect(try await pool.execute(Self.get).text() == "small") }
            let held = written.withLock { $0 }
            for _ in 0..<200 { #expect(try await pool.execute(Self.get).text() == "small") }
            #expect(written.withLock { $0 } == held && held < 2 << 20, "\(held)")
            var received = 0
            for try await piece in answer.body { received += piece.readableBytes }
            #expect(received == byteCount)
        }
    }

    @Test(arguments: [
        (ENOENT, "there is no such socket"), (ENOTDIR, "there is no such socket"), (EACCES, "you may not use it"),
        (ECONNREFUSED, "the socket exists, but no daemon listens on it"),
        (EAGAIN, "too many connections wait for the daemon"),
        (EMFILE, "no file descriptor is left for a connection"), (EPROTOTYPE, "this is not a daemon's socket"),
        (EIO, "error 5"),
    ])
    func `that cannot be made has a reason in words`(code: CInt, reason: String) {
        let error = IOError(errnoCode: code, reason: "connect")
        #expect(TransportFailure(connecting: error) == .unsent(reason: reason))
    }

    @Test func `that cannot be made fails at once, whatever is at the path`() async throws {
        try await LiveServer.withDirectory { directory in
            let abandoned = try ListeningSocket.bind(path: directory + "/abandoned")
            close(abandoned.descriptor)
            let places = [
                ("", "the path is empty"),
                (directory + "/none", "there is no such socket"),
                (directory + "/abandoned/s", "there is no such socket"),
                (directory + "/abandoned", "the socket exists, but no daemon listens on it"),
                (directory, "the socket exists, but no daemon listens on it"),
                (
                    directory + String(repeating: "x", count: 200),
                    "the path does not fit a socket, which takes 107 bytes"
                ),
            ]
            for (path, reason) in places {
                try await ConnectionPool.withPool(socketPath: path) { pool async throws in
                    await #expect(throws: TransportFailure.unsent(reason: reason)) { try await pool.execute(Self.get) }
                    #expect(pool.counts == (open: 0, idle: 0, waiting: 0))
                }
                let error = await #expect(throws: KairanError.self) {
                    try await DaemonClient.withClient(socketPath: path) { _ = try await $0.status() }
                }
                #expect(error?.kind == .unreachable && error?.description.contains("\(path) (\(reason))") == true)
            }
        }
    }
}
