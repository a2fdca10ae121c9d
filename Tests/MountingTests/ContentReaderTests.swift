import Glibc
import KairanClient
import Testing

@testable import Mounting

@Suite struct `The content of an open file` {
    private static let content: [UInt8] = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    static func source(_ daemon: ScriptedDaemon, places: [String] = ["r"]) -> ContentSource {
        ContentSource(
            content: FileContent(asset: "a1", byteCount: UInt64(daemon.content.count)),
            places: { places.map { Asset.Place(zone: "z", record: $0, field: "f") } },
            assets: daemon.client.assets,
            waitMilliseconds: 1
        )
    }

    private func bytes(_ range: Range<UInt64>) -> [UInt8] {
        Array(Self.content[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    @Test func `that is read from its beginning to its end takes two answers`() async throws {
        let daemon = ScriptedDaemon(Self.content) { _, _ in .bytes(of: "a1") }
        var reader = ContentReader(Self.source(daemon))
        for first in stride(from: UInt64(0), to: 5_000, by: 1_000) {
            #expect(try await reader.read(first..<first + 1_000) { true } == bytes(first..<first + 1_000))
        }
        #expect(daemon.asked.map(\.range) == [0..<1_000, 1_000..<5_000])
        #expect(!reader.isStreaming)
    }

    @Test func `that is read here and there takes an answer for each reading`() async throws {
        let size = UInt64(3 * ReadPattern.skipMax)
        let content = (0..<Int(size)).map { UInt8(truncatingIfNeeded: $0 / 1_000) }
        let daemon = ScriptedDaemon(content) { _, _ in .bytes(of: "a1") }
        var reader = ContentReader(Self.source(daemon))
        for first in [size - 100, 0, size / 2] {
            #expect(try await reader.read(first..<first + 50) { true } == Array(content[Int(first)..<Int(first) + 50]))
        }
        #expect(daemon.asked.map { $0.range.upperBound - $0.range.lowerBound } == [50, 50, 50])
    }

    @Test func `goes on in one answer over a small gap`() async throws {
        let daemon = ScriptedDaemon(Self.content) { _, _ in .bytes(of: "a1") }
        var reader = ContentReader(Self.source(daemon))
        for range in [UInt64(0)..<100, 100..<200, 1_500..<1_600] {
            #expect(try await reader.read(range) { true } == bytes(range))
        }
        #expect(daemon.asked.map(\.range) == [0..<100, 100..<5_000])
    }

    @Test func `has no answer that stays open where there is no place for one`() async throws {
        let daemon = ScriptedDaemon(Self.content) { _, _ in .bytes(of: "a1") }
        var reader = ContentReader(Self.source(daemon))
        for range in [UInt64(0)..<100, 100..<200, 200..<300] { _ = try await reader.read(range) { false } }
        #expect(daemon.asked.map(\.range) == [0..<100, 100..<200, 200..<300])
    }

    @Test func `is read on behind an answer that broke, with the missing bytes`() async throws {
        let daemon = ScriptedDaemon(Self.content) { _, index in
            index % 2 == 0 ? .broken(of: "a1", after: 700) : .bytes(of: "a1")
        }
        var reader = ContentReader(Self.source(daemon))
        #expect(try await reader.read(0..<2_000) { true } == bytes(0..<2_000))
        #expect(try await reader.read(2_000..<4_000) { true } == bytes(2_000..<4_000))
        #expect(daemon.asked.map(\.range) == [0..<2_000, 700..<2_000, 2_000..<5_000, 2_700..<4_000])
    }

    @Test func `fails as a whole where the rest does not come`() async throws {
        let daemon = ScriptedDaemon(Self.content) { _, index in
            index == 0 ? .broken(of: "a1", after: 700) : .refused(503, "asset.unavailable", state: "unresolved")
        }
        var reader = ContentReader(Self.source(daemon))
        let error = await #expect(throws: KairanError.self) { try await reader.read(0..<2_000) { true } }
        #expect(error.map { ReadFault.number(of: $0) } == ETIMEDOUT)
    }

    @Test func `fails where the daemon is gone, and is read again when it is back`() async throws {
        let daemon = ScriptedDaemon(Self.content) { _, index in
            switch index {
            case 1: .broken(of: "a1", after: 100)
            case 2, 3: .unreachable
            default: .bytes(of: "a1")
            }
        }
        var reader = ContentReader(Self.source(daemon))
        #expect(try await reader.read(0..<500) { true } == bytes(0..<500))
        for _ in 0..<2 {
            let error = await #expect(throws: KairanError.self) { try await reader.read(500..<1_000) { true } }
            #expect(error.map { ReadFault.number(of: $0) } == EIO)
        }
        #expect(try await reader.read(500..<1_000) { true } == bytes(500..<1_000))
    }

    @Test func `is never that of another asset, and is looked for at each place that names it`() async throws {
        let daemon = ScriptedDaemon(Self.content) { request, _ in .bytes(of: request.record == "new" ? "a1" : "a2") }
        var reader = ContentReader(Self.source(daemon, places: ["old", "new"]))
        #expect(try await reader.read(0..<500) { true } == bytes(0..<500))
        #expect(daemon.asked.map(\.record) == ["old", "new"])
        var other = ContentReader(Self.source(daemon, places: ["old", "older"]))
        let error = await #expect(throws: KairanError.self) { try await other.read(0..<500) { true } }
        #expect(error.map { ReadFault.number(of: $0) } == ESTALE)
        var none = ContentReader(Self.source(daemon, places: []))
        await #expect(throws: ReadFault.stale) { try await none.read(0..<500) { true } }
    }

    @Test func `is not read by a size that is not its own`() async throws {
        let daemon = ScriptedDaemon(Self.content) { _, _ in .bytes(of: "a1") }
        var source = Self.source(daemon)
        source = ContentSource(
            content: FileContent(asset: "a1", byteCount: 6_000),
            places: source.places,
            assets: source.assets,
            waitMilliseconds: 1
        )
        var reader = ContentReader(source)
        let error = await #expect(throws: KairanError.self) { try await reader.read(0..<500) { true } }
        #expect(error.map { ReadFault.number(of: $0) } == EIO)
    }

    @Test func `fails with a number that says why`() async throws {
        for (code, state, number) in [
            ("asset.unavailable", "missing", ENODATA), ("asset.unavailable", "queued", ETIMEDOUT),
            ("asset.not_wanted", nil, EACCES), ("record.deleted", nil, ESTALE), ("asset.unknown", nil, ESTALE),
            ("zone.deleted", nil, ESTALE), ("storage.disk_full", nil, ENOSPC), ("busy", nil, EIO),
        ] as [(String, String?, Int32)] {
            let daemon = ScriptedDaemon(Self.content) { _, _ in .refused(400, code, state: state) }
            var reader = ContentReader(Self.source(daemon))
            let error = await #expect(throws: KairanError.self) { try await reader.read(0..<500) { true } }
            #expect(error.map { ReadFault.number(of: $0) } == number, "\(code)")
        }
        #expect(ReadFault.number(of: CancellationError()) == EINTR)
    }
}
