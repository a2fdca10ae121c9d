import Synchronization

/// Synchronises an application's records with the zones of a container.
///
/// The application keeps its own records, and reports its changes to the engine. The engine sends them, tries again
/// for as long as it takes, and delivers the changes of others. No change is lost when the application, the daemon or
/// the machine stops in between, and none is made twice: the engine's memory is a ``State``, which the application
/// stores along with its records, and each save names the version that it changes.
///
/// ```swift
/// let engine = SyncEngine(kairan.container("org.example.notes"), state: stored, delegate: notes)
/// engine.add([.save(RecordID(zone: zone.id, name: "milk"))])
/// try await engine.run()
/// ```
///
/// Pending changes are durable once ``state`` is stored: store it together with the record that has changed.
public final class SyncEngine: Sendable {
    struct Shared {
        var core: EngineCore
        /// Wakes the working task; `nil` while no task works.
        var wake: AsyncStream<Void>.Continuation?
        /// Whether a task runs the engine, or waits for its turn.
        var isRun = false
        /// The calls that wait for the working task.
        var waiters: [Waiter] = []
        /// The number of calls that have waited.
        var waiterCount = 0
    }

    /// The zones are of this container.
    public let container: Container
    private let delegate: any SyncEngineDelegate
    let shared: Mutex<Shared>

    /// Makes an engine that continues where another one stopped.
    /// - Parameters:
    ///   - container: The container whose zones are synchronised.
    ///   - databases: The databases whose zones are synchronised.
    ///   - state: The state of the last ``Event/stateUpdate(_:)``; a new one the first time.
    ///   - delegate: The application.
    public init(
        _ container: Container,
        databases: Set<Database.Kind> = [.private, .shared],
        state: State = State(),
        delegate: some SyncEngineDelegate
    ) {
        self.container = container
        self.delegate = delegate
        let scope = EngineCore.Scope(container: container.name, databases: databases)
        self.shared = Mutex(Shared(core: EngineCore(scope: scope, state: state)))
    }

    /// The state that may be stored now, together with everything that events have delivered so far.
    public var state: State { shared.withLock { $0.core.storable } }

    /// The changes that are not confirmed yet, oldest first.
    public var pendingChanges: [PendingChange] {
        shared.withLock { shared in shared.core.storable.pending.inOrder.map(\.change) }
    }

    /// The changes that were refused for good, and wait for ``add(_:)`` or ``remove(_:)``.
    public var failedChanges: [FailedChange] {
        shared.withLock { shared in
            shared.core.storable.pending.inOrder.compactMap { entry in
                entry.refusal.map { FailedChange(change: entry.change, problem: $0) }
            }
        }
    }

    /// Hands changes over; they are sent in this order, and a further change of a record takes the place of an earlier one.
    public func add(_ changes: [PendingChange]) { notice { $0.add(changes) } }

    /// Takes changes of records back.
    ///
    /// One that is on its way just now may still be done.
    public func remove(_ ids: [RecordID]) { notice { $0.remove(ids) } }

