import CoreMetrics
import Sync
import Synchronization

/// Group commit: all writes that wait become one transaction, with one fsync for all.
///
/// While one transaction runs, further jobs gather; the next transaction takes them all, up to a bound. A single writer
/// therefore pays one fsync a write, and sixty-four writers pay little more together than one alone.
///
/// Jobs run in the order in which they were enqueued, and their completions are called in that order from one task,
/// so listeners learn of commits in the order in which they became durable.
///
/// Overflow policy: when more than ``waitingCountMax`` jobs wait, a new one is refused with `busy`; nothing is dropped.
package final class CommitQueue: Sendable {
    /// Calls the completion of a job with the job's value.
    private typealias Success = @Sendable () -> Void

    private struct Entry: Sendable {
        var job: StorageJob<Success>
        /// Calls the completion with the error of the job or its transaction.
        var failed: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: [Entry] = []
        var isStopped = false
    }

    /// Jobs that may wait; more are refused.
    package static let waitingCountMax = 65_536
    /// Jobs taken into one transaction: bounds how long one transaction holds the others up.
    package static let groupCountMax = 2_048

    private let storage: any StoragePort
    private let measures: CommitMetrics
    private let state = Mutex(State())
    private let wake: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation

    /// Makes a queue in front of a store.
    package convenience init(storage: any StoragePort) {
        self.init(storage: storage, measures: CommitMetrics(NoMetrics()))
    }

    /// Makes a queue in front of a store, with its metrics.
    init(storage: any StoragePort, measures: CommitMetrics) {
        self.storage = storage
        self.measures = measures
        (wake, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds a job.
    /// - Parameters:
    ///   - job: Runs inside a savepoint, or alone in its transaction, on the writing connection.
    ///   - completion: Called exactly once, later, unless the job is refused: when the job's transaction is durable, or
    ///     the job failed.
    /// - Returns: `false` when the queue is full or stopped: then neither is called.
    package func enqueue<Value: Sendable>(
        _ job: @escaping StorageJob<Value>,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Bool {
        let entry = Entry { transaction in
            let value = try job(&transaction)
            return { completion(.success(value)) }
        } failed: {
            completion(.failure($0))
        }
        let accepted = state.withLock { state in
            guard !state.isStopped, state.waiting.count < Self.waitingCountMax else { return false }
            state.waiting.append(entry)
            return true
        }
        if accepted { wakeContinuation.yield() } else { measures.refusals.increment() }
        return accepted
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
        for await _ in wake {
            await commitWaiting()
            if state.withLock({ $0.isStopped && $0.waiting.isEmpty }) { return }
        }
        // Cancelled: no caller may wait for ever for the answer to a job that was accepted.
        state.withLock { $0.isStopped = true }
        await commitWaiting()
    }

    private func commitWaiting() async {
        while true {
            let group = state.withLock { state in
                let group = Array(state.waiting.prefix(Self.groupCountMax))
                state.waiting.removeFirst(group.count)
                return group
            }
            if group.isEmpty { return }
            await commit(group)
        }
    }

    /// Jobs that wait for a transaction.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Refuses further jobs; `run()` returns when the waiting ones are committed.
    package func stop() {
        state.withLock { $0.isStopped = true }
        wakeContinuation.yield()
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
            guard group.count > 1, Self.mayBeOneJobsFault(error) else {
                for entry in group { entry.failed(error) }
                return
            }
            // One job made the transaction fail and took the others with it: each has its own now.
            for entry in group { await commit([entry]) }
        }
    }

    /// Whether smaller transactions may fare better: not when the disk is full or the store closed.
    static func mayBeOneJobsFault(_ error: any Error) -> Bool {
        guard let error = error as? StorageError else { return true }
        switch error.code {
        case .diskFull, .closed, .locked, .otherFormat, .inaccessible, .displaced: return false
        case .inputOutput, .corrupt, .misuse: return true
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
