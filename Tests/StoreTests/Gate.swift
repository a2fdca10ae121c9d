import Dispatch

/// Holds a thread of the store until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Blocks the calling thread, which must not be one of the concurrency pool's.
    func wait() { semaphore.wait() }

    /// Releases one waiter.
    func open() { semaphore.signal() }
}
