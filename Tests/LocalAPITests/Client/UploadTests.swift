import KairanClient
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import LocalAPI

@Suite(.timeLimit(.minutes(5))) struct `A body that is sent in pieces` {
    /// Pieces without an end, until no consumer wants one any more.
    private struct Endless: AsyncSequence, Sendable {
        let taken: @Sendable () -> Void

        func makeAsyncIterator() -> Iterator { Iterator(taken: taken) }

        struct Iterator: AsyncIteratorProtocol {
            let taken: @Sendable () -> Void

            func next() async -> [UInt8]? {
                guard !Task.isCancelled else { return nil }
                taken()
                return [UInt8](repeating: 7, count: 65_536)
            }
        }
    }

    private static func post<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        length: Int? = nil
    ) -> SocketRequest where Pieces.Element == [UInt8] {
        SocketRequest(.POST, "/", body: .pieces(pieces, length: length))
    }

    private static func pieces(_ texts: [String]) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Array(text.utf8)) }
            continuation.finish()
        }
    }

    @Test func `arrives with its length where that is known, and in chunks else`() async throws {
        try await ScriptedServer.run { connection in
            while let head = await connection.head() {
                let body =
                    head.contains("content-length: 7") ? await connection.text(7) : await connection.head()
                try await connection.answer("\(connection.number) \(head)\(body ?? "")")
            }
        } _: { pool async throws in
            let known = try await pool.execute(Self.post(Self.pieces(["abc", "", "defg"]), length: 7)).text()
            #expect(known == "1 POST / HTTP/1.1\r\ncontent-length: 7\r\n\r\nabcdefg")
            let unknown = try await pool.execute(Self.post(Self.pieces(["abc", "", "defg"]))).text()
            #expect(
                unknown == "1 POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n"
            )
        }
    }

    @Test(arguments: [["abc", "def"], ["ab"], []]) func `fails if its length differs from the declared one`(
        texts: [String]
    ) async throws {
        let (ends, ended) = AsyncStream.makeStream(of: String?.self)
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            ended.yield(await connection.text(5))
        } _: { pool async throws in
            let error = await #expect(throws: (any Error).self) {
                try await pool.execute(Self.post(Self.pieces(texts), length: 5))
            }
            #expect(error.map { "\($0)" } == "the body does not have the 5 bytes that were announced")
            #expect(pool.counts.idle == 0)
            let whole = await ends.first { _ in true }
            #expect(whole == .some(nil), "all that was announced has arrived")
        }
    }

    @Test func `fails with the error of its pieces, and does not end as if it were complete`() async throws {
        struct Failure: Error {}
        let (ends, ended) = AsyncStream.makeStream(of: String?.self)
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            _ = await connection.text(8)
            ended.yield(await connection.head())
        } _: { pool async throws in
            let (pieces, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
            continuation.yield(Array("abc".utf8))
            continuation.finish(throwing: Failure())
            let failure = await #expect(throws: BodyFailure.self) { try await pool.execute(Self.post(pieces)) }
            #expect(failure?.cause is Failure)
            #expect(DaemonClient.interruption(BodyFailure(cause: Failure())) is Failure, "its maker hears it as it was")
            let rest = await ends.first { _ in true }
            #expect(rest == .some(nil))
        }
    }

    @Test(arguments: [true, false]) func `stops when the daemon refuses it early, and the answer is delivered`(
        closes: Bool
    ) async throws {
        try await ScriptedServer.run { connection in
            let head = await connection.head()
            guard head?.hasPrefix("GET") == true else {
                try await connection.answer("too large", status: "413 Content Too Large")
                if !closes { await connection.untilClosed() }
                return
            }
            try await connection.answer("\(connection.number)")
        } _: { pool async throws in
            let (takings, taken) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let answer = try await pool.execute(Self.post(Endless { taken.yield() }))
            #expect(answer.status == 413)
            #expect(try await answer.text() == "too large")
            // The pieces are released, and with them the last that could yield.
            taken.finish()
            for await _ in takings {}
            #expect(try await pool.execute(SocketRequest(.GET, "/")).text() == "2")
        }
    }

    @Test func `that was refused early from memory leaves no connection to be used again`() async throws {
        try await ScriptedServer.run { connection in
            let head = await connection.head()
            let isGet = head?.hasPrefix("GET") == true
            try await connection.answer("\(connection.number)", status: isGet ? "200 OK" : "401 Unauthorized")
            await connection.untilClosed()
        } _: { pool async throws in
            let body = RequestBody.bytes(ByteBuffer(repeating: 7, count: 8 << 20))
            let answer = try await pool.execute(SocketRequest(.POST, "/", body: body))
            #expect(answer.status == 401)
            #expect(try await answer.text() == "1")
            #expect(try await pool.execute(SocketRequest(.GET, "/")).text() == "2")
        }
    }

    @Test func `continues while the answer is read, and the connection continues after both`() async throws {
        try await ScriptedServer.run { connection in
            while let head = await connection.head() {
                guard head.hasPrefix("POST") else {
                    try await connection.answer("\(connection.number)")
                    continue
                }
                try await connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                // A chunk is sent back as it is, the last one with its empty line as well.
                while let chunk = await connection.text(6), chunk.hasPrefix("1") {
                    try await connection.write(chunk)
                    if chunk == "1\r\nc\r\n" { break }
                }
                if let end = await connection.text(5) { try await connection.write(end) }
            }
        } _: { pool async throws in
            let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            var echo = try await pool.execute(Self.post(pieces)).body.makeAsyncIterator()
            for text in ["a", "b", "c"] {
                continuation.yield(Array(text.utf8))
                #expect(try await echo.next().map { String(buffer: $0) } == text)
            }
            continuation.finish()
            #expect(try await echo.next() == nil)
            #expect(try await pool.execute(SocketRequest(.GET, "/")).text() == "1")
        }
    }

    @Test func `is not asked for more than the socket accepts`() async throws {
        let takenCount = Mutex(0)
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        try await ScriptedServer.run { connection in
            while let head = await connection.head() {
                if head.hasPrefix("POST") {
                    for await _ in held {}
                    return
                }
                try await connection.answer("small")
            }
        } _: { pool async throws in
            let request = Self.post(Endless { takenCount.withLock { $0 += 1 } })
            await withTaskGroup(of: Void.self) { group in
                // It fails when the connection ends.
                group.addTask { _ = try? await pool.execute(request) }
                func ask() async {
                    let text = try? await pool.execute(SocketRequest(.GET, "/")).text()
                    #expect(text == "small")
                }
                for _ in 0..<200 { await ask() }
                let count = takenCount.withLock { $0 }
                for _ in 0..<200 { await ask() }
                #expect(takenCount.withLock { $0 } == count && count < 64, "\(count)")
                release.finish()
            }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The connections of a client` {
    private static let get = SocketRequest(.GET, "/")

    @Test func `are 64 at most, and requests beyond wait in the order of coming`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: String.self)
        let gates = (0..<3).map { _ in AsyncStream.makeStream(of: Void.self) }
        let highest = Mutex(0)
        try await ScriptedServer.run { connection in
            highest.withLock { [number = connection.number] in $0 = max($0, number) }
            while let head = await connection.head() {
                let name = head.split(separator: " ")[1]
                arrived.yield(String(name))
                let gate = name == "/first" ? 0 : name == "/late1" ? 1 : 2
                for await _ in gates[gate].stream {}
                try await connection.answer(String(name))
            }
        } _: { pool async throws in
            try await withThrowingTaskGroup(of: String.self) { group in
                var names = arrivals.makeAsyncIterator()
                func begin(_ name: String) {
                    group.addTask { try await pool.execute(SocketRequest(.GET, name)).text() }
                }
                begin("/first")
                for _ in 1..<ConnectionPool.connectionCountMax { begin("/other") }
                for _ in 0..<ConnectionPool.connectionCountMax { _ = await names.next() }
                for (count, name) in ["/late1", "/late2"].enumerated() {
                    begin(name)
                    while pool.counts.waiting <= count { await Task.yield() }
                }
                #expect(pool.counts == (open: ConnectionPool.connectionCountMax, idle: 0, waiting: 2))
                gates[0].continuation.finish()
                #expect(try await group.next() == "/first")
                #expect(await names.next() == "/late1")
                #expect(pool.counts.waiting == 1)
                gates[1].continuation.finish()
                #expect(try await group.next() == "/late1")
                #expect(await names.next() == "/late2")
                gates[2].continuation.finish()
                for try await _ in group {}
            }
            #expect(pool.counts.waiting == 0)
        }
        #expect(highest.withLock { $0 } == ConnectionPool.connectionCountMax)
    }

    @Test func `are not waited for by a task that is cancelled, and a connection that ends makes room`() async throws {
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            if connection.number <= ConnectionPool.connectionCountMax { for await _ in held {} }
            try await connection.answer("\(connection.number)", status: "200 OK\r\nConnection: close")
        } _: { pool async throws in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<ConnectionPool.connectionCountMax {
                    group.addTask { try await pool.execute(Self.get).text() }
                }
                while pool.counts.open < ConnectionPool.connectionCountMax { await Task.yield() }
                await withTaskGroup(of: (any Error)?.self) { cancelled in
                    cancelled.addTask {
                        do {
                            _ = try await pool.execute(Self.get)
                            return nil
                        } catch {
                            return error
                        }
                    }
                    while pool.counts.waiting == 0 { await Task.yield() }
                    cancelled.cancelAll()
                    #expect(await cancelled.next() is CancellationError?)
                }
                #expect(pool.counts.waiting == 0)
                group.addTask { try await pool.execute(Self.get).text() }
                while pool.counts.waiting == 0 { await Task.yield() }
                release.finish()
                var answers: Set<String> = []
                for try await answer in group { answers.insert(answer) }
                #expect(answers.count == ConnectionPool.connectionCountMax + 1)
            }
        }
    }

    @Test func `end with the closure that uses them, and nothing is asked afterwards`() async throws {
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        try await ScriptedServer.run { connection in
            _ = await connection.head()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha")
            await connection.untilClosed()
            ended.yield()
        } _: { outer in
            let body = try await outer.execute(Self.get).body
            let path = outer.socketPath
            let inner = try await ConnectionPool.withPool(socketPath: path) { pool async throws in
                (pool, try await pool.execute(Self.get).body)
            }
            _ = await ends.first { true }
            await #expect(throws: TransportFailure.unsent(reason: "this client was closed")) {
                try await inner.0.execute(Self.get)
            }
            await #expect(throws: TransportFailure.broken(reason: "the daemon has closed the connection")) {
                for try await _ in inner.1 {}
            }
            withExtendedLifetime(body) {}
        }
    }
}
