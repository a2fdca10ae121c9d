import Dispatch

/// Holds a thread of the store's back until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Blocks the calling thread, which must not be one of the concurrency pool's.
    func wait() { semaphore.wait() }

    /// Lets one waiter go.
    func open() { semaphore.signal() }
}
