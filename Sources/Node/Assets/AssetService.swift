import Logging
import Records
import Sync
import Synchronization
import Wire

/// Looks at the assets that records name, drops those that none names any more, and wakes callers that wait for content.
package final class AssetService: Sendable {
    private struct State {
        /// The callers that wait for a change of one payload.
        var waiters: [PayloadID: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var waiterCount = 0
        var lastWaiter: UInt64 = 0
        /// The times at which contents were read last, of those that were a moment ago.
        var reads: [PayloadID: UInt64] = [:]
        /// Whether the core knows that there is no room; nil before it was first notified.
        var isShort: Bool?

        mutating func add(_ waiter: AsyncStream<Void>.Continuation, of payload: PayloadID) -> UInt64 {
            waiterCount += 1
            lastWaiter += 1
            waiters[payload, default: [:]][lastWaiter] = waiter
            return lastWaiter
        }

        mutating func remove(_ waiter: UInt64, of payload: PayloadID) {
            guard waiters[payload]?.removeValue(forKey: waiter) != nil else { return }
            waiterCount -= 1
            if waiters[payload]?.isEmpty == true { waiters[payload] = nil }
        }
    }

    /// The time after a failure until the work is tried again.
    private static let retryPause = Duration.seconds(5)
    /// The time after a part of a content was read in which the next one may be, in milliseconds.
    private static let readMilliseconds: UInt64 = 2_000
    /// Callers that wait at most, of all payloads together.
    static let waiterCountMax = 1_024
    /// The warning that is raised while content that a policy fetches is left out for want of room.
    static let noRoomCode = "assets.no_room"

    private let commits: CommitQueue
    private let storage: any StoragePort
    private let commitService: CommitService
    private let machine: any MachinePort
    /// Passes an input to the core.
    private let feed: @Sendable (SyncInput) -> Void
    private let logger: Logger
    private let state = Mutex(State())
    /// The assets that readers read part by part.
    let memo = Mutex(AssetMemo())
    private let wakes: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation

    /// Makes a service that looks once when it begins to run, at the references that came before a crash.
    init(
        commits: CommitQueue,
        storage: any StoragePort,
        commitService: CommitService,
        machine: any MachinePort,
        feed: @escaping @Sendable (SyncInput) -> Void,
        logger: Logger
    ) {
        self.commits = commits
        self.storage = storage
        self.commitService = commitService
        self.machine = machine
        self.feed = feed
        self.logger = logger
        (wakes, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakeContinuation.yield()
    }

    /// Says that something may be due: a commit has brought references, or a policy; a right or the time may have changed.
    func wake() { wakeContinuation.yield() }

    /// Notes the payloads whose states a commit has changed, once it is durable.
    func changed(_ payloads: Set<PayloadID>) {
        let waiters: [AsyncStream<Void>.Continuation] = state.withLock { state in
            // Most commits change none that a caller waits for.
            state.waiters.isEmpty ? [] : payloads.flatMap { state.waiters[$0].map { Array($0.values) } ?? [] }
        }
        for waiter in waiters { waiter.yield() }
    }

    /// Has the bytes of a wanted payload from a place on be requested before all others: a reader waits for them.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - offset: The place of the first byte that is waited for.
    func urge(_ payload: PayloadID, from offset: UInt64) { feed(.payloadUrged(payload, from: offset)) }

    /// Notes that a program has read a part of a content, and may read on.
    func noteRead(_ payload: PayloadID) {
        let now = commitService.clock.monotonic()
        state.withLock { state in
            if state.reads[payload] == nil {
                state.reads = state.reads.filter { $0.value + Self.readMilliseconds > now }
            }
            state.reads[payload] = now
        }
    }

    /// Whether a program has just read a part of a content, and may read on: dropping it would have it fetched again.
    func isRead(_ payload: PayloadID) -> Bool {
        let now = commitService.clock.monotonic()
        return state.withLock { state in
            state.reads[payload].map { $0 + Self.readMilliseconds > now } ?? false
        }
    }

    /// Works whenever it is woken, until its task is cancelled.
    func run() async {
        for await _ in wakes {
            do {
                let room = lookAtRoom()
                // Most commits bring nothing new, and need no transaction that writes.
                var isDue = try await isDue(room)
                while isDue, !Task.isCancelled {
                    let hasMore = try await doRound(room)
                    isDue = hasMore ? try await self.isDue(room) : false
                }
                try await warn(room)
            } catch is CancellationError {
                return
            } catch {
                logger.warning("the assets of records cannot be looked at now", metadata: ["error": "\(error)"])
                do { try await Task.sleep(for: Self.retryPause) } catch { return }
                wake()
            }
        }
    }

    // MARK: Waiting

    /// Waits until the state of a payload may have changed, at most for some time; returns at once when the task is cancelled.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - milliseconds: The longest time to wait.
    ///   - hasChanged: Whether that which the caller waits for is there already; asked once the wait has begun, so that no change is missed.
    /// - Throws: `NodeError` `busy` while too many callers wait; the errors of `hasChanged`.
    func waitForChange(
        of payload: PayloadID,
        milliseconds: UInt64,
        unless hasChanged: () async throws -> Bool
    ) async throws {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let waiter: UInt64? = state.withLock { state in
            state.waiterCount < Self.waiterCountMax ? state.add(continuation, of: payload) : nil
        }
        guard let waiter else {
            throw NodeError(.busy, "Too many programs wait for the content of assets.", fix: "Try again in a moment.")
        }
        defer { state.withLock { $0.remove(waiter, of: payload) } }
        if try await hasChanged() { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in changes { return }
            }
            group.addTask {
                // Cancellation is one of the ways in which this ends.
                try? await Task.sleep(for: .milliseconds(milliseconds))
            }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: Work

    private func isDue(_ room: AssetRoom) async throws -> Bool {
        try await storage.read { [commitService] in try Assets(commitService.committer, room: room).isDue(in: $0) }
    }

    /// Does a round.
    /// - Returns: Whether there may be more to do.
    private func doRound(_ room: AssetRoom) async throws -> Bool {
        try await commits.perform { [commitService] transaction in
            try commitService.change(&transaction) { committer, _, transaction in
                try Assets(committer, room: room).round(in: &transaction)
            }
        } whenDurable: { [commitService] in
            commitService.announce($0.notice)
        }.hasMore
    }

    /// Reads the room on the store's file system, and notifies the core where that has become short, or is not any more.
    private func lookAtRoom() -> AssetRoom {
        let facts = machine.facts()
        let room = AssetRoom(free: facts.freeByteCount, of: facts.byteCount)
        let hasChanged = state.withLock { state in
            defer { state.isShort = room.isShort }
            return state.isShort ?? false != room.isShort
        }
        if hasChanged { feed(.payloadRoom(isShort: room.isShort)) }
        return room
    }

    private func warn(_ room: AssetRoom) async throws {
        let lacksRoom = try await storage.read { [commitService] in
            try Assets(commitService.committer, room: room).lacksRoom(in: $0)
        }
        guard lacksRoom else { return commitService.health.clear(Self.noRoomCode) }
        commitService.health.set(
            HealthWarning(
                code: Self.noRoomCode,
                severity: .warning,
                message:
                    "Little space is left: content of records that no program has asked for is not fetched to this machine.",
                fix:
                    "Make space on the state directory's file system, or set a policy that fetches less (kairan asset policy)."
            )
        )
    }
}
