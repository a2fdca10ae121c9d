import Node
import Synchronization

/// A wall clock that a test may set ahead; the monotonic one is the machine's.
final class TurnedClock: Sendable {
    private let offset = Mutex<UInt64>(0)
    private let passed = Mutex<UInt64>(0)

    /// Lets time pass, by the wall clock and by the one that never jumps.
    func pass(_ milliseconds: UInt64) {
        passed.withLock { $0 += milliseconds }
        advance(by: milliseconds)
    }

    /// Sets the wall clock ahead.
    func advance(by milliseconds: UInt64) {
        offset.withLock { $0 += milliseconds }
    }

    var clock: NodeClock {
        NodeClock(
            monotonic: { [self] in NodeClock.system.monotonic() + passed.withLock { $0 } },
            wall: { [self] in NodeClock.system.wall() + offset.withLock { $0 } }
        )
    }
}
