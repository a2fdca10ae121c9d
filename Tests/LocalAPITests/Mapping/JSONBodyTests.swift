import Hummingbird
import NIOCore
import Testing

@testable import LocalAPI

@Suite struct `The body of a request` {
    @Test(.timeLimit(.minutes(1))) func `that does not come to its end is not waited for for ever`() async throws {
        let (body, source) = RequestBody.makeStream()
        try await source.yield(ByteBuffer(string: "{\"name\":"))
        let error = await #expect(throws: RequestError.self) {
            try await JSONBody.bytes(of: body, limit: 100, patience: .milliseconds(1))
        }
        #expect(error?.code == .tooSlow)
        source.finish()
    }

    @Test func `comes in as many pieces as it likes, up to its limit`() async throws {
        let (body, source) = RequestBody.makeStream()
        async let bytes = JSONBody.bytes(of: body, limit: 10)
        for _ in 0..<10 { try await source.yield(ByteBuffer(string: "x")) }
        source.finish()
        #expect(try await bytes == [UInt8](repeating: 0x78, count: 10))
        let (long, more) = RequestBody.makeStream()
        async let refused = JSONBody.bytes(of: long, limit: 10)
        try await more.yield(ByteBuffer(string: "01234567890"))
        more.finish()
        let error = await #expect(throws: RequestError.self) { try await refused }
        #expect(error?.code == .tooLarge)
    }
}
