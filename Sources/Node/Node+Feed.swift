import Records
import Sync
import Wire

extension Node {
    /// See `NodeAPI`.
    package func changes(zone: String?, since token: String?, limit: Int) async throws(NodeError) -> ChangePage {
        guard (1...1_000).contains(limit) else {
            throw NodeError(.invalidArgument, "limit must be 1 to 1000.", fix: "Ask for fewer at a time.")
        }
        return try await reading { [self] transaction in
            let feed = try Self.feed(transaction)
            let zoneID = try zone.map { try row(of: $0, in: transaction).id }
            let start = try Self.position(of: token, feed: feed, in: transaction) ?? 0
            let rows = try transaction.changes(zone: zoneID, after: start, limit: limit + 1)
            let page = rows.prefix(limit)
            let shown = try shownZones(transaction)
            // At the end the token moves to the newest position of all zones, so that a quiet zone's token does not age.
            let end = rows.count > limit ? page.last?.position ?? start : try max(transaction.newestPosition(), start)
            return ChangePage(
                changes: try page.filter { shown.contains($0.record.zone) }
                    .map { ChangeView(record: try RecordView($0.record), bySync: $0.bySync) },
                token: ChangeToken(feed: feed, position: end).text,
                more: rows.count > limit
            )
        }
    }

    /// See `NodeAPI`.
    package func events(zone: String?, since token: String?) async throws(NodeError) -> NodeEventStream {
        // First, so that a zone that appears while the snapshot is read is in it, or told, or both.
        guard let subscription = hub.subscribe() else {
            throw NodeError(.busy, "Too many programs watch, or the daemon is stopping.", fix: "Try again later.")
        }
        let read: (feed: [UInt8], start: UInt64, zone: ZoneID?, zones: [ZoneStatus])
        do {
            read = try await reading { [self] transaction in
                let feed = try Self.feed(transaction)
                let wanted = try zone.map { [try row(of: $0, in: transaction)] }
                let start = try Self.position(of: token, feed: feed, in: transaction) ?? transaction.newestPosition()
                let all = try wanted ?? rows(transaction).filter { !$0.isDeleted }
                return (feed, start, wanted?.first?.id, try all.map { try replica.status(of: $0, in: transaction) })
            }
        } catch {
            hub.unsubscribe(subscription)
            throw error
        }
        // Changes behind the token, and those that came since the reading, are read at once.
        subscription.feedGrew()
        let cursor = EventCursor(
            subscription: subscription,
            hub: hub,
            storage: storage,
            filter: EventFilter(zone: read.zone, scope: scope),
            feed: read.feed,
            position: read.start,
            shownZones: { [self] in try shownZones($0) },
            first: .snapshot(token: ChangeToken(feed: read.feed, position: read.start).text, zones: read.zones)
        )
        return AsyncStream(unfolding: { await cursor.next() }, onCancel: { [hub] in hub.unsubscribe(subscription) })
    }

    /// The zones whose records this caller may see: those that exist for it and are not deleted.
    func shownZones(_ transaction: any NodeTransaction) throws -> Set<ZoneID> {
        Set(try rows(transaction).filter { !$0.isDeleted }.map(\.id))
    }

    /// The feed's identity in this lifetime of the store.
    ///
    /// A store that was set back counts positions a second time, so tokens of before must not be read as if they were of
    /// now: with the incarnation the feed's identity changes.
    private static func feed(_ transaction: any NodeTransaction) throws -> [UInt8] {
        let lifetime = try transaction.incarnation()?.bytes ?? []
        return try transaction.feedIdentity().enumerated().map { index, byte in
            index < lifetime.count ? byte ^ lifetime[index] : byte
        }
    }

    private static func position(
        of token: String?,
        feed: [UInt8],
        in transaction: any NodeTransaction
    ) throws -> UInt64? {
        guard let token, !token.isEmpty else { return nil }
        guard let parsed = ChangeToken(text: token), parsed.feed == feed,
            parsed.position <= (try transaction.newestPosition())
        else { throw ChangeToken.expired }
        return parsed.position
    }
}

/// Where one watcher is: hands out its next event, reading the durable feed when it has grown.
actor EventCursor {
    private let subscription: EventSubscription
    private let hub: EventHub
    private let storage: any StoragePort
    private var filter: EventFilter
    private let feed: [UInt8]
    /// Up to where the feed was read.
    private var position: UInt64
    private let shownZones: @Sendable (any NodeTransaction) throws -> Set<ZoneID>
    private var first: NodeEvent?
    private var waiting: [ChangeRow] = []
    private var mayHaveMore = false
    private var hasEnded = false

    /// Changes read at once: a watcher holds at most as many records, each of which may have a MiB.
    private static let pageCount = 64

    init(
        subscription: EventSubscription,
        hub: EventHub,
        storage: any StoragePort,
        filter: EventFilter,
        feed: [UInt8],
        position: UInt64,
        shownZones: @escaping @Sendable (any NodeTransaction) throws -> Set<ZoneID>,
        first: NodeEvent
    ) {
        self.subscription = subscription
        self.hub = hub
        self.storage = storage
        self.filter = filter
        self.feed = feed
        self.position = position
        self.shownZones = shownZones
        self.first = first
    }

    deinit {
        // A reader that just lets go of its stream must not hold a place for ever.
        hub.unsubscribe(subscription)
    }

    /// The next event; `nil` after the last one.
    func next() async -> NodeEvent? {
        if let event = first {
            first = nil
            return event
        }
        while !hasEnded {
            if !waiting.isEmpty {
                let change = waiting.removeFirst()
                // What is wrong with the row does not help a watcher; that its stream ends with a reason does.
                guard let view = try? RecordView(change.record) else { return end("damaged_record") }
                return .change(
                    ChangeView(record: view, bySync: change.bySync),
                    token: ChangeToken(feed: feed, position: change.position).text
                )
            }
            if mayHaveMore {
                do {
                    try await readPage()
                } catch let error as StorageError where error.code == .closed {
                    return end("stopping")
                } catch {
                    return end("storage")
                }
                continue
            }
            switch await subscription.next() {
            case .feedGrew:
                mayHaveMore = true
            case .event(let event):
                if await isWanted(event) { return event }
            case .ended(let reason):
                return end(reason)
            }
        }
        return nil
    }

    private func readPage() async throws {
        let (rows, shown) = try await storage.read { [zone = filter.zone, position, shownZones] in
            (try $0.changes(zone: zone, after: position, limit: Self.pageCount), try shownZones($0))
        }
        position = rows.last?.position ?? position
        waiting = rows.filter { shown.contains($0.record.zone) }
        mayHaveMore = rows.count == Self.pageCount
    }

    private func isWanted(_ event: NodeEvent) async -> Bool {
        if let unknown = filter.unknownZone(of: event) {
            // An event that cannot be judged is not told; what is wrong with the store shows at the next change.
            guard let row = try? await storage.read({ try $0.zone(unknown) }) else { return false }
            filter.learn(row)
        }
        return filter.passes(event)
    }

    private func end(_ reason: String) -> NodeEvent {
        hasEnded = true
        hub.unsubscribe(subscription)
        return .end(reason: reason)
    }
}
