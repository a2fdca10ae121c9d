import Glibc

/// The two clocks of a node, as functions so that a test may turn them.
package struct NodeClock: Sendable {
    /// Milliseconds since an arbitrary start; never goes back.
    package let monotonic: @Sendable () -> UInt64
    /// Milliseconds since 1970.
    package let wall: @Sendable () -> UInt64

    /// Makes clocks from two functions.
    package init(monotonic: @escaping @Sendable () -> UInt64, wall: @escaping @Sendable () -> UInt64) {
        self.monotonic = monotonic
        self.wall = wall
    }

    /// The machine's clocks.
    package static let system: NodeClock = {
        let start = ContinuousClock.now
        return NodeClock(
            monotonic: { UInt64(max(start.duration(to: .now) / .milliseconds(1), 0)) },
            wall: {
                var time = timespec()
                clock_gettime(CLOCK_REALTIME, &time)
                return UInt64(max(time.tv_sec, 0)) * 1_000 + UInt64(max(time.tv_nsec, 0)) / 1_000_000
            }
        )
    }()

    /// Waits for a moment, before a caller looks again.
    /// - Returns: False when no caller waits any more.
    static func rest() async -> Bool {
        do {
            try await Task.sleep(for: .milliseconds(50))
            return true
        } catch {
            return false
        }
    }
}
