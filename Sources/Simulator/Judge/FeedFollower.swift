import Queries
import Records
package import Sync
package import Wire

/// A program that follows a node's change feed, with the state it has kept, to compare with the store.
package struct FeedFollower {
    private struct RecordKey: Hashable {
        var zone: ZoneID
        var tag: RecordTag
    }

    /// A node's feed, and the view of it that is read.
    package struct Key: Hashable {
        /// The node.
        package var node: Int
        /// The view that the program reads.
        package var view: FeedView
    }

    /// The view of the feed that the program reads.
    package let view: FeedView
    /// The token from which the program reads on; `nil` means from the beginning.
    package private(set) var token: FeedToken?
    /// The incarnation of the store in which it got its token.
    package var lifetime: Incarnation?
    /// Whether the disk was rolled back since, so that the changes delivered from it can no longer be known.
    package var isExcused = false
    /// The zones that it knows.
    private var zones: Set<ZoneID> = []
    /// The position and state of each record that the feed has delivered; a `nil` state means deleted.
    private var known: [RecordKey: (position: UInt64, record: ReferenceRecord?)] = [:]

    /// A program that has read nothing.
    package init(_ view: FeedView) {
        self.view = view
    }

    /// Takes in a page.
    /// - Parameters:
    ///   - page: The page.
    ///   - taken: The number of entries that are kept: the program dies after them.
    ///   - node: The node, whose store is inspected when the page says that it is the last.
    /// - Returns: A description of the fault; `nil` when the page is exact.
    /// - Throws: Errors of the store.
    package mutating func take(_ page: FeedPage, taken: Int, from node: SimulatedNode) throws -> String? {
        for entry in page.entries.prefix(taken) {
            if let token, !token.position.isBehind(entry.token.position) {
                return "the token does not advance: \(entry.token.position) after \(token.position)"
            }
            token = entry.token
            if let fault = try take(entry) { return fault }
        }
        guard taken >= page.entries.count else { return nil }
        if let token, page.token.position.isBehind(token.position) { return "the last token is behind the one before" }
        token = page.token
        return page.more ? nil : try difference(from: node)
    }

    private mutating func take(_ entry: FeedEntry) throws -> String? {
        switch entry.news {
        case .zone(let row):
            zones.insert(row.id)
        case .departed(let row, _):
            zones.remove(row.id)
            known = known.filter { $0.key.zone != row.id }
        case .record(let change), .outside(let change):
            guard zones.contains(change.record.zone) else { return "\(change.record.name) is reported before its zone" }
            let key = RecordKey(zone: change.record.zone, tag: change.record.tag)
            // A zone that came into view is delivered again from the beginning.
            if entry.token.position.backlog == nil, let before = known[key], before.position >= change.position {
                return "\(change.record.name) is reported at \(change.position) after \(before.position)"
            }
            var state = try ReferenceRecord(change.record)
            if case .outside = entry.news { state = nil }
            known[key] = (change.position, state)
        }
        return nil
    }

    /// Whether the view shows a record, independently of the feed.
    private func isSelected(_ row: RecordRow) throws -> Bool {
        guard view.audience.sees(type: row.type) else { return false }
        guard let filter = view.filter else { return true }
        let content = try row.content()
        return !row.isDeleted
            && filter.query.matches(QueryRecord(content, modifiedMilliseconds: row.time.milliseconds))
    }

    /// Compares the state of a program that has read to the end with everything that the view shows.
    private func difference(from node: SimulatedNode) throws -> String? {
        guard let store = node.store, let committer = node.process?.committer() else { return nil }
        let shown = try store.zones().filter { row in
            try view.mayShow(row) && view.shows(FeedZones(committer).place(of: row, in: store))
        }
        let (expected, now) = (shown.map(\.id).sorted(), zones.sorted())
        guard expected == now else {
            return "a reader knows the zones \(now.map(\.shortText)), the store has \(expected.map(\.shortText))"
        }
        for zone in shown {
            for row in store.allRecords(zone: zone.id) {
                let told = known[RecordKey(zone: zone.id, tag: row.tag)]
                let now = try isSelected(row) ? ReferenceRecord(row) : nil
                if told.map({ $0.record == now }) ?? (now == nil) { continue }
                let knowledge = told.map { $0.record?.description ?? "deleted" } ?? "nothing"
                return "a reader has \(row.name) as \(knowledge), the store has \(now?.description ?? "nothing")"
            }
        }
        return nil
    }
}
