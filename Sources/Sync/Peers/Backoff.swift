/// The delay before the next attempt: exponential with jitter, as a value.
///
/// Source: "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015), the *equal jitter* form: half of the delay is
/// certain, so that a failing peer is never hammered, and half is random, so that peers do not move in step.
package struct Backoff: Sendable, Equatable {
    /// The delay after the first failure, in milliseconds.
    package static let firstDelayMilliseconds: UInt64 = 500
    /// The longest delay, in milliseconds: a machine that wakes up waits at most this long for a peer that stayed.
    package static let longestDelayMilliseconds: UInt64 = 30_000
    /// After so long without a failure, in milliseconds, the next one is treated as the first; longer than a dial
    /// takes.
    package static let forgetMilliseconds: UInt64 = 15_000

    /// The longest pause after a refusal, in milliseconds: its cause is for people to change.
    package static let refusalMilliseconds: UInt64 = 600_000

    /// Whether the last attempt led to a refusal.
    private var isRefused = false
    /// Failures since the last success.
    package private(set) var failures: Int = 0
    /// Not before this time, in milliseconds of the monotonic clock.
    package private(set) var earliest: UInt64 = 0

    /// Starts with no failure.
    package init() {}

    /// Notes a failure: a dial that led nowhere, or a session that ended.
    ///
    /// A session that ends soon, time and again, is waited for longer and longer like a dial that fails.
    /// - Parameters:
    ///   - now: Milliseconds of the monotonic clock.
    ///   - random: The source of the jitter.
    package mutating func failed(at now: UInt64, random: inout some RandomNumberGenerator) {
        if now >= earliest + Self.forgetMilliseconds { failures = 0 }
        let exponent = min(failures, 16)
        failures += 1
        isRefused = false
        let full = min(Self.firstDelayMilliseconds << UInt64(exponent), Self.longestDelayMilliseconds)
        earliest = now + full / 2 + UInt64.random(in: 0...(full / 2), using: &random)
        assert(
            (now...now + Self.longestDelayMilliseconds).contains(earliest),
            "after a failure the next attempt is due within the longest delay"
        )
    }

    /// Notes that an attempt led to a refusal.
    /// - Parameters:
    ///   - now: Milliseconds of the monotonic clock.
    ///   - random: The source of the jitter.
    package mutating func refused(at now: UInt64, random: inout some RandomNumberGenerator) {
        isRefused = true
        let half = Self.refusalMilliseconds / 2
        earliest = now + half + UInt64.random(in: 0...half, using: &random)
    }

    /// Forgets a refusal.
    package mutating func forgetRefusal() {
        if isRefused { self = Backoff() }
    }

    /// Forgets all failures.
    package mutating func succeeded() {
        self = Backoff()
    }
}
