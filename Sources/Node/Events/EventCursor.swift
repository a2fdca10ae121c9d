import struct KairanInterface.Change
import Records
import Sync
import Wire

/// The position of one watcher: returns its next event. When the durable feed has grown, changes come from the memory of the commits where the
/// watcher stands right before them, and are read from the feed otherwise.
///
/// It decides nothing about the feed: ``Sync/FeedReader`` does.
actor EventCursor {
    private let subscription: EventSubscription
    private let hub: EventHub
    private let storage: any StoragePort
    private var filter: EventFilter
    private var reader: FeedReader
    private let committer: @Sendable () -> Committer
    private let zoneChange: @Sendable (ZoneRow, ZoneDeparture?, any NodeTransaction) throws -> ZoneChangeView
    private var waiting: ArraySlice<NodeEvent> = []
    private var mayHaveMore = false
    /// Whether the last page left something behind.
    private var isBehind = false
    private var hasEnded = false

    /// The number of news read at once, and the bytes after which no more are read: the most that a watcher that has
    /// stopped reading holds.
    private static let (pageCount, pageByteCount) = (32, 16 << 10)

    init(
        subscription: EventSubscription,
        hub: EventHub,
        storage: any StoragePort,
        reader: FeedReader,
        isEverything: Bool,
        committer: @escaping @Sendable () -> Committer,
        zoneChange: @escaping @Sendable (ZoneRow, ZoneDeparture?, any NodeTransaction) throws -> ZoneChangeView,
        zones: [ZoneStatus]
    ) {
        self.subscription = subscription
        self.hub = hub
        self.storage = storage
        self.reader = reader
        filter = EventFilter(view: reader.view, isEverything: isEverything)
        self.committer = committer
        self.zoneChange = zoneChange
        waiting = [.snapshot(token: reader.token.text(of: reader.view), zones: zones)]
    }

    deinit {
        // A reader that just drops its stream must not hold a place for ever.
        hub.unsubscribe(subscription)
    }

    /// The next event; `nil` after the last one.
    func next() async -> NodeEvent? {
        while !hasEnded {
            if let event = waiting.popFirst() { return event }
            if mayHaveMore {
                do {
                    try await readPage()
                } catch let error as StorageError where error.code == .closed {
                    return end("stopping")
                } catch let error as StorageError where error.code == .corrupt {
                    return end("damaged_record")
                } catch {
                    return end("storage")
                }
                continue
            }
            switch await subscription.next() {
            case .feedGrew:
                mayHaveMore = true
            case .remembered(let tail):
                // The trouble with a record that cannot be shown is reported by the reading.
                mayHaveMore = (try? take(tail)) != true
            case .event(let event):
                if await isWanted(event) { return event }
            case .ended(let reason):
                return end(reason)
            }
        }
        return nil
    }

    private func readPage() async throws {
        let read = { @Sendable [reader, committer, zoneChange] (transaction: any NodeTransaction) in
            var reader = reader
            let page = try reader.read(
                limit: Self.pageCount,
                byteCount: Self.pageByteCount,
                by: committer(),
                in: transaction
            )
            let events = try page.entries.map { entry -> NodeEvent in
                let token = entry.token.text(of: reader.view)
                switch entry.news {
                case .record(let change): return try Self.event(change, token: token)
                case .outside(let change): return try Self.event(change, .out, token: token)
                case .zone(let row): return .zone(try zoneChange(row, nil, transaction), token: token)
                case .departed(let row, let why): return .zone(try zoneChange(row, why, transaction), token: token)
                }
            }
            return (reader, events, page.more)
        }
        // A page with a filter examines many records, and one of several zones reads all of their rows. Pages that follow
        // each other would keep the thread from all else.
        let isBrief = reader.view.filter == nil && reader.view.zone != nil && !isBehind
        let (newReader, events, more) =
            isBrief ? try await storage.readBriefly(read) : try await storage.read(read)
        reader = newReader
        waiting = events[...]
        (mayHaveMore, isBehind) = (more, more)
    }

    /// Takes changes from the memory of commits.
    /// - Returns: False where the feed is to be read instead; then nothing was taken.
    private func take(_ tail: FeedTail) throws -> Bool {
        var (reader, events) = (self.reader, [NodeEvent]())
        guard let entries = try reader.take(tail) else { return false }
        for entry in entries {
            let token = entry.token.text(of: reader.view)
            switch entry.news {
            case .record(let change): events.append(try Self.event(change, token: token))
            case .outside(let change): events.append(try Self.event(change, .out, token: token))
            // The status of a zone is read from the store.
            case .zone, .departed: return false
            }
        }
        self.reader = reader
        waiting = events[...]
        return true
    }

    private static func event(_ change: ChangeRow, _ kind: Change.Kind? = nil, token: String) throws -> NodeEvent {
        let record = try RecordView(change.record)
        return .change(ChangeView(record: record, bySync: change.bySync, kind: kind), token: token)
    }

    private func isWanted(_ event: NodeEvent) async -> Bool {
        if let unknown = filter.unknownZone(of: event) {
            // An event that cannot be judged is not reported; the trouble of the store shows at the next change.
            guard
                let found = try? await storage.read({ [committer] transaction in
                    try transaction.zone(unknown).map {
                        ($0, try FeedZones(committer()).place(of: $0, in: transaction))
                    }
                })
            else { return false }
            filter.learn(found.0, place: found.1)
        }
        return filter.passes(event)
    }

    private func end(_ reason: String) -> NodeEvent {
        hasEnded = true
        waiting = []
        hub.unsubscribe(subscription)
        return .end(reason: reason)
    }
}
