import TestSupport
import Testing

@testable import LocalAPI

@Suite struct `A token bucket` {
    @Test func `gives its burst at once and then its rate`() throws {
        var bucket = TokenBucket(try #require(RequestRate(perSecond: 10, burst: 3)))
        for _ in 0..<3 { #expect(bucket.take(at: 5) == nil) }
        #expect(bucket.take(at: 5) == 100_000_000)
        #expect(bucket.take(at: 100_000_004) == 1)
        #expect(bucket.take(at: 100_000_005) == nil)
        // A long rest fills it, and no more than that.
        for _ in 0..<3 { #expect(bucket.take(at: 1_000_000_000_000) == nil) }
        #expect(bucket.take(at: 1_000_000_000_000) != nil)
    }

    @Test func `of an application whose rate has changed holds it to the new one`() throws {
        let limiter = RequestLimiter(now: { 0 })
        func application(_ burst: UInt32) throws -> Role {
            let rate = try #require(RequestRate(perSecond: 1, burst: burst))
            return .application(
                ApplicationBinding(name: "notes", subject: .user(7), containers: ["org.example.notes"], rate: rate)
            )
        }
        #expect(try limiter.wait(for: application(1)) == nil)
        #expect(try limiter.wait(for: application(1)) != nil)
        for _ in 0..<3 { #expect(try limiter.wait(for: application(3)) == nil) }
        #expect(try limiter.wait(for: application(3)) != nil)
    }

    @Test func `cannot be made without a rate`() {
        #expect(RequestRate(perSecond: 0, burst: 1) == nil && RequestRate(perSecond: 1, burst: 0) == nil)
        #expect(RequestRate(perSecond: RequestRate.max + 1, burst: 1) == nil)
    }

    @Test(arguments: 0..<64 as Range<UInt64>)
    func `never permits more than burst and rate in any interval, and always permits the announced amount`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let perSecond = UInt32.random(in: 1...2_000, using: &random)
        let burst = UInt32.random(in: 1...50, using: &random)
        var bucket = TokenBucket(try #require(RequestRate(perSecond: perSecond, burst: burst)))
        let interval = 1_000_000_000 / UInt64(perSecond)
        var now = UInt64.random(in: 0...1 << 40, using: &random)
        var granted: [UInt64] = []
        for _ in 0..<500 {
            now += UInt64.random(in: 0...interval * 2, using: &random)
            let before = bucket
            if let wait = bucket.take(at: now) {
                #expect(bucket == before, "seed \(seed): a refusal costs nothing")
                #expect(wait > 0 && wait <= interval + 1, "seed \(seed): \(wait)")
                var early = bucket
                #expect(wait == 1 || early.take(at: now + wait - 1) != nil, "seed \(seed)")
                if Bool.random(using: &random) {
                    now += wait
                    #expect(bucket.take(at: now) == nil, "seed \(seed)")
                    granted.append(now)
                }
            } else {
                granted.append(now)
            }
        }
        for first in granted.indices {
            for last in first..<granted.count {
                let most = UInt64(burst) + (granted[last] - granted[first]) / interval
                #expect(UInt64(last - first + 1) <= most, "seed \(seed): \(first)...\(last)")
            }
        }
        #expect(granted.count > 50, "seed \(seed)")
    }
}
