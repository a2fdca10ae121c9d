import FoundationEssentials
import Synchronization
import Testing

@testable import KairanClient

@Suite(.timeLimit(.minutes(5))) struct `A download of an asset` {
    private static let place = Asset.Place(zone: "z", record: "r", field: "f")

    /// An asset of ten bytes as the daemon shows it.
    private static func shown(_ asset: String) -> String {
        #"{"asset":"\#(asset)","zone":"z","record":"r","field":"f","size":10,"state":"present","percent":100}"#
    }

    private static func partial(_ range: String, of asset: String = "a") -> String {
        "206 Partial Content\r\nETag: \"\(asset)\"\r\nContent-Range: bytes \(range)/10"
    }

    private static func client(_ pool: ConnectionPool) -> DaemonClient {
        DaemonClient(socketPath: pool.socketPath, transport: pool)
    }

    private static func text(_ content: AssetContent) async throws -> String {
        var bytes: [UInt8] = []
        for try await piece in content { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `continues behind a broken connection with the bytes that are missing`() async throws {
        let ranges = Mutex<[String]>([])
        try await ScriptedServer.run { connection in
            while let head = await connection.head() {
                guard head.hasPrefix("GET /v1/zones/z/records/r/assets/f/content?wait_ms=60000 ") else {
                    try await connection.answer(Self.shown("a"))
                    continue
                }
                let range = head.split(separator: "\r\n").first { $0.hasPrefix("range: ") }.map(String.init) ?? "all"
                ranges.withLock { $0.append(range) }
                switch range {
                case "all":
                    try await connection.write("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 10\r\n\r\nabc")
                    return
                case "range: bytes=3-9":
                    let part = "HTTP/1.1 \(Self.partial("3-9"))\r\nContent-Length: 7\r\n\r\nde"
                    try await connection.write(part)
                    return
                default:
                    try await connection.answer("fghij", status: Self.partial("5-9"))
                }
            }
        } _: { pool async throws in
            let content = try await Self.client(pool).assets.content(of: Self.place)
            #expect(content.count == 10 && content.asset.asset == "a")
            #expect(try await Self.text(content) == "abcdefghij")
        }
        #expect(ranges.withLock { $0 } == ["all", "range: bytes=3-9", "range: bytes=5-9"])
    }

    @Test func `ends with an error when the record names other content meanwhile`() async throws {
        try await ScriptedServer.run { connection in
            while let head = await connection.head() {
                if !head.contains("/content?") {
                    try await connection.answer(Self.shown("a"))
                } else if head.contains("range: ") {
                    try await connection.answer("DEFGHIJ", status: Self.partial("3-9", of: "b"))
                } else {
                    try await connection.write("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 10\r\n\r\nabc")
                    return
                }
            }
        } _: { pool async throws in
            let source = Self.client(pool).assets
            let error = await #expect(throws: KairanError.self) {
                try await Self.text(source.content(of: Self.place))
            }
            #expect(error?.code == "asset.replaced")
        }
    }

    @Test func `begins again when the record was changed between the answer and its description`() async throws {
        let answerCount = Mutex(0)
        try await ScriptedServer.run { connection in
            while let head = await connection.head() {
                guard head.contains("/content?") else {
                    try await connection.answer(Self.shown("b"))
                    continue
                }
                let isFirst = answerCount.withLock { count in
                    count += 1
                    return count == 1
                }
                let status = "200 OK\r\nETag: \"\(isFirst ? "a" : "b")\""
                try await connection.answer(isFirst ? "abcdefghij" : "ABCDEFGHIJ", status: status)
            }
        } _: { pool async throws in
            let content = try await Self.client(pool).assets.content(of: Self.place)
            #expect(content.asset.asset == "b")
            #expect(try await Self.text(content) == "ABCDEFGHIJ")
        }
    }

    @Test func `that no device can serve in time is no interruption`() async throws {
        let problem =
            #"{"type":"t","title":"t","status":503,"code":"asset.unavailable","detail":"No.","fix":"Wait.","retryable":true}"#
        try await ScriptedServer.run { connection in
            while let head = await connection.head() {
                if head.contains("/content?") {
                    try await connection.answer(problem, status: "503 Service Unavailable")
                } else {
                    try await connection.answer(Self.shown("a"))
                }
            }
        } _: { pool async throws in
            let error = await #expect(throws: KairanError.self) {
                try await Self.client(pool).assets.content(of: Self.place, waitMilliseconds: 0)
            }
            #expect(error?.code == "asset.unavailable" && error?.isRetryable == true)
        }
    }

    private func error(_ code: String, retryable: Bool = true) -> KairanError {
        KairanError(
            .interrupted,
            problem: Problem(type: "", title: "", status: 0, code: code, detail: "", fix: "", isRetryable: retryable)
        )
    }

    @Test func `gives up after several attempts without a byte, and begins to count again with each byte`() throws {
        var core = DownloadCore(from: 5, to: 20)
        #expect(core.rest == ByteSpan(from: 5, count: 15) && !core.isComplete)
        for _ in 0..<3 {
            var pauses: [Int64] = []
            for _ in 1..<DownloadCore.failureCountMax { pauses.append(try core.failed(error("daemon.interrupted"))) }
            #expect(pauses == [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000])
            core.received(5)
        }
        #expect(core.isComplete && core.position == 20)
        var other = DownloadCore(from: 0, to: 1)
        for code in ["asset.unavailable", "asset.replaced"] {
            let isRetryable = code == "asset.unavailable"
            #expect(throws: KairanError.self) { try other.failed(error(code, retryable: isRetryable)) }
        }
        var silent = DownloadCore(from: 0, to: 1)
        for _ in 1..<DownloadCore.failureCountMax { _ = try silent.failed(error("daemon.unreachable")) }
        #expect(throws: KairanError.self) { try silent.failed(error("daemon.unreachable")) }
    }

    @Test func `names its bytes as HTTP does`() {
        #expect(ByteSpan(from: 3).header == "bytes=3-" && ByteSpan(from: 0, count: 1).header == "bytes=0-0")
        #expect(ByteSpan(from: 7, count: .max).header == "bytes=7-\(UInt64.max)")
        #expect(ContentSpan(contentRange: "bytes 3-9/10") == ContentSpan(first: 3, count: 7, total: 10))
        for text in ["bytes 3-9/*", "bytes 9-3/10", "bytes 3-10/10", "bytes */10", "lines 1-2/3", "bytes 1-2", ""] {
            #expect(ContentSpan(contentRange: text) == nil, "\(text)")
        }
    }
}

