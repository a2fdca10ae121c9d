package import Wire

/// The operations that are live here under a checkpoint but missing from its live set, found by comparing with the
/// pages that a peer sends.
///
/// The peer has adopted the checkpoint and sends its live set page by page. The missing operations were superseded by
/// deletions that all other replicas have pruned, along with the operations that they deleted. The same holds for
/// operations that the missing ones had superseded. The checkpoint states the root of the set. A conclusion about
/// operations that the pages do not name is safe only when all pages have arrived and yield that root.
package struct LiveSetComparison: Equatable, Sendable {
    /// The operations of a record that are held here but that the pages do not name.
    struct Absence: Equatable, Sendable {
        /// Covered operations that the list does not name, live ones and superseded ones.
        let gone: Set<Dot>
        /// The operations that it names.
        let named: Set<Dot>
    }

    /// The maximum number of operations noted as absent in one comparison; the next comparison finds more.
    static let absentCountMax = 65_536

    /// The zone.
    package let zone: ZoneID
    /// The device that tells the set.
    package let teller: DeviceID
    /// The checkpoint; zero until the first page.
    package private(set) var checkpoint: Hash = .zero
    /// The last record on the pages so far.
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

    /// The next request to the peer.
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

    /// Adds the operations of a page for which ``isContinued(by:)`` is true.
    mutating func append(_ page: LiveSetPage) {
        checkpoint = page.checkpoint
        last = page.records.last?.tag ?? last
        isWhole = page.isLast
        for record in page.records {
            for dot in record.dots { frontier.append(LiveSet.leaf(record.tag, dot)) }
        }
    }

    /// Notes the operations of a record that are held but not named, if a live one is among them.
    mutating func note(_ tag: RecordTag, live: [Dot], superseded: [Dot], named: [Dot]) {
        let named = Set(named)
        guard !named.isSuperset(of: live) else { return }
        assert(absent[tag] == nil, "each record is compared once")
        let gone = Set(live + superseded).subtracting(named)
        absent[tag] = Absence(gone: gone, named: named)
        absentCount += gone.count
    }

    /// Whether all pages together are a checkpoint's live set.
    func isLiveSet(of checkpoint: Checkpoint) -> Bool {
        isWhole && frontier.root == checkpoint.liveRoot && frontier.size == checkpoint.liveCount
    }
}
