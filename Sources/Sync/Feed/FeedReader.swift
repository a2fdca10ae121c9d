import Records
import Wire

/// Reads the feed of changes from a place on: no gap, no repetition, no step back, whatever happens between two readings.
///
/// Each record is in the feed once, at its newest position, so a slow reader gets its newest state and nothing in
/// between. It is a value without a clock or a task: the driver decides when to call it, and the simulator calls it
/// too.
///
/// Where the view leaves records out, it examines a bounded number of records for one page, which then may have no
/// news although more follows.
package struct FeedReader: Sendable {
    /// The view that it reads.
    package let view: FeedView
    /// The limits on the records examined for one page of a view that leaves some out, and on their bytes: the cost
    /// of a page without any news.
    package static let (lookCountMax, lookByteCountMax) = (2_048, 8 << 20)
    /// The current position.
    package private(set) var token: FeedToken

    /// Makes a reader at the place that a token names.
    /// - Parameters:
    ///   - view: The view that it reads.
    ///   - text: The token; empty or `nil` for the beginning.
    ///   - transaction: The store.
    /// - Throws: ``FeedTokenExpired``, or an error of the store.
    package init(_ view: FeedView, since text: String?, in transaction: some NodeTransaction) throws {
        self.view = view
        let feed = try Self.feed(transaction)
        guard let text, !text.isEmpty else {
            let begin = view.filter == nil ? 0 : try transaction.newestPosition()
            token = FeedToken(feed: feed, position: FeedPosition(0), begin: begin)
            return
        }
        guard let known = FeedToken(text, for: view), known.feed == feed,
            known.position.position <= (try transaction.newestPosition())
        else { throw FeedTokenExpired() }
        token = FeedToken(feed: feed, position: known.position, begin: known.begin)
    }

    /// Makes a reader of changes from now on.
    /// - Parameters:
    ///   - view: The view that it reads.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    package init(fromNowOn view: FeedView, in transaction: some NodeTransaction) throws {
        self.view = view
        let newest = try transaction.newestPosition()
        let begin = view.filter == nil ? 0 : newest
        token = FeedToken(feed: try Self.feed(transaction), position: FeedPosition(newest), begin: begin)
    }

    /// The feed's identity in this lifetime of the store.
    ///
    /// A rolled-back store counts positions a second time, so earlier tokens must not be read as present ones: with
    /// the incarnation the feed's identity changes.
    private static func feed(_ transaction: some NodeTransaction) throws -> [UInt8] {
        let lifetime = try transaction.incarnation()?.bytes ?? []
        return try transaction.feedIdentity().enumerated().map { index, byte in
            index < lifetime.count ? byte ^ lifetime[index] : byte
        }
    }

    /// Reads on.
    /// - Parameters:
    ///   - limit: At most so many pieces of news, at least 1.
    ///   - byteCount: The bytes of records with which the page ends.
    ///   - committer: The committer that decides which zones are shown.
    ///   - transaction: The store at one moment.
    /// - Returns: The news, and the position to continue from.
    /// - Throws: Any error of the store.
    package mutating func read(
        limit: Int,
        byteCount: Int = .max,
        by committer: Committer,
        in transaction: some NodeTransaction
    ) throws -> FeedPage {
        let newest = try transaction.newestPosition()
        guard token.position.position < newest || token.position.backlog != nil else {
            return FeedPage(entries: [], token: token, more: false)
        }
        let begun = token.position
        let zones = try FeedZones(committer).zones(in: view, after: begun, in: transaction)
        var page = Page(limit: limit, byteCount: byteCount, view: view)
        var isAtEnd = false
        while page.hasRoom, !isAtEnd {
            if token.position.backlog != nil {
                try readBacklog(zones, into: &page, in: transaction)
            } else {
                isAtEnd = try !readOn(zones, to: newest, into: &page, in: transaction)
            }
        }
        assert(!token.position.isBehind(begun), "a reader goes forward")
        assert(page.entries.count <= max(limit, 0), "a page has no more entries than were asked for")
        let more = token.position.position < newest || token.position.backlog != nil
        return FeedPage(entries: page.entries, token: token, more: more)
    }

    /// Goes on over the end by which a commit has made the feed longer, without the store.
    ///
    /// A view of one database is not served, since a zone may be in another one by the time that the reader gets there.
    /// - Parameter tail: The end.
    /// - Returns: The news, none for an end that was read already; `nil` where the reader stands before the end, or the news does not follow from
    ///   the end alone. Then the reader has not moved, and is to read the store.
    /// - Throws: `ReplicaError.damaged` when the body of a record cannot be read; then the reader has not moved.
    package mutating func take(_ tail: FeedTail) throws -> [FeedEntry]? {
        let begun = token.position
        guard begun.backlog == nil, tail.after <= begun.position else { return nil }
        guard begun.position < tail.through else { return [] }
        var (next, entries) = (token, [FeedEntry]())
        for change in tail.changes where begun.position < change.position {
            let zone = change.record.zone
            guard let genesis = tail.geneses[zone], view.mayShow(zone, genesis) else { continue }
            guard view.place == nil, !view.dependsOnEarlierTypes(change.record) else { return nil }
            next.position.position = change.position
            guard let news = try view.news(of: change, begin: next.begin) else { continue }
            entries.append(FeedEntry(news: news, token: next))
        }
        next.position.position = tail.through
        assert(!next.position.isBehind(begun), "a reader goes forward")
        token = next
        return entries
    }

    /// Reports the earlier records of a zone that came into view.
    private mutating func readBacklog(
        _ zones: [FeedZone],
        into page: inout Page,
        in transaction: some NodeTransaction
    ) throws {
        guard let backlog = token.position.backlog else { return }
        // A zone that has disappeared again since has nothing to report.
        let isShown = zones.contains { $0.row.id == backlog.zone && $0.departure == nil }
        let portion = page.portion
        let rows = try transaction.changes(
            zones: isShown ? [backlog.zone] : [],
            after: backlog.position,
            through: token.position.position,
            limit: portion.count,
            byteCount: portion.byteCount
        )
        for row in rows where page.hasRoom {
            token.position.backlog?.position = row.position
            try page.look(at: row, token)
        }
        if page.hasRoom, portion.isMore(than: rows) { token.position.backlog = nil }
    }

    /// Reports changes up to the next news of a zone, and that.
    /// - Returns: False when there is nothing more.
    private mutating func readOn(
        _ zones: [FeedZone],
        to newest: UInt64,
        into page: inout Page,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        let position = token.position.position
        let turn = zones.flatMap(\.turns).filter { $0.position > position }.min { $0.position < $1.position }
        let end = turn?.position ?? newest
        let portion = page.portion
        let rows = try transaction.changes(
            // For a zone that is still to come into view, all records are reported then.
            zones: zones.filter { $0.departure == nil && $0.entered <= position }.map(\.row.id),
            after: position,
            through: end,
            limit: portion.count,
            byteCount: portion.byteCount
        )
        for row in rows where page.hasRoom {
            token.position.position = row.position
            try page.look(at: row, token)
        }
        guard page.hasRoom, portion.isMore(than: rows) else { return true }
        token.position.position = end
        guard let turn, let zone = zones.first(where: { $0.row.id == turn.zone }) else { return false }
        if let departure = zone.departure {
            page.entries.append(FeedEntry(news: .departed(zone.row, departure), token: token))
        } else {
            if turn.isEntrance { token.position.backlog = FeedPosition.Backlog(zone: turn.zone, position: 0) }
            page.entries.append(FeedEntry(news: .zone(zone.row), token: token))
        }
        return true
    }
}