@Suite struct `The states of an asset` {
    private static let place = Asset.Place(zone: "z", record: "r", field: "f")

    private func asset(_ id: String, _ state: Asset.State, _ percent: Int = 0) -> Asset {
        Asset(asset: id, zone: "z", record: "r", field: "f", size: 10, state: state, percent: percent)
    }

    private func event(_ text: String) throws -> DaemonEvent { try DaemonClient.decode(Array(text.utf8)) }

    private func change(of record: String) throws -> DaemonEvent {
        try event(
            """
            {"event":"change","number":1,"token":"t","kind":"save","by_sync":true,"record":{"zone":"z","name":"\(record)",
            "type":"T","fields":{},"version":"v","deleted":false,"created_by":"d","modified_by":"d",
            "modified_at":"2026-07-21T09:30:00Z","conflicts":0}}
            """
        )
    }

    @Test func `are asked for when a stream begins, and follow its events`() throws {
        var core = AssetStatesCore(Self.place)
        #expect(try core.received(event(#"{"event":"snapshot","number":0,"zones":[]}"#)) == .ask)
        #expect(core.described(asset("a", .queued)) == asset("a", .queued))
        let half = #"{"event":"asset","number":1,"zone":"z","asset":"a","state":"partial","percent":50}"#
        #expect(try core.received(event(half)) == .show(asset("a", .partial, 50)))
        #expect(try core.received(event(half)) == .nothing)
        let other = #"{"event":"asset","number":1,"zone":"z","asset":"b","state":"present","percent":100}"#
        #expect(try core.received(event(other)) == .nothing)
        #expect(try core.received(change(of: "s")) == .nothing)
        #expect(try core.received(change(of: "r")) == .ask)
        #expect(core.described(asset("a", .partial, 50)) == nil)
        #expect(core.described(asset("b", .unresolved)) == asset("b", .unresolved))
        let peer = """
            {"event":"peer","number":3,"peer":{"device":"d","account":"a","name":"n","state":"connected","address":null,
            "via":null,"rtt_ms":null,"skew_ms":null,"role":"full"}}
            """
        #expect(try core.received(event(peer)) == .ask)
        #expect(try core.received(event(other)) == .show(asset("b", .present, 100)))
        #expect(try core.received(event(peer)) == .nothing, "all of it is here")
        #expect(core.received(nil) == .reopen)
        #expect(try core.received(event(#"{"event":"end","number":2,"reason":"stopping"}"#)) == .reopen)
    }

    @Test func `are asked for again after an interruption, unless the asset is gone`() throws {
        var core = AssetStatesCore(Self.place)
        func error(_ code: String, retryable: Bool) -> KairanError {
            KairanError(
                .refused,
                problem: Problem(
                    type: "",
                    title: "",
                    status: 0,
                    code: code,
                    detail: "",
                    fix: "",
                    isRetryable: retryable
                )
            )
        }
        #expect(try core.failed(error("daemon.unreachable", retryable: true)) == 250)
        #expect(try core.failed(error("daemon.unreachable", retryable: true)) == 500)
        _ = try core.received(event(#"{"event":"snapshot","number":0,"zones":[]}"#))
        #expect(try core.failed(error("daemon.interrupted", retryable: true)) == 250)
        #expect(throws: KairanError.self) { try core.failed(error("record.deleted", retryable: false)) }
    }

    @Test func `begin with the present one`() async throws {
        try await Backend.memory.run { kairan in
            let zone = try await kairan.container("org.example.photos").defaultZone()
            let picture = try await zone.upload(Data([1, 2, 3]))
            try await zone.save(RecordWrite("lake", type: "Photo", fields: ["picture": .asset(picture)]))
            var states = zone.assetStates("picture", of: "lake").makeAsyncIterator()
            let first = try await states.next()
            #expect(first?.state == .present && first?.asset == picture.asset)
            let other = try await zone.upload(Data([4]))
            try await zone.save(RecordWrite("lake", fields: ["picture": .asset(other)]))
            #expect(try await states.next()?.asset == other.asset)
            try await zone.delete("lake")
            let error = await #expect(throws: KairanError.self) { try await states.next() }
            #expect(error?.code == "record.deleted")
        }
    }
}
