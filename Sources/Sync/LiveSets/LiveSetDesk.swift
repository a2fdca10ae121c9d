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
        /// Whether a run could not be taken without it.
        let isForRun: Bool
        /// What has come of it; nil while a page is being taken in.
        var comparison: LiveSetComparison?
        /// When the peer counts as not answering.
        var deadline: UInt64
    }

    /// The list that is being told.
    var reading: Reading?
    /// Whole lists, the oldest first, and what their zones were here then.
    ///
    /// As long as a zone has not grown, the same list says nothing new. Runs that could not be taken without are to come again.
    private(set) var told: [(comparison: LiveSetComparison, state: Hash)] = []
    /// For each zone the devices that were asked, when, and what the zone was here then.
    private var asks: [ZoneID: [DeviceID: (at: UInt64, state: Hash)]] = [:]

    /// What has been told of a zone; nil for nothing.
    subscript(zone: ZoneID) -> (comparison: LiveSetComparison, state: Hash)? {
        told.first { $0.comparison.zone == zone }
    }

    /// Keeps a whole list in the place of an earlier one of its zone.
    mutating func keep(_ comparison: LiveSetComparison, state: Hash, limit: Int) {
        drop(comparison.zone)
        told.append((comparison, state))
        if told.count > limit { told.removeFirst() }
    }

    /// A list was of no use for the run that it was for.
    mutating func drop(_ zone: ZoneID) {
        told.removeAll { $0.comparison.zone == zone }
    }

    /// A zone is proven complete, or not kept any more.
    mutating func forget(_ zone: ZoneID) {
        drop(zone)
        asks[zone] = nil
    }

    /// Whether a device may be asked, or asked again; then it counts as asked.
    /// - Parameters:
    ///   - device: The device.
    ///   - zone: The zone.
    ///   - state: What it is here.
    ///   - isForRun: Whether a run cannot be taken without.
    ///   - now: When.
    ///   - limits: How long one waits.
    /// - Returns: False for one that was asked lately.
    mutating func ask(
        _ device: DeviceID,
        about zone: ZoneID,
        state: Hash,
        forRun isForRun: Bool,
        at now: UInt64,
        _ limits: SyncLimits
    ) -> Bool {
        if let last = asks[zone]?[device] {
            let isGrown = isForRun && last.state != state
            let pause = isGrown ? limits.liveSetGrownMilliseconds : limits.liveSetRetryMilliseconds
            guard now >= last.at + pause else { return false }
        }
        // Whoever may read a zone may come with any number of devices.
        if asks[zone]?.count ?? 0 >= limits.liveSetAskCountMax { asks[zone] = nil }
        asks[zone, default: [:]][device] = (now, state)
        return true
    }

    /// When a peer counts as not answering; nil while none is asked.
    var nextDeadline: UInt64? {
        guard let reading, reading.comparison != nil else { return nil }
        return reading.deadline
    }
}
