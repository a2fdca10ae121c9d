import KairanClient
import Testing

@testable import KairanClient

@Suite struct `Writes in parts` {
    private func write(_ byteCount: Int) -> JSONValue { .string(String(repeating: "x", count: byteCount - 2)) }

    @Test func `no part has more writes or bytes than a request may have`() {
        #expect(DaemonClient.parts(of: []).isEmpty)
        let many = DaemonClient.parts(of: Array(repeating: write(10), count: 2_500))
        #expect(many.map(\.count) == [1_000, 1_000, 500])
        let large = DaemonClient.parts(of: Array(repeating: write(1 << 20), count: 9))
        #expect(large.map(\.count) == [4, 4, 1])
        // A write that is larger than a part goes alone: the daemon reports its mistake.
        #expect(DaemonClient.parts(of: [write(10), write(5 << 20), write(10)]).map(\.count) == [1, 1, 1])
    }
}
