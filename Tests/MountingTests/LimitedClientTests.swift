import Glibc
import NIOCore
import Synchronization
import Testing

@testable import KairanClient
@testable import Mounting

@Suite(.timeLimit(.minutes(5))) struct `A client with a bound for the time of an answer` {
    private static func read(_ daemon: ScriptedDaemon, within time: Duration) async throws -> [UInt8] {
        let place = Asset.Place(zone: "z", record: "a", field: "content")
        let assets = daemon.client.limited(to: time).assets
        var bytes: [UInt8] = []
        for try await piece in try await assets.bytes(
            of: "a1",
            size: UInt64(daemon.content.count),
            at: place,
            from: 0,
            count: UInt64(daemon.content.count),
            waitMilliseconds: 0
        ) { bytes += Array(piece) }
        return bytes
    }

    @Test func `fails where a daemon that hangs does not begin to answer`() async throws {
        let daemon = ScriptedDaemon([1, 2, 3]) { _, _ in .silence }
        let error = await #expect(throws: KairanError.self) {
            _ = try await Self.read(daemon, within: .milliseconds(1))
        }
        #expect(error?.code == "daemon.interrupted")
        #expect(error.map { WriteFault.number(of: $0) } == EIO)
    }

    @Test func `passes on answers, and failures as they are`() async throws {
        let daemon = ScriptedDaemon([1, 2, 3]) { _, index in index == 0 ? .bytes(of: "a1") : .unreachable }
        #expect(try await Self.read(daemon, within: .seconds(300)) == [1, 2, 3])
        let error = await #expect(throws: KairanError.self) {
            _ = try await Self.read(daemon, within: .seconds(300))
        }
        #expect(error?.kind == .unreachable)
    }

    @Test func `takes note of each piece of a body`() async throws {
        let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        for number in 0..<3 as Range<UInt8> { continuation.yield([number]) }
        continuation.finish()
        let count = Mutex(0)
        let body = RequestBody.pieces(pieces, length: 3).noting { count.withLock { $0 += 1 } }
        #expect(try await body.collected() == ByteBuffer(bytes: [0, 1, 2]))
        #expect(count.withLock { $0 } == 3)
    }
}
