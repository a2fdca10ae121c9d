/// The answer to a query, and its changes, for as long as the application listens.
///
/// ```swift
/// var open: [String: Job] = [:]
/// for try await event in zone.query(Job.self, where: "done = false").subscription() {
///     switch event.kind {
///     case .answer(let jobs): open = Dictionary(jobs.map { ($0.name, $0.value) }) { $1 }
///     case .saved(let job): open[job.name] = job.value
///     case .removed(let name): open[name] = nil
///     case .gone: open = [:]
///     }
/// }
/// ```
///
/// It waits and goes on as a ``Subscription`` does. The query's order and limit have no part in it.
public struct QuerySubscription<Value: RecordContent>: AsyncSequence, Sendable {
    /// One event.
    public struct Element: Sendable {
        /// The kind of the event.
        public var kind: Kind
        /// The token for going on behind this event, in a later subscription to the same query too; `nil` if the
        /// event has none.
        public var token: String?
    }

    /// The kind of an event.
    public enum Kind: Sendable {
        /// The whole answer, which replaces the earlier one: the subscription began without a token, or its token is
        /// no longer valid.
        case answer([TypedRecord<Value>])
        /// A record is new in the answer, or has changed.
        case saved(TypedRecord<Value>)
        /// The record of this name is not in the answer; it may never have been.
        case removed(String)
        /// The zone has gone, and its records with it. Nothing follows.
        case gone(ZoneDeparture)
    }

    let query: QuerySequence<Value>
    let token: String?

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(query: query, token: token) }

    /// Listens.
    public struct Iterator: AsyncIteratorProtocol {
        private let query: QuerySequence<Value>
        private let hasAnswer: Bool
        private var events: Subscription.Iterator
        /// The event behind which to ask for the answer.
        private var asking: Subscription.Element?

        init(query: QuerySequence<Value>, token: String?) {
            self.query = query
            hasAnswer = token != nil
            var subscription = query.zone.subscription(since: token)
            subscription.filter = (Value.recordType, query.predicate)
            events = subscription.makeAsyncIterator()
        }

        /// The next thing that happens; `nil` when the zone is gone.
        /// - Throws: ``KairanError`` when waiting does not help, also when a record does not fit; `CancellationError`.
        public mutating func next() async throws -> Element? {
            while true {
                if let asked = asking {
                    let records = try await answer()
                    asking = nil
                    return Element(kind: .answer(records), token: asked.token)
                }
                guard let event = try await events.next() else { return nil }
                switch event.kind {
                // The stream is open, so nothing is missed while the query is answered; changes that arrive twice do
                // no harm.
                case .started where !hasAnswer, .expired: asking = event
                case .event(.change(let change)):
                    let kind: Kind =
                        change.kind == .save ? .saved(try TypedRecord(change.record)) : .removed(change.record.name)
                    return Element(kind: kind, token: event.token)
                case .event(.zone(let change)):
                    guard let departure = change.departure else { continue }
                    return Element(kind: .gone(departure), token: event.token)
                case .started, .resumed, .event: continue
                }
            }
        }

        /// All records of the answer, also if the daemon is restarted in between.
        private func answer() async throws -> [TypedRecord<Value>] {
            var pause = RetryPause(longestMilliseconds: 15_000)
            while true {
                do {
                    var records: [TypedRecord<Value>] = []
                    for try await record in QuerySequence<Value>(
                        zone: query.zone,
                        predicate: query.predicate,
                        sort: query.sort,
                        limit: nil,
                        fields: nil
                    ) { records.append(record) }
                    return records
                } catch let error as KairanError where error.isRetryable {
                    try await Task.sleep(for: .milliseconds(pause.fail(at: 0, atLeast: error.retryAfter)))
                }
            }
        }
    }
}

extension QuerySequence {
    /// Returns the answer and its later changes; with a token, only the changes behind the token.
    /// - Parameter token: A token of a subscription to the same query; `nil` begins with the answer.
    /// - Returns: The events. The client sends no request before they are read.
    public func subscription(since token: String? = nil) -> QuerySubscription<Value> {
        QuerySubscription(query: self, token: token)
    }
}
