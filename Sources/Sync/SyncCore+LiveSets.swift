import Records
import Wire

// The live set under a checkpoint, sent page by page to a device that was away so long that no device waited for it.
// It may hold records that others deleted and pruned together with the deletion, and no log would ever show it.
//
//     was away                             has adopted a checkpoint
//       | -- liveSetRequest -------------->   |   may the session read the zone?
//       | <- liveSetPage ----------------  |   compared with what is live here
//       | -- liveSetRequest(place) ------->   |
//       | <- liveSetPage(isLast) --------  |   the whole list has the checkpoint's root: what it does not name goes
extension SyncCore {
    // MARK: As the device that was away

    /// Asks for the live set of a zone that is not proven complete, although the peer has nothing more to give of it.
    mutating func askForLiveSets(on id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        guard let session = sessions[id], session.isReconciled, !session.isWorking(at: now, limits: limits)
        else { return }
        for snapshot in views(for: id) where snapshot.isUnverified {
            let theirs = session.zones[snapshot.zone]?.theirs ?? [:]
            guard theirs.allSatisfy({ $0.value <= snapshot.size($0.key) }) else { continue }
            askForLiveSet(of: snapshot.zone, on: id, at: now, into: &effects)
        }
    }

    /// Asks a peer for a zone's live set under the checkpoint that it has adopted, if that may help.
    ///
    /// Not again for some time, unless the zone has grown meanwhile and a run cannot be taken without.
    mutating func askForLiveSet(
        of zone: ZoneID,
        forRun isForRun: Bool = false,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard liveSets.reading == nil, let session = sessions[id], session.phase == .active,
            access(to: zone, for: session) == .everything, let snapshot = zones[zone],
            snapshot.isUnverified || isForRun,
            liveSets.ask(session.device, about: zone, state: snapshot.state, forRun: isForRun, at: now, limits)
        else { return }
        let comparison = LiveSetComparison(zone: zone, teller: session.device)
        liveSets.reading = LiveSetDesk.Reading(
            session: id,
            zone: zone,
            isForRun: isForRun,
            comparison: comparison,
            deadline: now + limits.liveSetAnswerMilliseconds
        )
        effects.append(.send(id, .liveSetRequest(comparison.request)))
    }

    mutating func liveSetPage(
        _ page: LiveSetPage,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        // A page of a list that was given up comes too late.
        guard let reading = liveSets.reading, reading.session == id, reading.zone == page.zone,
            let comparison = reading.comparison
        else { return }
        // A list that is known already, and did not help, does not help now.
        let isKnown = liveSets[page.zone].map {
            $0.comparison.checkpoint == page.checkpoint && $0.state == zones[page.zone]?.state
        }
        guard comparison.isContinued(by: page), isKnown != true else {
            giveUp(reading, at: now, into: &effects)
            return
        }
        liveSets.reading?.comparison = nil
        effects.append(.write(.take(id, page, comparison)))
    }

    mutating func liveSetTaken(
        _ outcome: LiveSetOutcome,
        of zone: ZoneID,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let reading = liveSets.reading, reading.session == id, reading.zone == zone, reading.comparison == nil
        else { return }
        switch outcome {
        case .partial(let comparison):
            guard let session = sessions[id], access(to: zone, for: session) == .everything else {
                giveUp(reading, at: now, into: &effects)
                return
            }
            liveSets.reading?.comparison = comparison
            liveSets.reading?.deadline = now + limits.liveSetAnswerMilliseconds
            effects.append(.send(id, .liveSetRequest(comparison.request)))
        case .settled(let comparison, _):
            liveSets.reading = nil
            if let snapshot = zones[zone], snapshot.isUnverified || reading.isForRun {
                liveSets.keep(comparison, state: snapshot.state, limit: limits.liveSetCountMax)
            }
            guard let refused = sessions[id]?.refusedAt else { return }
            // A run that was refused because it could not be explained may be taken now.
            sessions[id]?.refusedAt = refused.filter { $0.key.zone != zone }
            tellState(of: zone, wantsReply: false, on: id, into: &effects)
            askForLiveSets(on: id, at: now, into: &effects)
        case .unusable, .storageFailed:
            giveUp(reading, at: now, into: &effects)
        }
    }

    /// Gives up a list that is not answered.
    mutating func settleLiveSet(at now: UInt64, into effects: inout [SyncEffect]) {
        guard let reading = liveSets.reading else { return }
        let isLate = reading.comparison != nil && reading.deadline <= now
        guard isLate || sessions[reading.session] == nil || zones[reading.zone] == nil else { return }
        giveUp(reading, at: now, into: &effects)
    }

    /// Asks another one, if there is one that was not asked lately.
    private mutating func giveUp(_ reading: LiveSetDesk.Reading, at now: UInt64, into effects: inout [SyncEffect]) {
        liveSets.reading = nil
        for id in sessions.keys.sorted() where id != reading.session {
            askForLiveSet(of: reading.zone, forRun: reading.isForRun, on: id, at: now, into: &effects)
        }
    }

    // MARK: As the device that has adopted the checkpoint

    mutating func liveSetRequest(_ request: LiveSetRequest, on id: SessionID, into effects: inout [SyncEffect]) {
        // A device that may not read the zone does not learn whether it is here; and one page is read at a time.
        guard let session = sessions[id], zones[request.zone] != nil,
            access(to: request.zone, for: session) == .everything, !session.isReadingLiveSet
        else { return }
        sessions[id]?.isReadingLiveSet = true
        effects.append(.read(.liveSet(id, request)))
    }

    mutating func liveSetRead(_ page: LiveSetPage, for id: SessionID, into effects: inout [SyncEffect]) {
        sessions[id]?.isReadingLiveSet = false
        // Rights may have ended meanwhile.
        guard let session = sessions[id], access(to: page.zone, for: session) == .everything else { return }
        effects.append(.send(id, .liveSetPage(page)))
    }
}
