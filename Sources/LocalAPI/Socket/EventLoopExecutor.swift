import NIOCore
import Synchronization

/// An event loop as an executor of tasks.
///
/// A task that answers the requests of a connection runs on the connection's own loop, so that bytes which have arrived,
/// and answers to be written, change threads only where the store does the work between.
///
/// It has to outlive the tasks that prefer it.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    /// Makes an executor of a loop.
    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The executors of the event loops that carry connections, one for each.
final class EventLoopExecutors: Sendable {
    private let executors = Mutex<[ObjectIdentifier: EventLoopExecutor]>([:])

    /// Returns the executor of a loop, the same one each time.
    func executor(of loop: any EventLoop) -> EventLoopExecutor {
        executors.withLock { executors in
            let key = ObjectIdentifier(loop)
            if let known = executors[key] { return known }
            let made = EventLoopExecutor(loop)
            executors[key] = made
            return made
        }
    }
}
