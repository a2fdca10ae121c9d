import Node
import Synchronization

/// A wall clock that a test may put forward; the monotonic one is the machine's.
final class TurnedClock: Sendable {
    private let offset = Mutex<UInt64>(0)

    func advance(by milliseconds: UInt64) {
        offset.withLock { $0 += milliseconds }
    }

    var clock: NodeClock {
        NodeClock(
            monotonic: NodeClock.system.monotonic,
            wall: { [self] in NodeClock.system.wall() + offset.withLock { $0 } }
        )
    }
}
