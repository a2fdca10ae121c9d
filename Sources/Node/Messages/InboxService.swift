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

    /// Notes that the feed reports messages or receipts; nothing but the feed is looked through.
    func feedGrew() { wakeContinuation.yield() }

    /// Says that a message may have become one that waits.
    func arrived() {
        tellArrival()
        wake()
    }

    /// Works whenever it is woken, until its task is cancelled.
    func run() async {
        for await _ in wakes {
            do {
                while !Task.isCancelled, try await takeSome() {}
                guard state.withLock({ $0.takeDue() }) else { continue }
                // Before the answers: a sender that learns that a message cannot be opened has to know the key that
                // can.
                try await statePrekeys()
                try await answer()
                try await dropExpired()
                // The recipients that have answered, and the relays in use, may have changed.
                payloadsMayBeDue()
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

    /// Enters some of the messages that the feed reports.
    /// - Returns: Whether there may be more.
    private func takeSome() async throws -> Bool {
        guard try await storage.read({ [replica] in try Inbox(replica.committer).hasUnseen(in: $0) }) else {
            return false
        }
        let intake = try await commits.perform { [replica] transaction in
            try Inbox(replica.committer).take(in: &transaction)
        } whenDurable: { [replica] in
            replica.announce($0.notice)
        }
        state.withLock { $0.mayBeDue = true }
        received.increment(by: intake.messageCount)
        if intake.hasArrivals { tellArrival() }
        return intake.hasMore
    }

    /// States prekeys where that is due.
    private func statePrekeys() async throws {
        let zones = try await storage.read { [replica] in try Prekeys(replica.committer).zonesLacking(in: $0) }
        try await write(in: zones) { try Prekeys($0).state($1, in: &$2) }
    }

    /// Writes the answers that are owed.
    private func answer() async throws {
        let zones = try await storage.read { [replica] in try Inbox(replica.committer).zonesOwingAnswers(in: $0) }
        try await write(in: zones) { try Inbox($0).writeAnswers($1, in: &$2) }
    }

    private func write(
        in zones: [ZoneID],
        _ job: @escaping @Sendable (Committer, ZoneID, inout any NodeTransaction) throws -> CommitNotice
    ) async throws {
        for zone in zones {
            do {
                try await performing { try job($0, zone, &$1) }
            } catch let error as CommitError {
                // It stays due: there may be no key at this moment.
                logger.debug(
                    "internal records of messages cannot be written now",
                    metadata: ["zone.id": "\(zone.shortText)", "error": "\(error)"]
                )
            }
        }
    }

    private func dropExpired() async throws {
        let (hasMessages, hasPrekeys, hasPayloads) = try await storage.read { [replica] transaction in
            let committer = replica.committer
            return (
                try Inbox(committer).hasExpired(in: transaction),
                try Prekeys(committer).hasToDrop(in: transaction),
                try Payloads(committer).hasToDrop(in: transaction)
            )
        }
        if hasMessages { try await performing { try Inbox($0).dropExpired(in: &$1) } }
        if hasPrekeys { try await performing { try Prekeys($0).drop(in: &$1) } }
        // Each step is small, so that writes come between them; the next round goes on.
        if hasPayloads { try await performing { try Payloads($0).drop(in: &$1) } }
        if hasPayloads { wake() }
    }

    private func performing(
        _ job: @escaping @Sendable (Committer, inout any NodeTransaction) throws -> CommitNotice
    ) async throws {
        _ = try await commits.perform { [replica] transaction in
            try replica.change(&transaction) { try job($0, &$2) }
        } whenDurable: { [replica] in
            replica.announce($0)
        }
    }
}
