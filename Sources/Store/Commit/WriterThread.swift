import Foundation
import Synchronization

/// The thread on which a store commits, as an executor of tasks.
///
/// A task that prefers it commits, and decides what follows, without a change of threads: each change costs more than a
/// small transaction. Its jobs may block. They run one after the other, in the order in which they came.
///
/// Overflow policy: none; each job is a task that runs already, and what makes tasks bounds their number.
///
/// It has to outlive the tasks that prefer it, as those of services outlive no store. The thread ends with it.
final class WriterThread: TaskExecutor {
    /// The jobs, which the thread shares with the executor and does not keep alive.
    private final class Queue: Sendable {
        private struct State {
            var jobs: [UnownedJob] = []
            var hasEnded = false
        }

        private let state = Mutex(State())
        private let wake = DispatchSemaphore(value: 0)
        /// The identity of the thread; zero before it runs.
        private let thread = Atomic<UInt>(0)

        /// Whether the calling thread is the one that runs the jobs.
        var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

        func add(_ job: UnownedJob) {
            let isFirst = state.withLock { state in
                state.jobs.append(job)
                return state.jobs.count == 1
            }
            if isFirst { wake.signal() }
        }

        func end() {
            state.withLock { $0.hasEnded = true }
            wake.signal()
        }

        /// Runs jobs until the executor is gone.
        func run(on executor: UnownedTaskExecutor) {
            thread.store(UInt(pthread_self()), ordering: .relaxed)
            // The kernel's tools show it.
            Thread.current.name = "kairan.writer"
            while true {
                wake.wait()
                let (jobs, hasEnded) = state.withLock { state in
                    defer { state.jobs = [] }
                    return (state.jobs, state.hasEnded)
                }
                for job in jobs { job.runSynchronously(on: executor) }
                if hasEnded, jobs.isEmpty { return }
            }
        }
    }

    private let queue = Queue()

    /// Starts the thread.
    init() {
        let (queue, executor) = (queue, asUnownedTaskExecutor())
        Thread { queue.run(on: executor) }.start()
    }

    deinit {
        queue.end()
    }

    /// Whether the caller runs on this thread.
    var isCurrent: Bool { queue.isCurrent }

    func enqueue(_ job: consuming ExecutorJob) {
        queue.add(UnownedJob(job))
    }
}
