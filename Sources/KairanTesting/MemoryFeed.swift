import KairanClient
import KairanInterface
import Queries
import Wire

/// A reader of the feed: each zone and each record once, at its newest change.
struct MemoryFeed: Sendable {
    /// An event of the feed.
    enum Event {
        case zone(ZoneChange)
        case change(Change)
    }

    /// The part of the feed that is read.
    struct View: Sendable, Hashable {
        var container: String?
        var database: String?
        /// The only zone, by its id.
        var zone: String?
        var query: Query?
        var showsInternal = false

        /// This view, and the wider views whose tokens it accepts.
        var accepted: [View] {
            func wider(container: String? = nil, database: String? = nil) -> View {
                View(container: container, database: database, query: query, showsInternal: showsInternal)
            }
            let parts = zone != nil || database != nil ? [wider(container: container), wider(database: database)] : []
            return [self, wider()] + parts
        }

        /// Bytes that no other view has.
        var identity: [UInt8] {
            var writer = WireWriter(capacity: 64)
            for text in [container, database, zone] { writer.writeString(text ?? "/") }
            writer.writeBool(showsInternal)
            writer.writeBytes(query?.identity ?? [])
            return writer.bytes
        }
    }

    let view: View
    let store: UInt64
    var position: UInt64
    /// The end of the feed when a reader with a condition had no token: it has received nothing that has not changed
    /// since.
    let begin: UInt64

    /// The place from which to continue.
    var token: String {
        var writer = WireWriter(capacity: 64)
        for number in [store, position, begin] { writer.writeUInt64(number) }
        writer.writeBytes(view.identity)
        return Base32.encode(writer.bytes)
    }

    init(_ view: View, store: UInt64, position: UInt64, begin: UInt64) {
        self.view = view
        self.store = store
        self.position = position
        self.begin = begin
    }

    /// Goes on behind a token; `nil` for one of another store or another view.
    init?(_ view: View, token: String, store: UInt64, newest: UInt64) {
        guard let bytes = Base32.decode(token) else { return nil }
        var reader = WireReader(bytes)
        do {
            guard try reader.readUInt64() == store else { return nil }
            let (position, begin) = (try reader.readUInt64(), try reader.readUInt64())
            let identity = try reader.readBytes(maximum: bytes.count)
            try reader.finish()
            guard position <= newest, view.accepted.contains(where: { $0.identity == identity }) else { return nil }
            self.init(view, store: store, position: position, begin: begin)
        } catch {
            // A truncated or altered text is no token; the answer gives no further reason.
            return nil
        }
    }
}

extension MemoryCore {
    /// One event, and the token of the place behind it.
    struct News {
        var event: MemoryFeed.Event
        var token: String
    }

    /// Reads on.
    /// - Parameters:
    ///   - reader: The reader's place; afterwards the place from which it continues.
    ///   - limit: At most so many pieces of news.
    /// - Returns: The news, and whether there is more already.
    func news(of reader: inout MemoryFeed, limit: Int) -> (entries: [News], more: Bool) {
        let view = reader.view
        guard reader.position < position else { return ([], false) }
        var found: [(position: UInt64, event: MemoryFeed.Event)] = []
        for zone in zones where shows(zone, in: view) {
            if zone.position > reader.position { found.append((zone.position, event(of: zone))) }
            guard !zone.isDeleted else { continue }
            for record in zone.records.values where record.feedPosition > reader.position {
                if let kind = kind(of: record, for: reader) {
                    found.append((record.feedPosition, event(of: record, kind)))
                }
            }
        }
        found.sort { $0.position < $1.position }
        var entries: [News] = []
        for item in found.prefix(limit) {
            reader.position = item.position
            entries.append(News(event: item.event, token: reader.token))
        }
        guard found.count > limit else {
            reader.position = position
            return (entries, false)
        }
        return (entries, true)
    }

    private func shows(_ zone: Zone, in view: MemoryFeed.View) -> Bool {
        view.container?.isSameName(as: zone.container) ?? true && view.database ?? "private" == "private"
            && view.zone ?? zone.id == zone.id
    }

