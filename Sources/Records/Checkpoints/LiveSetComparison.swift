package import Wire

/// What is live here under a checkpoint and not in its live set, which a peer that has adopted it tells page by page.
///
/// Such operations were superseded by deletions that everybody else has forgotten along with what they deleted. So is what they had superseded
/// themselves. The checkpoint states the set's root: only when all pages have come, and give it, may anything be concluded from what they
/// do not name.
package struct LiveSetComparison: Equatable, Sendable {
    /// Operations of one comparison that may turn out to be absent from the list, so that no peer can make it grow without end.
    static let absentCountMax = 65_536

    /// The zone.
    package let zone: ZoneID
    /// The checkpoint; zero until the first page.
    package private(set) var checkpoint: Hash = .zero
    /// The last record that was told of.
    package private(set) var last: RecordTag?
    /// Whether the last page has been taken in.
    package private(set) var isWhole = false
    /// Of each record with live operations that the pages do not name: these, and what of it is superseded.
    private(set) var absent: [RecordTag: [Dot]] = [:]
    private var absentCount = 0
    private var frontier = MerkleFrontier<LiveSetHashing>()

    /// Begins a comparison.
    package init(zone: ZoneID) { self.zone = zone }

    /// Operations that the pages name.
    var count: UInt64 { frontier.size }

    /// What to ask the peer for next.
    package var request: LiveSetRequest {
        LiveSetRequest(zone: zone, place: last.map { LiveSetRequest.Place(checkpoint: checkpoint, after: $0) })
    }

    /// Whether a page is the next one.
    /// - Complexity: O(1).
    package func isContinued(by page: LiveSetPage) -> Bool {
        guard !isWhole, page.zone == zone, !page.checkpoint.isZero, last == nil || page.checkpoint == checkpoint
        else { return false }
        guard let first = page.records.first, let last else { return true }
        return last < first.tag
    }

    /// Takes in a page.
    /// - Parameters:
    ///   - page: The page, which ``isContinued(by:)``.
    ///   - held: For the records up to its end, what is held here: what is live, and what is superseded.
    /// - Returns: False when more is absent than is kept.
    mutating func add(_ page: LiveSetPage, held: [RecordTag: (live: [Dot], dropped: [Dot])]) -> Bool {
        checkpoint = page.checkpoint
        last = page.records.last?.tag ?? last
        isWhole = page.isLast
        var named: [RecordTag: Set<Dot>] = [:]
        for record in page.records {
            named[record.tag] = Set(record.dots)
            for dot in record.dots { frontier.append(LiveSet.leaf(record.tag, dot)) }
        }
        for (tag, (live, dropped)) in held {
            let isNamed = named[tag] ?? []
            guard !isNamed.isSuperset(of: live) else { continue }
            let missing = (live + dropped).filter { !isNamed.contains($0) }
            absent[tag] = missing
            absentCount += missing.count
        }
        return absentCount <= Self.absentCountMax
    }

    /// Whether all pages together are a checkpoint's live set.
    func isLiveSet(of checkpoint: Checkpoint) -> Bool {
        isWhole && frontier.root == checkpoint.liveRoot && frontier.size == checkpoint.liveCount
            || PlantedBug.believeAnyLiveSet.isActive
    }
}
