import Hummingbird
import NIOCore
import NIOPosix
import Testing

@testable import LocalAPI

@Suite struct `The body of a request` {
    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `that does not come to its end is not waited for for ever`(isOnLoop: Bool) async throws {
        let (body, source) = RequestBody.makeStream()
        await source.yield(ByteBuffer(string: "{\"name\":"))
        let executor = EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
        let error = await withTaskExecutorPreference(isOnLoop ? executor : nil) {
            await #expect(throws: RequestError.self) {
                try await JSONBody.bytes(of: body, limit: 100, patience: .milliseconds(1))
            }
        }
        #expect(error?.code == .tooSlow)
        source.finish()
    }

    @Test func `comes in as many pieces as it likes, up to its limit`() async throws {
        #expect(try await Self.read(pieces: 10, of: "x") == [UInt8](repeating: 0x78, count: 10))
        let error = await #expect(throws: RequestError.self) { _ = try await Self.read(pieces: 3, of: "abcd") }
        #expect(error?.code == .tooLarge)
    }

    private static func read(pieces: Int, of text: String) async throws -> [UInt8] {
        let (body, source) = RequestBody.makeStream()
        async let bytes = JSONBody.bytes(of: body, limit: 10)
        for _ in 0..<pieces { await source.yield(ByteBuffer(string: text)) }
        source.finish()
        return try await bytes
    }
}