    private func event(of zone: Zone) -> MemoryFeed.Event {
        .zone(ZoneChange(shown(zone), departure: zone.isDeleted ? .deleted : nil))
    }

    private func event(of record: MemoryRecord, _ kind: Change.Kind) -> MemoryFeed.Event {
        .change(Change(kind: kind, record: record.shown, bySync: false))
    }

    /// Returns the kind of change to report for a record; `nil` if the change does not concern the reader.
    private func kind(of record: MemoryRecord, for reader: MemoryFeed) -> Change.Kind? {
        guard let query = reader.view.query else { return record.isDeleted ? .delete : .save }
        let isOfType = record.type.isSameName(as: query.type.string)
        if isOfType, !record.isDeleted, query.matches(QueryRecord(record, device)) { return .save }
        guard record.feedPosition > reader.begin, isOfType || record.isRetyped else { return nil }
        return record.isDeleted ? .delete : .out
    }

    // MARK: Requests

    func changes(_ request: MemoryRequest) throws(MemoryRefusal) -> ChangeSet {
        var reader = try reader(of: request, limited: true)
        let limit = try request.limit(default: 200)
        let page = news(of: &reader, limit: limit)
        let keys = Self.keys(request)
        guard keys == nil else { throw .unsupported("It tells changes of records as a whole.") }
        var changes = ChangeSet(zones: [], changes: [], token: reader.token, more: page.more)
        for entry in page.entries {
            switch entry.event {
            case .zone(let change): changes.zones.append(change)
            case .change(let change): changes.changes.append(change)
            }
        }
        return changes
    }

    /// Returns the position from which a stream goes on, and the current zones.
    func openStream(_ request: MemoryRequest) throws(MemoryRefusal) -> (MemoryFeed, [KairanInterface.Zone]) {
        let reader = try reader(of: request, limited: false)
        return (reader, zones.filter { !$0.isDeleted && shows($0, in: reader.view) }.map(shown))
    }

    /// The place that a request names.
    /// - Parameters:
    ///   - request: The request.
    ///   - limited: Whether it is for a page, from the beginning; otherwise for a stream, from now on.
    /// - Returns: The place.
    /// - Throws: ``MemoryRefusal``.
    private func reader(of request: MemoryRequest, limited: Bool) throws(MemoryRefusal) -> MemoryFeed {
        var view = MemoryFeed.View(showsInternal: request.query["internal"] == "true")
        let condition = try request.query["where"].map { text throws(MemoryRefusal) in try Self.predicate(text) }
        if let type = request.query["type"] {
            view.query = Query(type: try Self.type(type), predicate: condition)
        } else if condition != nil {
            throw .invalid("where", "a condition is on records of one type: name it with `type`")
        }
        if limited { _ = try request.limit(default: 200) }
        if let type = request.query["type"] { try Self.checkAudience(of: type, showsInternal: view.showsInternal) }
        if let reference = request.names.first {
            let zone = zones[try zone(reference)]
            view.zone = zone.id
            view.container = zone.container
        } else {
            view.container = request.query["container"]
            view.database = request.query["database"]
            _ = try DaemonClient.ZoneDatabase.check(view.database)
        }
        if let token = request.query["since"], !token.isEmpty {
            guard let reader = MemoryFeed(view, token: token, store: store, newest: position) else {
                throw .tokenExpired
            }
            return reader
        }
        let begin = view.query == nil ? 0 : position
        return MemoryFeed(view, store: store, position: limited ? 0 : position, begin: begin)
    }
}

extension DaemonClient.ZoneDatabase {
    /// The view that a request names; `nil` when it names none.
    /// - Throws: `invalid_argument`.
    static func check(_ text: String?) throws(MemoryRefusal) -> Self? {
        guard let text else { return nil }
        guard let database = Self(rawValue: text) else {
            throw .invalid("database", "one of private, shared, public is expected")
        }
        return database
    }
}
