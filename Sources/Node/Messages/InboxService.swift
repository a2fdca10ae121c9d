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
        /// Whether work may be due that the feed does not report.
        var mayBeDue = true

        mutating func takeDue() -> Bool {
            defer { mayBeDue = false }
            return mayBeDue
        }
    }

    /// The time after a failure until the work is tried again.
    private static let retryPause = Duration.seconds(5)

    private let commits: CommitQueue
    private let storage: any StoragePort
    private let replica: ReplicaService
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
        replica: ReplicaService,
        payloadsMayBeDue: @escaping @Sendable () -> Void,
        received: Counter,
        logger: Logger
    ) {
        self.commits = commits
        self.storage = storage
        self.replica = replica
        self.payloadsMayBeDue = payloadsMayBeDue
        self.received = received
        self.logger = logger
        (wakes, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakeContinuation.yield()
    }

    /// Says that something may be due: an answer, a prekey, the end of something.
    func wake() {
        state.withLock { $0.mayBeDue = true }
        wakeContinuation.yield()
    }

    /// Notes that the feed reports messages or receipts that are not entered.
    func feedGrew() { wakeContinuation.yield() }

    /// Says that a message may have become one that waits.
    func arrived() {
        tellArrival()
        wake()
    }

    /// Notes the messages that a transaction has entered, once it is durable.
    func entered(_ intake: Inbox.Intake) {
        received.increment(by: intake.messageCount)
        if intake.hasArrivals { tellArrival() }
        if intake.hasWants || intake.hasCustodyChanges { payloadsMayBeDue() }
    }

    /// Works whenever it is woken, until its task is cancelled.
    func run() async {
        for await _ in wakes {
            do {
                let looksForSteps = state.withLock { $0.takeDue() }
                var hasMore = true
                while hasMore, !Task.isCancelled { hasMore = try await doRound(looksForSteps: looksForSteps) }
                // The relays in use may have changed.
                if looksForSteps { payloadsMayBeDue() }
            } catch is CancellationError {
                return
            } catch {
                // The messages that were entered stay.
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

    /// Finishes a message, and answers it in the same transaction where that is possible.
    /// - Parameter find: Finds the message.
    /// - Throws: ``CommitError`` `message` for one that cannot be finished, the error of `find`, or an error of the store.
    func finish(_ find: @escaping @Sendable (any NodeTransaction) throws -> MessageID) async throws {
        let result = try await performing { committer, transaction in
            let id = try find(transaction)
            return try InboxRound(committer).finish(id, in: &transaction)
        }
        guard case .refused(let error) = result else { return }
        if case .message = error { throw error }
        // The answer was refused. It is owed, and the message is finished all the same.
        _ = try await performing { committer, transaction in
            let id = try find(transaction)
            return Inbox.Intake(notice: try Inbox(committer).finish(id, in: &transaction))
        }
        wake()
    }

    /// The result of a job about messages.
    private enum JobResult {
        case done(hasMore: Bool)
        /// A record cannot be written at this moment; nothing was changed.
        case refused(CommitError)
    }

    /// Does a round.
    /// - Returns: Whether there may be more to do.
    private func doRound(looksForSteps: Bool) async throws -> Bool {
        if looksForSteps {
            // Most rounds that are not caused by a message find nothing, and need no transaction that writes.
            let isDue = try await storage.read { [replica] in try InboxRound(replica.committer).isDue(in: $0) }
            guard isDue else { return false }
        }
        let result = try await performing { try InboxRound($0).run(looksForSteps: looksForSteps, in: &$1) }
        switch result {
        case .done(let hasMore): return hasMore
        case .refused:
            try await doSteps()
            return false
        }
    }

    /// Does the parts of a round one by one; those that are refused stay due.
    private func doSteps() async throws {
        while case .done(true) = try await performing({ try Inbox($0).take(in: &$1) }), !Task.isCancelled {}
        let steps = try await storage.read { [replica] in try InboxRound(replica.committer).steps(in: $0) }
        for step in steps {
            let result = try await performing { committer, transaction in
                Inbox.Intake(notice: try InboxRound(committer).perform(step, in: &transaction))
            }
            guard case .refused(let error) = result else { continue }
            logger.debug("work on messages is refused now", metadata: ["step": "\(step)", "error": "\(error)"])
        }
    }

    private func performing(
        _ job: @escaping @Sendable (Committer, inout any NodeTransaction) throws -> Inbox.Intake
    ) async throws -> JobResult {
        do {
            let intake = try await commits.perform { [replica] transaction in
                try replica.change(&transaction) { committer, _, transaction in try job(committer, &transaction) }
            } whenDurable: { [replica] in
                replica.announce($0.notice)
                self.entered($0)
            }
            return .done(hasMore: intake.hasMore)
        } catch let error as CommitError {
            return .refused(error)
        }
    }
}
