import TestSupport
import Testing

@testable import Sync

@Suite struct `A time with jitter` {
    @Test func `is up to a tenth shorter or longer, and both to the full`() {
        var random = SeededGenerator(seed: 1)
        let times = (0..<10_000).map { _ in UInt64(1_000).jittered(using: &random) }
        #expect(times.min() == 900 && times.max() == 1_100)
    }
}
