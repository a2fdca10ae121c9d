import Glibc
import Testing

@testable import Mounting

@Suite struct `A start in the background` {
    @Test func `knows whether the process that waits for it is there`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[1]) }
        #expect(BackgroundStart.isAwaited(by: ends[1]))
        close(ends[0])
        #expect(!BackgroundStart.isAwaited(by: ends[1]))
    }
}
