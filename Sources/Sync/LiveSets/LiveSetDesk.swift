import Records
import Wire

/// What lives under a peer's checkpoint, while the peer tells it: one list at a time, since each may be long.
struct LiveSetDesk: Sendable {
    /// A list that is being told.
    struct Reading: Sendable {
        /// By whom.
        let session: SessionID
        /// The zone.
        let zone: ZoneID
        /// What the zone's logs were here when it was asked for.
        let state: Hash
        /// Whether a run could not be taken without it.
        let isForRun: Bool
        /// What has come of it; nil while a page is being taken in.
        var comparison: LiveSetComparison?
        /// When the peer counts as not answering.
        var deadline: UInt64
    }

    /// The list that is being told.
    var reading: Reading?
    /// Whole lists, the oldest first: as long as its zone has not grown another one says nothing new, and runs that could not be taken
    /// without it are to come again.
    private(set) var told: [(comparison: LiveSetComparison, state: Hash)] = []

    /// What has been told of a zone; nil for nothing.
    subscript(zone: ZoneID) -> (comparison: LiveSetComparison, state: Hash)? {
        told.first { $0.comparison.zone == zone }
    }

    /// Keeps a whole list in the place of an earlier one of its zone.
    mutating func keep(_ comparison: LiveSetComparison, state: Hash, limit: Int) {
        forget(comparison.zone)
        told.append((comparison, state))
        if told.count > limit { told.removeFirst() }
    }

    /// A zone has grown, or is not kept any more.
    mutating func forget(_ zone: ZoneID) {
        told.removeAll { $0.comparison.zone == zone }
    }

    /// When a peer counts as not answering; nil while none is asked.
    var nextDeadline: UInt64? {
        guard let reading, reading.comparison != nil else { return nil }
        return reading.deadline
    }
}
