/// The events of a zone or a container, for as long as the application listens.
///
/// ```swift
/// for try await event in zone.subscription(since: stored) {
///     switch event.kind {
///     case .event(.change(let change)): show(change.record)
///     case .expired: reload()
///     default: break
///     }
///     if let token = event.token { stored = token }
/// }
/// ```
///
/// The subscription waits for a daemon that does not run, and goes on behind the last token when it runs again,
/// without losing or repeating a change of a record or a zone; ``Kind/resumed`` reports that. The subscription ends with
/// the loop or the task, in the daemon too. When a zone goes, an event gives the reason, and a subscription to that zone
/// ends behind it. The subscription throws when waiting does not help, for example when the zone was gone before it
/// began.
public struct Subscription: AsyncSequence, Sendable {
    /// One event.
    public struct Element: Sendable {
        /// The kind of the event.
        public var kind: Kind
        /// The token for going on behind this event, in a later subscription too; `nil` if the event has none.
        public var token: String?
    }

    /// The kind of an event.
    public enum Kind: Sendable {
        /// The subscription is open for the first time: the current zones. All events behind its initial token
        /// follow.
        case started(zones: [Zone])
        /// An event of the daemon; never its `snapshot` and `end`.
        case event(DaemonEvent.Kind)
        /// The subscription was interrupted and goes on: changes of records and zones made meanwhile follow as events.
        ///
        /// The daemon keeps no events about assets and peers: a program that shows these asks for their states again.
        case resumed
        /// The token is no longer valid, since the daemon's store is another one: read everything again. Later
        /// changes follow.
        case expired
    }

    let client: DaemonClient
    let zone: String?
    let container: String?
    let token: String?
    /// The type of the records, and the predicate that they must meet.
    var filter: (type: String, predicate: RecordPredicate?)?
    /// Called when the stream of events is open, and when it has ended or could not be opened; the elements say neither.
    var linkChanged: (@Sendable (_ isOpen: Bool) -> Void)?

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator {
        let core = SubscriptionCore(zone: zone, container: container, token: token)
        return Iterator(client: client, filter: filter, core: core, linkChanged: linkChanged)
    }

    /// Listens.
    public struct Iterator: AsyncIteratorProtocol {
        let client: DaemonClient
        private let filter: (type: String, predicate: RecordPredicate?)?
        private var core: SubscriptionCore
        private let linkChanged: (@Sendable (_ isOpen: Bool) -> Void)?
        private var events: EventSequence.Iterator?
        private var waiting: [Element] = []

        init(
            client: DaemonClient,
            filter: (type: String, predicate: RecordPredicate?)?,
            core: SubscriptionCore,
            linkChanged: (@Sendable (_ isOpen: Bool) -> Void)? = nil
        ) {
            self.client = client
            self.filter = filter
            self.core = core
            self.linkChanged = linkChanged
        }

        /// The next thing that happens; `nil` when the zone is gone.
        /// - Throws: ``KairanError`` when waiting does not help, `CancellationError`.
        public mutating func next() async throws -> Element? {
            while waiting.isEmpty {
                if core.hasEnded { return nil }
                do {
                    if events == nil { try await open() }
                    waiting = try await receive()
                } catch let error as KairanError {
                    events = nil
                    linkChanged?(false)
                    waiting = try core.failed(error)
                }
            }
            return waiting.removeFirst()
        }

        private mutating func open() async throws {
            if core.pauseMilliseconds > 0 { try await Task.sleep(for: .milliseconds(core.pauseMilliseconds)) }
            events = try await client.events(
                zone: core.zone,
                container: core.container,
                type: filter?.type,
                where: try filter?.predicate?.checkedText(),
                since: core.token
            ).makeAsyncIterator()
        }

        private mutating func receive() async throws -> [Element] {
            guard let event = try await events?.next() else {
                events = nil
                linkChanged?(false)
                core.ended()
                return []
            }
            switch event.kind {
            case .snapshot: linkChanged?(true)
            case .end: linkChanged?(false)
            default: break
            }
            return core.received(event)
        }
    }
}

extension RecordZone {
    /// Returns the events of the zone, from now on or behind a token.
    public func subscription(since token: String? = nil) -> Subscription {
        Subscription(client: client, zone: id, container: nil, token: token)
    }
}

extension Container {
    /// Returns the events of the container's zones, and changes to the list of these zones, from now on or behind a
    /// token.
    public func subscription(since token: String? = nil) -> Subscription {
        Subscription(client: client, zone: nil, container: name, token: token)
    }
}
