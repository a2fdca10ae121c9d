import Records
import Wire

/// The live set under a peer's checkpoint while the peer sends it: one list at a time, since each may be long.
struct LiveSetDesk: Sendable {
    /// A list that is being received.
    struct Reading: Sendable {
        /// The session that sends it.
        let session: SessionID
        /// The zone.
        let zone: ZoneID
        /// Whether a run could not be taken without it.
        let isForRun: Bool
        /// The result of the pages so far; nil while a page is being taken in.
        var comparison: LiveSetComparison?
        /// The time from which the peer is treated as not answering.
        var deadline: UInt64
    }

    /// The list that is being received.
    var reading: Reading?
    /// Complete lists, the oldest first, with the states of their zones here at that time.
    ///
    /// As long as a zone has not grown, the same list contains nothing new. Runs that could not be taken without it
    /// will be sent again.
    private(set) var told: [(comparison: LiveSetComparison, state: Hash)] = []
    /// For each zone the asked devices, with the time and the zone's state here at that time.
    private var asks: [ZoneID: [DeviceID: (at: UInt64, state: Hash)]] = [:]

    /// The complete list of a zone; nil for none.
    subscript(zone: ZoneID) -> (comparison: LiveSetComparison, state: Hash)? {
        told.first { $0.comparison.zone == zone }
    }

    /// Keeps a whole list in the place of an earlier one of its zone.
    mutating func keep(_ comparison: LiveSetComparison, state: Hash, limit: Int) {
        drop(comparison.zone)
        assert(comparison.isWhole, "a live set is kept when all of it has come")
        told.append((comparison, state))
        if told.count > limit { told.removeFirst() }
    }

    /// Drops a list that was of no use for its run.
    mutating func drop(_ zone: ZoneID) {
        told.removeAll { $0.comparison.zone == zone }
    }

    /// Drops everything about a zone that is proven complete, or not kept any more.
    mutating func forget(_ zone: ZoneID) {
        drop(zone)
        asks[zone] = nil
    }

    /// Whether a device may be asked, or asked again; if so, notes that it was.
    /// - Parameters:
    ///   - device: The device.
    ///   - zone: The zone.
    ///   - state: The state of the zone here.
    ///   - isForRun: Whether a run cannot be taken without the list.
    ///   - now: The time.
    ///   - limits: The times to wait.
    /// - Returns: False for a device that was asked lately.
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
        // An account that may read a zone may come with any number of devices.
        if asks[zone]?.count ?? 0 >= limits.liveSetAskCountMax { asks[zone] = nil }
        asks[zone, default: [:]][device] = (now, state)
        return true
    }

    /// The time from which a peer is treated as not answering; nil while none is asked.
    var nextDeadline: UInt64? {
        guard let reading, reading.comparison != nil else { return nil }
        return reading.deadline
    }
}
