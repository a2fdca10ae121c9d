import Synchronization

/// Group commit: all writes that wait become one transaction, with one fsync for all.
///
/// While one transaction runs, further jobs gather; the next transaction takes them all, up to a bound. A single writer
/// therefore pays one fsync a write, and sixty-four writers pay little more together than one alone.
///
/// Jobs run in the order in which they were enqueued, and their completions are called in that order from one task,
/// so whoever listens hears of commits in the order in which they became durable.
///
/// Overflow policy: when more than ``waitingCountMax`` jobs wait, a new one is refused with `busy`; nothing is dropped.
package final class CommitQueue: Sendable {
    /// Called when a job's transaction is durable, or the job failed.
    package typealias Completion = @Sendable (Result<any Sendable, any Error>) -> Void

    private struct Entry: Sendable {
        var job: StorageJob
        var completion: Completion
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
    private let state = Mutex(State())
    private let wake: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation

    /// Makes a queue in front of a store.
    package init(storage: any StoragePort) {
        self.storage = storage
        (wake, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds a job.
    /// - Parameters:
    ///   - job: Runs inside a savepoint on the writing connection.
    ///   - completion: Called exactly once, later, unless the job is refused.
    /// - Returns: `false` when the queue is full or stopped: then neither is called.
    package func enqueue(_ job: @escaping StorageJob, completion: @escaping Completion) -> Bool {
        let accepted = state.withLock { state in
            guard !state.isStopped, state.waiting.count < Self.waitingCountMax else { return false }
            state.waiting.append(Entry(job: job, completion: completion))
            return true
        }
        if accepted { wakeContinuation.yield() }
        return accepted
    }

    /// Runs a job and waits until it is durable.
    /// - Parameter job: What to do in the transaction.
    /// - Returns: What the job returned.
    /// - Throws: What the job threw, a `StorageError`, or `NodeError` `busy` or `notReady`.
    package func perform<Value: Sendable>(
        _ job: @escaping @Sendable (inout any NodeTransaction) throws -> Value
    ) async throws -> Value {
        let result: Result<any Sendable, any Error> = try await withCheckedThrowingContinuation { continuation in
            let accepted = enqueue { try job(&$0) } completion: { continuation.resume(returning: $0) }
            if !accepted { continuation.resume(throwing: Self.refusal) }
        }
        guard let value = try result.get() as? Value else {
            throw NodeError(.internalError, "A commit answered with another type.", fix: "Report this.")
        }
        return value
    }

    /// Commits until it is stopped; what waits then is still committed.
    package func run() async {
        for await _ in wake {
            while true {
                let group = state.withLock { state in
                    let group = Array(state.waiting.prefix(Self.groupCountMax))
                    state.waiting.removeFirst(group.count)
                    return group
                }
                if group.isEmpty { break }
                await commit(group)
            }
            if state.withLock({ $0.isStopped && $0.waiting.isEmpty }) { break }
        }
    }

    /// Refuses further jobs; `run()` returns when what waits is committed.
    package func stop() {
        state.withLock { $0.isStopped = true }
        wakeContinuation.yield()
    }

    private func commit(_ group: [Entry]) async {
        do {
            let results = try await storage.commit(group.map(\.job))
            for (entry, result) in zip(group, results) { entry.completion(result) }
        } catch {
            for entry in group { entry.completion(.failure(error)) }
        }
    }

    private static let refusal = NodeError(
        .busy,
        "Too many writes wait, or the daemon is stopping.",
        fix: "Try again in a moment."
    )
}
