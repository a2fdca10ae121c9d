import Synchronization

extension SyncEngine {
    /// Fetches all that others have changed until now.
    ///
    /// It returns once the application has dealt with the events and with the state that goes with them. Where a task runs the engine
    /// that one does the work, otherwise this call does. Nothing is sent for it.
    /// - Throws: ``KairanError`` of the first attempt that failed; `CancellationError`.
    public func fetchChanges() async throws { try await work(for: .fetched) }

    /// Sends all changes that are pending.
    ///
    /// It returns once the application has learned the outcome of each change. A change that is refused for good is
    /// then among the ``failedChanges``, and not an error. If a task runs the engine, that task does the work,
    /// otherwise this call does.
    /// - Throws: ``KairanError`` of the first attempt that failed: unsent changes are still pending.
    ///   `CancellationError`.
    public func sendChanges() async throws { try await work(for: .sent) }

    /// A waiting call.
    struct Waiter: Sendable {
        var number: Int
        /// `nil` of one that waits for its turn.
        var goal: EngineGoal?
        /// Resumed with `nil` when no task works any more.
        var continuation: CheckedContinuation<GoalOutcome?, Never>
    }

    private func work(for goal: EngineGoal) async throws {
        shared.withLock { $0.core.begin(goal) }
        while true {
            try Task.checkCancellation()
            let isDriver = begin(
                AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)).continuation
            )
            let outcome = isDriver ? try await drive(to: goal) : await waited(for: goal)
            switch outcome {
            case .reached: return
            case .failed(let problem): throw KairanError(problem)
            case nil: continue
            }
        }
    }

    /// Starts to work.
    /// - Parameter wake: The stream that wakes this task.
    /// - Returns: False while another task works.
    func begin(_ wake: AsyncStream<Void>.Continuation) -> Bool {
        shared.withLock { shared in
            guard shared.wake == nil else { return false }
            shared.wake = wake
            return true
        }
    }

    /// Works until a goal is reached, and meanwhile also for other waiting calls.
    private func drive(to goal: EngineGoal) async throws -> GoalOutcome? {
        defer { release() }
        while true {
            try Task.checkCancellation()
            settle()
            let (outcome, effect) = shared.withLock { shared in
                let outcome = shared.core.outcome(of: goal)
                let goals = shared.goals.union([goal])
                let effect =
                    outcome == nil ? shared.core.next(at: EngineClock.now, for: goals, isAutomatic: false) : nil
                return (outcome, effect)
            }
            switch effect {
            case nil, .rest(until: nil): return outcome
            case .rest(let until?): try await EngineClock.sleep(until: until)
            case let effect?: try await perform(effect)
            }
        }
    }

    /// Waits for the working task.
    /// - Parameter goal: The goal to wait for; `nil` for the end of the work alone.
    /// - Returns: The outcome of the goal; `nil` when no task works any more, or the task was cancelled.
    func waited(for goal: EngineGoal?) async -> GoalOutcome? {
        let number = shared.withLock { shared in
            shared.waiterCount += 1
            return shared.waiterCount
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = shared.withLock { shared in
                    guard let wake = shared.wake, !Task.isCancelled else { return false }
                    shared.waiters.append(Waiter(number: number, goal: goal, continuation: continuation))
                    wake.yield()
                    return true
                }
                if !waits { continuation.resume(returning: nil) }
            }
        } onCancel: {
            let waiter = shared.withLock { shared in
                shared.waiters.firstIndex { $0.number == number }.map { shared.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: nil)
        }
    }

    /// Resumes the waiting calls whose goal is reached, or was missed.
    func settle() {
        let settled = shared.withLock { shared in
            let outcomes = shared.waiters.map { waiter in
                (waiter, waiter.goal.flatMap { shared.core.outcome(of: $0) })
            }
            shared.waiters = outcomes.filter { $0.1 == nil }.map(\.0)
            return outcomes.filter { $0.1 != nil }
        }
        for (waiter, outcome) in settled { waiter.continuation.resume(returning: outcome) }
    }

    /// Ends the work of this task; waiting calls go on by themselves.
    func release() {
        let waiters = shared.withLock { shared in
            shared.wake = nil
            defer { shared.waiters = [] }
            return shared.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }
}

extension SyncEngine.Shared {
    /// The goals of the waiting calls.
    var goals: Set<EngineGoal> { Set(waiters.compactMap(\.goal)) }
}

extension KairanError {
    /// The failure of an attempt.
    fileprivate init(_ problem: Problem) {
        let kind: Kind =
            switch problem.code {
            case "daemon.unreachable": .unreachable
            case "daemon.interrupted": .interrupted
            case "daemon.unexpected_answer": .unexpectedAnswer
            default: .refused
            }
        self.init(kind, problem: problem)
    }
}
