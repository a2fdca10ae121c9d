package import Wire

/// What is live here under a checkpoint and not in its live set, which a peer that has adopted it tells page by page.
///
/// Such operations were superseded by deletions that everybody else has forgotten along with what they deleted. So is what they had superseded
/// themselves. The checkpoint states the set's root: only when all pages have come, and give it, may anything be concluded from what they
/// do not name.
package struct LiveSetComparison: Equatable, Sendable {
    /// What is held of a record and not named.
    struct Absence: Equatable, Sendable {
        /// Covered operations that the list does not name, live ones and superseded ones.
        let gone: Set<Dot>
        /// Those that it names.
        let named: Set<Dot>
    }

    /// Operations that are noted as absent in one comparison; of more the next one tells.
    static let absentCountMax = 65_536

    /// The zone.
    package let zone: ZoneID
    /// The device that tells the set.
    package let teller: DeviceID
    /// The checkpoint; zero until the first page.
    package private(set) var checkpoint: Hash = .zero
    /// The last record that was told of.
    package private(set) var last: RecordTag?
    /// Whether the last page has been taken in.
    package private(set) var isWhole = false
    /// The records with live operations that the pages do not name.
    private(set) var absent: [RecordTag: Absence] = [:]
    private var absentCount = 0
    private var frontier = MerkleFrontier<LiveSetHashing>()

    /// Begins a comparison.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - teller: The device that is asked.
    package init(zone: ZoneID, teller: DeviceID) { (self.zone, self.teller) = (zone, teller) }

    /// Operations that the pages name.
    var count: UInt64 { frontier.size }

    /// Whether no more is noted.
    var isFull: Bool { absentCount >= Self.absentCountMax }

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

    /// Takes in what a page names, which ``isContinued(by:)``.
    mutating func append(_ page: LiveSetPage) {
        checkpoint = page.checkpoint
        last = page.records.last?.tag ?? last
        isWhole = page.isLast
        for record in page.records {
            for dot in record.dots { frontier.append(LiveSet.leaf(record.tag, dot)) }
        }
    }

    /// Notes what of a record is held and not named, if something live is among it.
    mutating func note(_ tag: RecordTag, live: [Dot], superseded: [Dot], named: [Dot]) {
        let named = Set(named)
        guard !named.isSuperset(of: live) else { return }
        let gone = Set(live + superseded).subtracting(named)
        absent[tag] = Absence(gone: gone, named: named)
        absentCount += gone.count
    }

    /// Whether all pages together are a checkpoint's live set.
    func isLiveSet(of checkpoint: Checkpoint) -> Bool {
        isWhole && frontier.root == checkpoint.liveRoot && frontier.size == checkpoint.liveCount
            || PlantedBug.believeAnyLiveSet.isActive
    }
}
