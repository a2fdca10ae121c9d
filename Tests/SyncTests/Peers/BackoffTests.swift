import Sync
import TestSupport
import Testing

@Suite struct BackoffTests {
    @Test func `each failure doubles the wait up to the longest, and half of it is random`() {
        for seed in 0..<50 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var backoff = Backoff()
            var now: UInt64 = 1_000_000
            for failure in 0..<12 {
                let full = min(Backoff.firstDelayMilliseconds << UInt64(failure), Backoff.longestDelayMilliseconds)
                backoff.failed(at: now, random: &random)
                #expect(backoff.failures == failure + 1, "seed \(seed)")
                #expect((now + full / 2...now + full).contains(backoff.earliest), "seed \(seed), failure \(failure)")
                now = backoff.earliest
            }
        }
    }

    @Test func `two peers do not wait equally long`() {
        var delays: Set<UInt64> = []
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var backoff = Backoff()
            backoff.failed(at: 0, random: &random)
            delays.insert(backoff.earliest)
        }
        #expect(delays.count > 10)
    }

    @Test func `success forgets all failures`() {
        var random = SeededGenerator(seed: 1)
        var backoff = Backoff()
        for _ in 0..<100 { backoff.failed(at: 0, random: &random) }
        backoff.succeeded()
        #expect(backoff == Backoff())
    }

    @Test func `a failure after a long time without one counts as the first`() {
        var random = SeededGenerator(seed: 1)
        var backoff = Backoff()
        for _ in 0..<10 { backoff.failed(at: 1_000, random: &random) }
        let later = backoff.earliest + Backoff.forgetMilliseconds
        backoff.failed(at: later, random: &random)
        #expect(backoff.failures == 1)
        #expect(backoff.earliest <= later + Backoff.firstDelayMilliseconds)
    }
}
