public import Observation
import Synchronization

/// The current records of a query, for observers: a list on a screen, or a rule that is evaluated with each change.
///
/// ```swift
/// let open = zone.query(Note.self, where: "isDone = false", sort: ["title"]).observed()
/// async let running: Void = open.run()
/// for await titles in Observations({ open.records.map(\.value.title) }) { show(titles) }
/// ```
///
/// It stays current for as long as a task runs ``run()``. When the connection to the daemon breaks, it keeps its records and is
/// ``Phase/stale``, until it has asked again over a new connection. Whenever
/// something changes that the query is about, it asks again, so that the daemon determines order and limit; changes
/// that arrive meanwhile are covered by one more request. A failure is a ``Phase``, not an error.
///
/// It may be used from any task. An observer of one property is notified of changes to all: they belong together.
public final class ObservedQuery<Value: RecordContent>: Observable, Sendable {
    /// The relation of the records to the daemon's state.
    public enum Phase: Sendable {
        /// No task runs it: the records are the last known ones.
        case idle
        /// It waits for the first answer.
        case loading
        /// The records are the newest answer, and the daemon reports what changes.
        case current
        /// The connection to the daemon is interrupted: the records are the last known ones. It asks again as soon as the
        /// daemon answers.
        case stale
        /// The query could not be asked again for now, and will be.
        case waiting(KairanError)
        /// The zone has gone, and its records with it; ``run()`` has returned.
        case gone(ZoneDeparture)
        /// Waiting does not help, for example since a record does not fit the type; ``run()`` has returned.
        case failed(KairanError)
    }

    /// Everything that can be observed, of one moment.
    public struct Snapshot: Sendable {
        /// The records, in the query's order.
        public internal(set) var records: [TypedRecord<Value>] = []
        /// Whether there are more than it holds.
        public internal(set) var isCut = false
        /// The relation of the records to the daemon's state.
        public internal(set) var phase = Phase.idle
    }

    /// The most records that it holds.
    public let countMax: Int
    private let query: QuerySequence<Value>
    private let registrar = ObservationRegistrar()
    private let content = Mutex(Snapshot())

    init(query: QuerySequence<Value>, countMax: Int) {
        self.query = query
        self.countMax = min(max(countMax, 0), .max - 1)
    }

    /// Everything that can be observed, of one moment.
    public var snapshot: Snapshot {
        registrar.access(self, keyPath: \.snapshot)
        return content.withLock { $0 }
    }

    /// The records, in the query's order.
    public var records: [TypedRecord<Value>] { snapshot.records }

    /// The relation of the records to the daemon's state.
    public var phase: Phase { snapshot.phase }

    /// Whether there are more records than it holds.
    public var isCut: Bool { snapshot.isCut }

    /// Keeps the records current until its task is cancelled, the zone has gone, or waiting does not help.
    ///
    /// It may be run again afterwards. Two tasks that run it do the same work twice.
    public func run() async {
        update { $0.phase = .loading }
        let (changes, noted) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let link = Link()
        let end = await withTaskGroup(of: Phase?.self) { group in
            group.addTask { await self.listen(noted, link) }
            group.addTask { await self.answer(changes, link) }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        update { content in
            content.phase = end ?? .idle
            guard case .gone? = end else { return }
            content.records = []
            content.isCut = false
        }
    }

    private func update(_ change: (inout Snapshot) -> Void) {
        content.withLock { change(&$0) }
        // Only now: an observer on another thread looks again as soon as it hears of a change, and would see the former
        // content, and nothing afterwards.
        registrar.withMutation(of: self, keyPath: \.snapshot) {}
    }

    /// Notes whenever the answer may be another one.
    /// - Returns: Why it ends; `nil` when it was cancelled.
    private func listen(_ noted: AsyncStream<Void>.Continuation, _ link: Link) async -> Phase? {
        var subscription = query.zone.subscription()
        subscription.filter = (Value.recordType, query.predicate)
        subscription.linkChanged = { isOpen in
            link.change(isOpen: isOpen)
            // Changes made meanwhile need not follow as events: the query is asked in any case.
            if isOpen {
                noted.yield()
                return
            }
            self.update { if case .current = $0.phase { $0.phase = .stale } }
        }
        do {
            for try await event in subscription {
                switch event.kind {
                case .started, .expired, .event(.change): noted.yield()
                case .event(.zone(let change)): if let departure = change.departure { return .gone(departure) }
                // `linkChanged` has noted that the stream is open again.
                case .resumed, .event: break
                }
            }
            return nil
        } catch {
            return (error as? KairanError).map { .failed($0) }
        }
    }

    /// Asks the query each time when something was noted.
    /// - Returns: Why it ends; `nil` when it was cancelled.
    private func answer(_ changes: AsyncStream<Void>, _ link: Link) async -> Phase? {
        var pause = RetryPause(longestMilliseconds: 15_000)
        for await _ in changes {
            var isAnswered = false
            while !isAnswered {
                do {
                    let opening = link.opening
                    show(try await fetched()) { opening != nil && link.opening == opening }
                    pause.succeed()
                    isAnswered = true
                } catch let error as KairanError where error.departure != nil {
                    // The subscription reports it, with the reason.
                    isAnswered = true
                } catch let error as KairanError where error.isRetryable {
                    update { $0.phase = .waiting(error) }
                    let milliseconds = pause.fail(at: 0, atLeast: error.retryAfter)
                    // A pause that is cut short ends with the task, which the next request finds out.
                    try? await Task.sleep(for: .milliseconds(milliseconds))
                } catch {
                    return (error as? KairanError).map { .failed($0) }
                }
            }
        }
        return nil
    }

    private func fetched() async throws -> (records: [TypedRecord<Value>], isCut: Bool) {
        let limit = query.limit ?? .max
        // One more record shows whether there are more.
        let wanted = limit > countMax ? countMax + 1 : limit
        var records: [TypedRecord<Value>] = []
        for try await record in QuerySequence<Value>(
            zone: query.zone,
            predicate: query.predicate,
            sort: query.sort,
            limit: wanted,
            fields: query.fields
        ) { records.append(record) }
        return (Array(records.prefix(countMax)), records.count > countMax)
    }

    /// Shows an answer, as current if the changes since the question are reported.
    private func show(_ answer: (records: [TypedRecord<Value>], isCut: Bool), if isCurrent: () -> Bool) {
        update { content in
            content.records = answer.records
            content.isCut = answer.isCut
            content.phase = isCurrent() ? .current : .stale
        }
    }

    /// The stream of events of one run.
    private final class Link: Sendable {
        private let state = Mutex<(count: Int, isOpen: Bool)>((0, false))

        /// The number of the open stream; `nil` while none is open.
        var opening: Int? { state.withLock { $0.isOpen ? $0.count : nil } }

        func change(isOpen: Bool) {
            state.withLock { state in
                if isOpen { state.count += 1 }
                state.isOpen = isOpen
            }
        }
    }
}

extension QuerySequence {
    /// Returns the records of the query for observers.
    /// - Parameter countMax: The maximum number of records held; of a larger answer, the first ones.
    /// - Returns: The records, none yet: a task has to run ``ObservedQuery/run()``.
    public func observed(countMax: Int = 10_000) -> ObservedQuery<Value> {
        ObservedQuery(query: self, countMax: countMax)
    }
}
