import struct KairanInterface.Change
import Queries
import Records
import Sync
import Wire

/// Answers requests about the feed of changes, as pages and as events.
struct FeedRequests: FeedAPI {
    let store: CallerStore

    func changes(
        _ selection: FeedSelection,
        since token: String?,
        limit: Int
    ) async throws(NodeError) -> ChangePage {
        try ArgumentRule.check(limit: limit, of: 1_000)
        return try await store.read { transaction in
            let view = try view(of: selection, in: transaction)
            var reader = try Self.reader(view, since: token, in: transaction)
            let page = try reader.read(
                limit: limit,
                byteCount: Self.pageByteCount,
                by: store.committer,
                in: transaction
            )
            var answer = ChangePage(changes: [], zones: [], token: page.token.text(of: view), more: page.more)
            for entry in page.entries {
                switch entry.news {
                case .record(let change):
                    answer.changes.append(ChangeView(record: try RecordView(change.record), bySync: change.bySync))
                case .outside(let change):
                    let record = try RecordView(change.record)
                    answer.changes.append(ChangeView(record: record, bySync: change.bySync, kind: .out))
                case .zone(let row):
                    answer.zones.append(try zoneChange(row, nil, in: transaction))
                case .departed(let row, let departure):
                    answer.zones.append(try zoneChange(row, departure, in: transaction))
                }
            }
            return answer
        }
    }

    /// The bytes of records behind which a page ends: an answer is made as a whole, so its size must have a bound.
    static let pageByteCount = 8 << 20

    func events(_ selection: FeedSelection, since token: String?) async throws(NodeError) -> NodeEventStream {
        let hub = store.commitService.hub
        // First, so that a zone that appears while the snapshot is read is in it, or reported, or both.
        guard let subscription = hub.subscribe() else {
            throw NodeError(.busy, "Too many programs watch, or the daemon is stopping.", fix: "Try again later.")
        }
        let read: (reader: FeedReader, zones: [ZoneStatus])
        do {
            read = try await store.read { transaction in
                let view = try view(of: selection, in: transaction)
                let reader =
                    try token.map { try Self.reader(view, since: $0, in: transaction) }
                    ?? FeedReader(fromNowOn: view, in: transaction)
                let shown = try store.zones.live(in: transaction).filter(view.mayShow)
                let zones = try shown.map { try ZoneReading(store.committer).status(of: $0, in: transaction) }
                return (reader, zones.filter { selection.database == nil || $0.database == selection.database })
            }
        } catch {
            hub.unsubscribe(subscription)
            throw error
        }
        subscription.listens(to: read.reader.view.zone)
        // Changes behind the token, and those that came since the reading, are read at once.
        subscription.feedGrew(zones: [])
        let cursor = EventCursor(
            subscription: subscription,
            hub: hub,
            storage: store.storage,
            reader: read.reader,
            isEverything: store.scope.isEverything,
            committer: { store.committer },
            zoneChange: { try zoneChange($0, $1, in: $2) },
            zones: read.zones
        )
        return AsyncStream(unfolding: { await cursor.next() }, onCancel: { hub.unsubscribe(subscription) })
    }

    /// The part of the feed that a selection names, as far as the caller may see it.
    private func view(of selection: FeedSelection, in transaction: any NodeTransaction) throws -> FeedView {
        if let container = selection.container, !store.scope.contains(container: container) {
            throw NodeError.forbidden(container: container)
        }
        let audience = RecordAudience(showsInternal: selection.showsInternal)
        if let query = selection.query { try audience.check(type: query.type.string) }
        let zone = try selection.zone.map { try store.zones.row(of: $0, in: transaction) }
        return FeedView(
            scope: store.scope.containers,
            container: zone?.genesis.container ?? selection.container,
            place: selection.database.map { ZonePlace($0) },
            zone: zone?.id,
            filter: selection.query.map { FeedFilter(type: $0.type.string, predicate: $0.predicate) },
            audience: audience
        )
    }

    private static func reader(
        _ view: FeedView,
        since token: String?,
        in transaction: any NodeTransaction
    ) throws -> FeedReader {
        do {
            return try FeedReader(view, since: token, in: transaction)
        } catch is FeedTokenExpired {
            throw NodeError(
                .tokenExpired,
                "The change token is from another store, an earlier state of this one, or another selection.",
                fix:
                    "Drop the data that was read, read from the beginning without a token, and continue with the new one."
            )
        }
    }

    private func zoneChange(
        _ row: ZoneRow,
        _ departure: ZoneDeparture?,
        in transaction: any NodeTransaction
    ) throws -> ZoneChangeView {
        let status = try ZoneReading(store.committer).status(of: row, in: transaction)
        return ZoneChangeView(status: status, departure: departure?.rawValue)
    }
}

extension ZonePlace {
    /// The place where a database's zones are found.
    init(_ database: ZoneDatabase) {
        self =
            switch database {
            case .private: .own
            case .shared: .foreign
            case .public: .everybody
            }
    }
}