/// A page that is being filled.
private struct Page {
    /// Records that are fetched at once.
    struct Portion {
        var count: Int
        var byteCount: Int

        /// Whether there was room for more than came, so that no more are there.
        func isMore(than rows: [ChangeRow]) -> Bool {
            rows.count < count && rows.reduce(0) { $0 + $1.record.body.count } < byteCount
        }
    }

    var entries: [FeedEntry] = []
    private let limit: Int
    private let view: FeedView
    /// Bytes of records that may still follow; the record that reaches this limit is the last.
    private var byteRoom: Int
    /// The number of records that may still be examined, and of their bytes.
    private var lookRoom = (count: FeedReader.lookCountMax, byteCount: FeedReader.lookByteCountMax)

    init(limit: Int, byteCount: Int, view: FeedView) {
        self.limit = limit
        self.view = view
        byteRoom = byteCount
        if !view.isSelective { lookRoom = (.max, .max) }
    }

    private var room: Int { limit - entries.count }
    var hasRoom: Bool { room > 0 && byteRoom > 0 && lookRoom.count > 0 && lookRoom.byteCount > 0 }

    /// The portion to fetch next: as much as the page can take, or some more if a filter leaves records out.
    var portion: Portion {
        guard view.filter != nil else {
            // The records of daemons are few beside the rest.
            return Portion(count: min(room, lookRoom.count), byteCount: min(byteRoom, lookRoom.byteCount))
        }
        return Portion(
            count: min(max(room, 64), lookRoom.count),
            byteCount: min(max(byteRoom, 1 << 20), lookRoom.byteCount)
        )
    }

    /// Takes a record in if there is news of it.
    mutating func look(at row: ChangeRow, _ token: FeedToken) throws {
        let byteCount = row.record.body.count
        if view.isSelective { lookRoom = (lookRoom.count - 1, lookRoom.byteCount - byteCount) }
        guard let news = try view.news(of: row, begin: token.begin) else { return }
        entries.append(FeedEntry(news: news, token: token))
        if case .record = news { byteRoom -= byteCount }
    }
}
