import Records
import Wire

/// The live set under a checkpoint, sent page by page to a device that was away so long that no device waited for it:
/// one list at a time, since each may be long.
///
/// It may hold records that others deleted and pruned together with the deletion, and no log would ever show it.
///
///     was away                             has adopted a checkpoint
///       | -- liveSetRequest -------------->   |   may the session read the zone?
///       | <- liveSetPage ----------------  |   compared with what is live here
///       | -- liveSetRequest(place) ------->   |
///       | <- liveSetPage(isLast) --------  |   the whole list has the checkpoint's root: what it does not name goes
struct LiveSetRequests: Sendable {
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
    private(set) var reading: Reading?
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
    private mutating func keep(_ comparison: LiveSetComparison, state: Hash, limit: Int) {
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

    /// The time from which a peer is treated as not answering; nil while none is asked.
    var nextDeadline: UInt64? {
        guard let reading, reading.comparison != nil else { return nil }
        return reading.deadline
    }

    // MARK: Requests

    /// Asks for the live set of a zone that is not proven complete, although the peer has nothing more to give of it.
    mutating func ask(_ session: PeerSession, in context: inout SyncContext) {
        guard session.comparison.isReconciled, !session.isWorking(at: context.now, context.limits) else { return }
        for snapshot in context.rights.views(for: session) where snapshot.isUnverified {
            let theirs = session.sending.zones[snapshot.zone]?.theirs ?? [:]
            guard theirs.allSatisfy({ snapshot.uncompared.contains($0.key) || $0.value <= snapshot.size($0.key) })
            else { continue }
            ask(session, about: snapshot.zone, forRun: false, in: &context)
        }
    }

    /// Asks a peer for a zone's live set under the checkpoint that it has adopted, if that may help.
    mutating func ask(
        _ session: PeerSession,
        about zone: ZoneID,
        forRun isForRun: Bool,
        in context: inout SyncContext
    ) {
        guard reading == nil, session.isActive, context.rights.access(to: zone, for: session) == .everything,
            let snapshot = context.rights.zones[zone], snapshot.isUnverified || isForRun,
            mayAsk(session.device, about: snapshot, forRun: isForRun, at: context.now, context.limits)
        else { return }
        let comparison = LiveSetComparison(zone: zone, teller: session.device)
        reading = Reading(
            session: session.id,
            zone: zone,
            isForRun: isForRun,
            comparison: comparison,
            deadline: context.now + context.limits.liveSetAnswerMilliseconds
        )
        context.send(.liveSetRequest(comparison.request), to: session.id)
    }

    /// Whether a device may be asked, or asked again; if so, notes that it was.
    ///
    /// Not again for some time, unless the zone has grown meanwhile and a run cannot be taken without.
    private mutating func mayAsk(
        _ device: DeviceID,
        about snapshot: ZoneSnapshot,
        forRun isForRun: Bool,
        at now: UInt64,
        _ limits: SyncLimits
    ) -> Bool {
        let zone = snapshot.zone
        if let last = asks[zone]?[device] {
            let isGrown = isForRun && last.state != snapshot.state
            let pause = isGrown ? limits.liveSetGrownMilliseconds : limits.liveSetRetryMilliseconds
            guard now >= last.at + pause else { return false }
        }
        // An account that may read a zone may come with any number of devices.
        if asks[zone]?.count ?? 0 >= limits.liveSetAskCountMax { asks[zone] = nil }
        asks[zone, default: [:]][device] = (now, snapshot.state)
        return true
    }

    // MARK: Answers

    /// Takes in a page from a peer.
    mutating func take(
        _ page: LiveSetPage,
        on id: SessionID,
        _ sessions: [SessionID: PeerSession],
        in context: inout SyncContext
    ) {
        // A page of a list that was given up comes too late.
        guard let reading, reading.session == id, reading.zone == page.zone, let comparison = reading.comparison
        else { return }
        // A list that is known already, and did not help, does not help now.
        let isKnown = self[page.zone].map {
            $0.comparison.checkpoint == page.checkpoint && $0.state == context.rights.zones[page.zone]?.state
        }
        guard comparison.isContinued(by: page), isKnown != true else {
            giveUp(reading, sessions, in: &context)
            return
        }
        self.reading?.comparison = nil
        context.write(.take(id, page, comparison))
    }

    /// The store has compared a page.
    /// - Returns: Whether the whole list has come.
    mutating func taken(
        _ outcome: LiveSetOutcome,
        of zone: ZoneID,
        on id: SessionID,
        _ sessions: [SessionID: PeerSession],
        in context: inout SyncContext
    ) -> Bool {
        guard let reading, reading.session == id, reading.zone == zone, reading.comparison == nil
        else { return false }
        switch outcome {
        case .partial(let comparison):
            guard let session = sessions[id], context.rights.access(to: zone, for: session) == .everything else {
                giveUp(reading, sessions, in: &context)
                return false
            }
            self.reading?.comparison = comparison
            self.reading?.deadline = context.now + context.limits.liveSetAnswerMilliseconds
            context.send(.liveSetRequest(comparison.request), to: id)
            return false
        case .settled(let comparison, _):
            self.reading = nil
            if let snapshot = context.rights.zones[zone], snapshot.isUnverified || reading.isForRun {
                keep(comparison, state: snapshot.state, limit: context.limits.liveSetCountMax)
            }
            return true
        case .unusable, .storageFailed:
            giveUp(reading, sessions, in: &context)
            return false
        }
    }

    /// Gives up a list that is not answered.
    mutating func giveUpUnanswered(_ sessions: [SessionID: PeerSession], in context: inout SyncContext) {
        guard let reading else { return }
        let isLate = reading.comparison != nil && reading.deadline <= context.now
        guard isLate || sessions[reading.session] == nil || context.rights.zones[reading.zone] == nil
        else { return }
        giveUp(reading, sessions, in: &context)
    }

    /// Asks another one, if there is one that was not asked lately.
    private mutating func giveUp(
        _ given: Reading,
        _ sessions: [SessionID: PeerSession],
        in context: inout SyncContext
    ) {
        reading = nil
        for (id, session) in sessions.sorted(by: { $0.key < $1.key }) where id != given.session {
            ask(session, about: given.zone, forRun: given.isForRun, in: &context)
        }
    }
}
