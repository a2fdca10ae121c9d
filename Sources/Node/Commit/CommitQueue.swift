import CoreMetrics
import Sync
import Synchronization

/// Group commit: all writes that wait become one transaction, with one fsync for all.
///
/// `CommitBacklog` decides which jobs share a transaction. A single writer pays one fsync a write, and sixty-four writers pay little
/// more together than one alone.
///
/// Jobs run in the order in which they were enqueued, and their completions are called in that order from one task,
/// so listeners learn of commits in the order in which they became durable.
///
/// Overflow policy: when as many jobs wait as the backlog takes, a new one is refused with `busy`; nothing is dropped.
package final class CommitQueue: Sendable {
    /// Calls the completion of a job with the job's value.
    private typealias Success = @Sendable () -> Void

    private struct Entry: Sendable {
        var job: StorageJob<Success>
        /// Calls the completion with the error of the job or its transaction.
        var failed: @Sendable (any Error) -> Void
    }

    private struct State {
        var backlog = CommitBacklog<Entry>()
        var isStopped = false
    }

    private let storage: any StoragePort
    private let measures: CommitMetrics
    private let state = Mutex(State())
    private let wake: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation
    /// Has an element when the time of patient jobs begins.
    private let patience: AsyncStream<Void>
    private let patienceContinuation: AsyncStream<Void>.Continuation
    private let sleep: @Sendable () async throws -> Void

    /// Makes a queue in front of a store.
    package convenience init(storage: any StoragePort) {
        self.init(storage: storage, measures: CommitMetrics(NoMetrics()))
    }

    /// Makes a queue in front of a store, with its metrics.
    /// - Parameters:
    ///   - storage: The store.
    ///   - measures: The metrics.
    ///   - sleep: Returns after the time that a patient job waits at most.
    init(
        storage: any StoragePort,
        measures: CommitMetrics,
        sleep: @escaping @Sendable () async throws -> Void = {
            try await Task.sleep(for: .milliseconds(CommitBacklog<Entry>.patienceMilliseconds))
        }
    ) {
        self.storage = storage
        self.measures = measures
        self.sleep = sleep
        (wake, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (patience, patienceContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds a job.
    /// - Parameters:
    ///   - isPatient: Whether the job may wait for another one, about a second at the most.
    ///   - job: Runs inside a savepoint, or alone in its transaction, on the writing connection.
    ///   - completion: Called exactly once, later, unless the job is refused: when the job's transaction is durable, or
    ///     the job failed.
    /// - Returns: `false` when the queue is full or stopped: then neither is called.
    package func enqueue<Value: Sendable>(
        isPatient: Bool = false,
        _ job: @escaping StorageJob<Value>,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Bool {
        let entry = Entry { transaction in
            let value = try job(&transaction)
            return { completion(.success(value)) }
        } failed: {
            completion(.failure($0))
        }
        let admission = state.withLock { state in
            state.isStopped ? .refused : state.backlog.add(entry, isPatient: isPatient)
        }
        switch admission {
        case .refused:
            measures.refusals.increment()
            return false
        case .due: wakeContinuation.yield()
        case .timed: patienceContinuation.yield()
        case .joined: break
        }
        return true
    }

    /// Runs a job and waits until it is durable.
    /// - Parameters:
    ///   - job: The work to do in the transaction.
    ///   - whenDurable: Called in the order of the commits, before this returns, to notify listeners of the commit. A
    ///     notice after the return could overtake, or be overtaken by, that of the next commit.
    /// - Returns: The value of the job.
    /// - Throws: The error of the job, a `StorageError`, or `NodeError` `busy` or `notReady`.
    package func perform<Value: Sendable>(
        _ job: @escaping StorageJob<Value>,
        whenDurable: @escaping @Sendable (Value) -> Void = { _ in }
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let accepted = enqueue(job) { result in
                if case .success(let value) = result { whenDurable(value) }
                continuation.resume(with: result)
            }
            if !accepted { continuation.resume(throwing: refusal) }
        }
    }

    /// Commits until it is stopped or its task is cancelled; waiting jobs are still committed then.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.endPatience() }
            for await _ in wake {
                await commitWaiting()
                if state.withLock({ $0.isStopped && $0.backlog.count == 0 }) { break }
            }
            group.cancelAll()
        }
        // Cancelled: no caller may wait for ever for the answer to a job that was accepted.
        refuseFurther()
        await commitWaiting()
    }

    /// Makes a transaction due when patient jobs have waited long enough.
    private func endPatience() async {
        for await _ in patience {
            guard (try? await sleep()) != nil else { return }
            if state.withLock({ $0.backlog.patienceEnded() }) { wakeContinuation.yield() }
        }
    }

    private func commitWaiting() async {
        while let group = state.withLock({ $0.backlog.next() }) {
            await commit(group)
            // A commit on the store's own thread does not suspend: the core and the mail would wait for as long as jobs come.
            if state.withLock({ $0.backlog.count > 0 }) { await Task.yield() }
        }
    }

    /// Jobs that wait for a transaction.
    var waitingCount: Int { state.withLock { $0.backlog.count } }

    /// Refuses further jobs; `run()` returns when the waiting ones are committed.
    package func stop() {
        refuseFurther()
        wakeContinuation.yield()
    }

    private func refuseFurther() {
        state.withLock { state in
            state.isStopped = true
            state.backlog.hurry()
        }
    }

    private func commit(_ group: [Entry]) async {
        let start = ContinuousClock.now
        do {
            let results = try await storage.commit(group.map(\.job))
            measures.seconds.record(since: start)
            measures.jobs.increment(by: group.count)
            for (entry, result) in zip(group, results) {
                switch result {
                case .success(let succeeded): succeeded()
                case .failure(let error): entry.failed(error)
                }
            }
        } catch {
            measures.failures.increment()
            guard !state.withLock({ $0.backlog.retries(group, after: error) }) else { return }
            for entry in group { entry.failed(error) }
        }
    }

    /// The error for a job that was not accepted.
    var refusal: NodeError {
        guard !state.withLock({ $0.isStopped }) else {
            return NodeError(.notReady, "The daemon is stopping.", fix: "Try again when it runs.")
        }
        return NodeError(.busy, "Too many writes wait.", fix: "Try again in a moment.")
    }
}
