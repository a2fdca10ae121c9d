/// Limits events to a rate; time is an argument.
///
/// It remembers one moment: the time at which the bucket would be full again. Each token taken moves it on by the
/// time in which a token comes back, rounded up to whole nanoseconds, and a token is available while that moment is
/// no further away than a whole bucket. So it is exact, and never exceeds the rate.
package struct TokenBucket: Sendable, Hashable {
    /// The rate.
    package let rate: RequestRate
    private var fullAt: UInt64 = 0

    /// A full bucket.
    package init(_ rate: RequestRate) {
        self.rate = rate
    }

    /// Takes a token.
    /// - Parameter now: Nanoseconds of a clock that does not go back.
    /// - Returns: `nil` when there was one; otherwise in how many nanoseconds there will be one.
    package mutating func take(at now: UInt64) -> UInt64? {
        let interval = (1_000_000_000 + UInt64(rate.perSecond) - 1) / UInt64(rate.perSecond)
        let next = max(fullAt, now) + interval
        let latest = now + interval * UInt64(rate.burst)
        guard next <= latest else { return next - latest }
        fullAt = next
        return nil
    }
}
