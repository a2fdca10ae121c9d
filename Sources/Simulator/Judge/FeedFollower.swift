import Records
package import Sync
import Wire

/// A program that follows a node's feed of changes, and what it must have learnt from it.
package struct FeedFollower {
    private struct RecordKey: Hashable {
        var zone: ZoneID
        var tag: RecordTag
    }

    /// Where it reads on; nil = from the beginning.
    package private(set) var token: FeedToken?
    /// What it knows of each record it was told of: its state, nil when it was told that it is deleted.
    private var known: [RecordKey: ReferenceRecord?] = [:]

    /// A program that has read nothing.
    package init() {}

    /// Begins anew, with nothing known.
    package mutating func restart() {
        self = FeedFollower()
    }

    /// Takes a page in.
    /// - Parameters:
    ///   - page: The page.
    ///   - store: The node's store at that moment.
    /// - Returns: What is wrong with it; nil when it is exact.
    /// - Throws: What the store throws.
    package mutating func take(_ page: FeedPage, of store: MemoryStore) throws -> String? {
        var position = token?.position ?? 0
        for change in page.changes {
            guard change.position > position else {
                return "position \(change.position) was told behind \(position)"
            }
            position = change.position
            let key = RecordKey(zone: change.record.zone, tag: change.record.tag)
            known[key] = .some(try ReferenceRecord(change.record))
        }
        guard page.token.position >= position else { return "the token steps back to \(page.token.position)" }
        token = page.token
        return page.more ? nil : try difference(from: store)
    }

    /// Somebody who has read to the end knows all that can be seen.
    private func difference(from store: MemoryStore) throws -> String? {
        for zone in try store.zones() {
            for row in store.allRecords(zone: zone.id) {
                let told = known[RecordKey(zone: zone.id, tag: row.tag)]
                let now = try ReferenceRecord(row)
                if told == .some(now) || (told == nil && now == nil) { continue }
                let knowledge = told.map { $0.map(\.description) ?? "that it is deleted" } ?? "nothing"
                return "of \(row.name) a reader was told \(knowledge), there is \(now.map(\.description) ?? "nothing")"
            }
        }
        return nil
    }
}
