import CoreMetrics
import Logging
import Records
import Sync
import Synchronization
import Wire

/// Enters messages into the inbox when the feed reports them, answers them, drops expired ones, and wakes callers
/// that wait for one.
package final class InboxService: Sendable {
    private struct State {
        var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var waiterCount: UInt64 = 0
        var due = Due.everything

        mutating func takeDue() -> Due {
            defer { due = .nothing }
            return due
        }
    }

    /// The reasons to work.
    private struct Due {
        /// Whether the feed reports something that is not entered.
        var hasUnseen: Bool
        /// The steps that may be due.
        var scope: InboxRound.Scope
        /// Whether custody of payloads may have to change, since rights, relays or the time have.
        var mayOweCustody: Bool

        static let nothing = Due(hasUnseen: false, scope: .messages, mayOweCustody: false)
        static let everything = Due(hasUnseen: true, scope: .everything, mayOweCustody: true)
    }

    /// The time after a failure until the work is tried again.
    private static let retryPause = Duration.seconds(5)

    private let commits: CommitQueue
    private let storage: any StoragePort
    private let commitService: CommitService
    /// Says that payloads may be wanted, or be for relays to keep.
    private let payloadsMayBeDue: @Sendable () -> Void
    private let received: Counter
    private let logger: Logger
    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation

    /// Makes a service that looks once when it begins to run, to enter messages that came before a crash.
    init(
        commits: CommitQueue,
        storage: any StoragePort,
        commitService: CommitService,
        payloadsMayBeDue: @escaping @Sendable () -> Void,
        received: Counter,
        logger: Logger
    ) {
        self.commits = commits
        self.storage = storage
        self.commitService = commitService
        self.payloadsMayBeDue = payloadsMayBeDue
        self.received = received
        self.logger = logger
        (wakes, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakeContinuation.yield()
    }

    /// Says that something may be due that no message has caused, such as a prekey or the end of something: after each
    /// round of maintenance, and when rights or keys have changed.
    func wake() {
        state.withLock { ($0.due.scope, $0.due.mayOweCustody) = (.everything, true) }
        wakeContinuation.yield()
    }

    /// Notes that the feed reports messages or receipts that are not entered.
    func feedGrew() {
        state.withLock { $0.due.hasUnseen = true }
        wakeContinuation.yield()
    }

    /// Says that a message may have become one that waits.
    func arrived() {
        tellArrival()
        wake()
    }

    /// Notes a transaction that has sent messages, once it is durable: the first message of a zone makes a prekey due.
    func sent(_ intake: Inbox.Intake) {
        entered(intake)
        guard intake.makesPrekeyDue else { return }
        state.withLock { $0.due.scope = .everything }
        wakeContinuation.yield()
    }

    /// Notes the messages that a transaction has entered, once it is durable.
    private func entered(_ intake: Inbox.Intake) {
        received.increment(by: intake.messageCount)
        if intake.hasArrivals { tellArrival() }
        if intake.hasWants || intake.hasCustodyChanges { payloadsMayBeDue() }
    }

    /// Works whenever it is woken, until its task is cancelled.
    func run() async {
        for await _ in wakes {
            do {
                let due = state.withLock { $0.takeDue() }
                // Most rounds that the feed does not cause find nothing, and need no transaction that writes.
                var isDue = due.hasUnseen ? true : try await self.isDue(due.scope)
                while isDue, !Task.isCancelled {
                    let hasMore = try await doRound(due.scope)
                    isDue = hasMore ? try await self.isDue(due.scope) : false
                }
                if due.mayOweCustody { payloadsMayBeDue() }
            } catch is CancellationError {
                return
            } catch {
                logger.warning("messages cannot be entered now", metadata: ["error": "\(error)"])
                do { try await Task.sleep(for: Self.retryPause) } catch { return }
                wake()
            }
        }
    }

    // MARK: Waiting

    /// Waits until something may have arrived, at most for some time; returns at once when the task is cancelled.
    func waitForArrival(milliseconds: UInt64, unless hasArrived: () async throws -> Bool) async throws {
        let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.waiterCount += 1
            state.waiters[state.waiterCount] = continuation
            return state.waiterCount
        }
        defer { state.withLock { $0.waiters[number] = nil } }
        // A message that arrives from here on is signalled, and one that came before is there.
        if try await hasArrived() { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in arrivals { return }
            }
            group.addTask {
                // Cancellation is one of the ways in which this ends.
                try? await Task.sleep(for: .milliseconds(milliseconds))
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func tellArrival() {
        let waiters = state.withLock { Array($0.waiters.values) }
        for waiter in waiters { waiter.yield() }
    }

    // MARK: Work

    /// Messages that are to be finished.
    struct Selection: Sendable {
        let ids: [MessageID]
        /// The number behind which there may be more of them; `nil` when these are all.
        var next: UInt64?
    }

    /// The messages that were to be finished, and were found.
    struct Finishing: Sendable {
        let found: Set<MessageID>
        /// The refusals of those that are not finished.
        let refusals: [MessageID: MessageRefusal]
        /// The number behind which there may be more; `nil` when these are all.
        let next: UInt64?

        fileprivate init(_ selection: Selection, _ refusals: [MessageID: MessageRefusal]) {
            found = Set(selection.ids)
            self.refusals = refusals
            next = selection.next
        }
    }

    /// Finishes messages, and answers them in the same transaction where that is possible.
    /// - Parameter find: Finds the messages.
    /// - Returns: The messages that were found.
    /// - Throws: The error of `find`, or an error of the store.
    func finish(
        _ find: @escaping @Sendable (any NodeTransaction) throws -> Selection
    ) async throws -> Finishing {
        let result = try await performing { committer, transaction in
            let selection = try find(transaction)
            let finished = try InboxRound(committer).finish(selection.ids, in: &transaction)
            return (Finishing(selection, finished.value), finished.intake)
        }
        if case .done(let finishing, let intake) = result {
            if intake.hasMore { wake() }
            return finishing
        }
        // Something else in the round was refused. The answers are owed, and the messages are finished all the same.
        let finished = try await performing { committer, transaction in
            let selection = try find(transaction)
            let finished = try Inbox(committer).finish(selection.ids, in: &transaction)
            return (Finishing(selection, finished.reply), Inbox.Intake(notice: finished.notice))
        }
        switch finished {
        case .refused(let error): throw error
        case .done(let finishing, _):
            wake()
            return finishing
        }
    }

    /// The result of a job about messages.
    private enum JobResult<Value: Sendable>: Sendable {
        case done(Value, Inbox.Intake)
        /// Something that is not due to the disk prevents it; nothing was changed.
        case refused(any Error)
    }

    /// Whether a round has something to do.
    private func isDue(_ scope: InboxRound.Scope) async throws -> Bool {
        try await storage.read { [commitService] in try InboxRound(commitService.committer).isDue(scope, in: $0) }
    }

    /// Does a round.
    /// - Returns: Whether there may be more to do.
    private func doRound(_ scope: InboxRound.Scope) async throws -> Bool {
        switch try await performing({ ((), try InboxRound($0).run(scope, in: &$1)) }) {
        case .done(_, let intake): return intake.hasMore
        case .refused:
            try await doSteps(scope)
            return false
        }
    }

    /// Does the parts of a round one by one; those that are refused stay due.
    private func doSteps(_ scope: InboxRound.Scope) async throws {
        var hasMore = true
        while hasMore, !Task.isCancelled {
            switch try await performing({ ((), try Inbox($0).take(in: &$1)) }) {
            case .done(_, let intake): hasMore = intake.hasMore
            case .refused(let error): throw error
            }
        }
        let steps = try await storage.read { [commitService] in
            try InboxRound(commitService.committer).steps(scope, in: $0)
        }
        for step in steps { try await doParts(of: step) }
    }

    /// Does a step until nothing of it is left, or it is refused.
    private func doParts(of step: InboxRound.Step) async throws {
        var hasMore = true
        while hasMore, !Task.isCancelled {
            let result = try await performing { committer, transaction in
                ((), Inbox.Intake(notice: try InboxRound(committer).perform(step, in: &transaction)))
            }
            switch result {
            case .done(_, let intake):
                hasMore = step.isInParts && intake.notice.number != nil
            case .refused(let error):
                hasMore = false
                let metadata: Logger.Metadata = ["step": "\(step)", "error": "\(error)"]
                logger.log(
                    level: error is CommitError ? .debug : .warning,
                    "work on messages is refused now",
                    metadata: metadata
                )
            }
        }
    }

    private func performing<Value: Sendable>(
        _ job: @escaping @Sendable (Committer, inout any NodeTransaction) throws -> (Value, Inbox.Intake)
    ) async throws -> JobResult<Value> {
        do {
            let (value, intake) = try await commits.perform { [commitService] transaction in
                try commitService.change(&transaction) { committer, _, transaction in try job(committer, &transaction) }
            } whenDurable: { [commitService] in
                commitService.announce($0.1.notice)
                self.entered($0.1)
            }
            return .done(value, intake)
        } catch let error as CommitError {
            return .refused(error)
        } catch let error as ReplicaError {
            return .refused(error)
        } catch let error as StorageError where error.code == .corrupt {
            return .refused(error)
        }
    }
}