    /// Works until its task is cancelled.
    ///
    /// An application that decides itself when to synchronise does not call it, and asks with ``fetchChanges()`` and
    /// ``sendChanges()``.
    ///
    /// It waits for a daemon that does not run, and goes on when it does. Only one task may run an engine at a time; one that begins while
    /// a call of ``fetchChanges()`` or ``sendChanges()`` does the work takes its turn behind that.
    /// - Throws: `CancellationError` in the end; ``KairanError`` when the engine runs already.
    public func run() async throws {
        let (wake, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try shared.withLock { shared in
            if shared.isRun { throw KairanError.engineRuns }
            shared.isRun = true
        }
        defer { shared.withLock { $0.isRun = false } }
        while !begin(continuation) {
            _ = await waited(for: nil)
            try Task.checkCancellation()
        }
        defer { release() }
        let (openings, opening) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.listen(openings) }
            defer { group.cancelAll() }
            var woken = wake.makeAsyncIterator()
            var alarm: Int64?
            while true {
                try Task.checkCancellation()
                settle()
                let effect = shared.withLock { $0.core.next(at: EngineClock.now, for: $0.goals) }
                switch effect {
                case .connect: opening.yield()
                case .rest(let until):
                    // Alarms that are late or early do no harm; one that is set is not set again.
                    if let until, alarm.map({ until < $0 || $0 <= EngineClock.now }) ?? true {
                        alarm = until
                        group.addTask {
                            try await EngineClock.sleep(until: until)
                            continuation.yield()
                        }
                    }
                    guard await woken.next() != nil else { throw CancellationError() }
                default: try await perform(effect)
                }
            }
        }
    }

    func notice(_ change: (inout EngineCore) -> Void) {
        shared.withLock { shared in
            change(&shared.core)
            shared.wake?.yield()
        }
    }

    // MARK: Effects of the core

    func perform(_ effect: EngineEffect) async throws {
        switch effect {
        case .deliver(let event): await delegate.handle(event, from: self)
        case .listZones: try await listZones()
        case .fetch(let zone, let token): try await fetch(zone, since: token)
        case .describe(let ids):
            var drafts: [Draft?] = []
            for id in ids { drafts.append(await delegate.draft(of: id, for: self)) }
            notice { $0.described(drafts) }
        case .saveZone(let name, let history): try await saveZone(name, history)
        case .deleteZone(let zone): try await deleteZone(zone)
        case .send(let zone, let writes): try await send(writes, to: zone)
        case .lookUp(let id): try await lookUp(id)
        case .decide(let conflict):
            let resolution = await delegate.resolve(conflict, for: self)
            notice { $0.decided(resolution) }
        case .connect, .rest: break
        }
    }

    private func listZones() async throws {
        do {
            var zones = try await container.client.zones()
            var deleted: Set<String> = []
            for zone in shared.withLock({ $0.core.missing(from: zones) }) {
                do {
                    // It has come back in between.
                    zones.append(try await container.client.zone(zone))
                } catch let error as KairanError where error.departure == .deleted {
                    deleted.insert(zone)
                } catch let error as KairanError where !error.isRetryable {
                    // It exists for others only, or not at all as far as may be known here.
                }
            }
            // Applications do not learn the account; in that case it comes from the zones.
            let account = try? await container.client.status().account
            try Task.checkCancellation()
            notice { [zones, deleted] in $0.listed(zones, deleted: deleted, account: account) }
        } catch let error as KairanError {
            notice { $0.fetchFailed(error.problem, zone: nil, at: EngineClock.now, retryAfter: error.retryAfter) }
        }
    }

    private func fetch(_ zone: String, since token: String?) async throws {
        do {
            let page = try await container.client.changes(zone: zone, since: token, limit: 1000)
            notice { $0.fetched(page, zone: zone) }
        } catch let error as KairanError {
            notice { $0.fetchFailed(error.problem, zone: zone, at: EngineClock.now, retryAfter: error.retryAfter) }
        }
    }

    private func send(_ writes: [RecordWrite], to zone: String) async throws {
        do {
            let outcome = try await container.client.saveEach(writes, in: zone)
            notice { $0.sent(outcome.results, at: EngineClock.now) }
        } catch let error as KairanError {
            notice { $0.sendFailed(error.problem, at: EngineClock.now, retryAfter: error.retryAfter) }
        }
    }

    private func lookUp(_ id: RecordID) async throws {
        do {
            let record = try await container.client.record(id.name, in: id.zone)
            notice { $0.lookedUp(record) }
        } catch let error as KairanError {
            notice { core in
                if ["record.unknown", "record.deleted"].contains(error.code) {
                    core.lookedUp(nil)
                } else {
                    core.lookUpFailed(error.problem, at: EngineClock.now, retryAfter: error.retryAfter)
                }
            }
        }
    }

    /// Opens the stream of events whenever requested, and reports its events to the core.
    private func listen(_ openings: AsyncStream<Void>) async throws {
        for await _ in openings {
            do {
                for try await event in try await container.client.events(container: container.name) {
                    switch event.kind {
                    case .snapshot: notice { $0.connected() }
                    case .change(let change): notice { $0.noticed(zone: change.record.zone) }
                    case .zone: notice { $0.noticedZones() }
                    default: break
                    }
                }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // Why does not matter: it is opened again until it stands.
            }
            notice { $0.disconnected(at: EngineClock.now) }
        }
    }
}

/// The time of an engine's pauses.
enum EngineClock {
    private static let start = ContinuousClock.now

    static var now: Int64 {
        let passed = start.duration(to: .now).components
        return passed.seconds * 1000 + passed.attoseconds / 1_000_000_000_000_000
    }

    static func sleep(until milliseconds: Int64) async throws {
        try await ContinuousClock().sleep(until: start + .milliseconds(milliseconds))
    }
}

extension KairanError {
    /// The time that the daemon asks to wait, in milliseconds.
    var retryAfter: Int64 { problem.retryAfterMilliseconds ?? 0 }

    static var engineRuns: KairanError {
        KairanError(
            .misfit,
            code: "engine.running",
            title: "The sync engine runs already",
            detail: "A task runs this sync engine already.",
            fix: "Run each engine in one task."
        )
    }
}
