import Identity
import Wire

// Finding the zones that differ, and sending their state.
extension SyncCore {
    /// A message of digests holds at most `Limits.rangeCountMax` ranges.
    private static let digestsPerMessage = 512
    /// A message of listed ranges holds at most `Limits.rangeItemCountMax` items, and a range lists at most 16.
    private static let listingsPerMessage = 128

    mutating func beginComparison(_ id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        guard let reconciler = reconciler(for: id) else { return }
        // The other side takes every second turn.
        sessions[id]?.nextComparison = now + 2 * limits.antiEntropyMilliseconds
        sessions[id]?.hasOpened = true
        effects.append(.send(id, .rangeDigests(RangeDigests(ranges: reconciler.opening))))
        askForWaiting(id, at: now, into: &effects)
        askForLiveSets(on: id, at: now, into: &effects)
        askForAccounts(on: id, at: now, into: &effects)
    }

    /// Asks about zones in which operations wait, less and less often: they may wait for a log without an effective
    /// part, and such logs are in no digest.
    mutating func askForWaiting(_ id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        guard let before = sessions[id]?.waitingAsks else { return }
        var asks: [ZoneID: PeerSession.WaitingAsk] = [:]
        for zone in views(for: id).filter(\.isWaiting).map(\.zone) {
            var ask = before[zone] ?? PeerSession.WaitingAsk(notBefore: now, delay: limits.followUpMilliseconds)
            if ask.notBefore <= now {
                self.ask(zone, on: id, at: now, into: &effects)
                ask.notBefore = now + ask.delay
                ask.delay = min(2 * ask.delay, limits.waitingMilliseconds)
            }
            asks[zone] = ask
        }
        sessions[id]?.waitingAsks = asks
        // Not with the next comparison alone: this side may have begun one just before the operations came, and the next is
        // two minutes away then.
        sessions[id]?.nextWaitingAsk = asks.values.map(\.notBefore).min() ?? .max
    }

    /// Operations of a zone have begun to wait: the peer is asked if they still do in a moment.
    mutating func askSoonForWaiting(_ id: SessionID, at now: UInt64) {
        guard let planned = sessions[id]?.nextWaitingAsk else { return }
        sessions[id]?.nextWaitingAsk = min(planned, now + limits.followUpMilliseconds)
    }

    /// Asks again after a change of the account log: logs for which operations wait may have been cut, as other
    /// devices answer when asked.
    mutating func askAnewForWaiting(_ id: SessionID, at now: UInt64) {
        sessions[id]?.waitingAsks = [:]
        askSoonForWaiting(id, at: now)
    }

    private mutating func reconciler(for id: SessionID) -> RangeReconciler? {
        guard let session = sessions[id] else { return nil }
        // The zones that another account may see change with the clock alone.
        if session.account == account, let current = session.reconciler { return current }
        let list = views(for: id).map { (zone: $0.zone, state: $0.state) }
        let made = RangeReconciler(zones: list, binding: session.binding)
        sessions[id]?.reconciler = made
        return made
    }

    mutating func compare(
        digests: [RangeDigest],
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let reconciler = reconciler(for: id), let device = sessions[id]?.device else { return }
        sessions[id]?.isReconciled = true
        guard !digests.isEmpty else {
            // The peer found all our ranges equal to its own.
            sessions[id]?.hasOpened = false
            effects.append(.report(.inSync(peer: device)))
            return
        }
        let isOpening = digests.contains { $0.prefix.count == 0 }
        if isOpening { sessions[id]?.hasOpened = false }
        let answer = reconciler.answer(digests: digests)
        guard answer != RangeReconciler.DigestAnswer() else {
            guard isOpening else {
                // The differences of the beginning are equal by now; the next comparison shows whether everything is.
                followUp(id, at: now)
                return
            }
            effects.append(.send(id, .rangeDigests(RangeDigests(ranges: []))))
            foundEqual(device, on: id, into: &effects)
            askForLiveSets(on: id, at: now, into: &effects)
            return
        }
        for part in answer.digests.parts(of: Self.digestsPerMessage) {
            effects.append(.send(id, .rangeDigests(RangeDigests(ranges: part))))
        }
        for part in answer.items.parts(of: Self.listingsPerMessage) {
            effects.append(.send(id, .rangeItems(RangeItems(ranges: part, isReply: false))))
        }
        tellDiffering(answer.differing, on: id, at: now, into: &effects)
        followUp(id, at: now)
    }

    mutating func compare(
        items list: RangeItems,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let reconciler = reconciler(for: id) else { return }
        sessions[id]?.isReconciled = true
        let answer = reconciler.answer(items: list.ranges, isReply: list.isReply)
        tellDiffering(answer.differing, on: id, at: now, into: &effects)
        for part in answer.reply.parts(of: Self.listingsPerMessage) {
            effects.append(.send(id, .rangeItems(RangeItems(ranges: part, isReply: true))))
        }
        followUp(id, at: now)
    }

    /// Schedules another comparison soon after a difference, so that "in sync" is known when it is true, but less and
    /// less often while nothing changes, since two histories of one log differ for ever.
    private mutating func followUp(_ id: SessionID, at now: UInt64) {
        guard let planned = sessions[id]?.nextComparison, let delay = sessions[id]?.followUpMilliseconds,
            sessions[id]?.hasOpened == true
        else { return }
        sessions[id]?.hasOpened = false
        sessions[id]?.nextComparison = min(planned, now + delay)
        sessions[id]?.followUpMilliseconds = min(2 * delay, 2 * limits.antiEntropyMilliseconds)
    }

    /// Handles a comparison in which both sides are equal, as this side has seen for itself: it replaces
    /// acknowledgements that were lost, or given while the two were apart.
    private mutating func foundEqual(_ device: DeviceID, on id: SessionID, into effects: inout [SyncEffect]) {
        effects.append(.report(.inSync(peer: device)))
        sessions[id]?.followUpMilliseconds = limits.followUpMilliseconds
        var rows: [LogKey: UInt64] = [:]
        for snapshot in views(for: id)
        where held[device]?[snapshot.zone] != snapshot.state && isMember(id, of: snapshot.zone) {
            held[device, default: [:]][snapshot.zone] = snapshot.state
            for (key, log) in snapshot.logs { rows[key] = log.size }
            if rows.count >= limits.acknowledgementCountMax {
                effects.append(.write(.acknowledge(device, rows)))
                rows = [:]
            }
        }
        if !rows.isEmpty { effects.append(.write(.acknowledge(device, rows))) }
    }

    /// Sends the state of zones that differ.
    ///
    /// While the two are at work a zone's state is sent rarely, since most zones will be equal soon; it is sent at
    /// all in case a message was lost.
    private mutating func tellDiffering(
        _ differing: [ZoneID],
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard !differing.isEmpty, let isWorking = sessions[id]?.isWorking(at: now, limits: limits) else { return }
        for zone in differing {
            let toldAt = sessions[id]?.zones[zone]?.toldAt
            if isWorking, let toldAt, now < toldAt + limits.stallMilliseconds { continue }
            ask(zone, on: id, at: now, into: &effects)
        }
    }

    /// Sends our state of a zone, so that the peer sends its own; once until it answers.
    mutating func ask(_ zone: ZoneID, on id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        guard sessions[id] != nil else { return }
        if let asked = sessions[id]?.asked[zone], now < asked + limits.askMilliseconds { return }
        sessions[id]?.asked[zone] = now
        tellState(of: zone, wantsReply: true, on: id, into: &effects)
    }

    mutating func tellState(
        of zone: ZoneID,
        wantsReply: Bool,
        on id: SessionID,
        into effects: inout [SyncEffect]
    ) {
        guard let snapshot = view(zone, for: id) else { return }
        tellTerms(of: snapshot, on: id, into: &effects)
        let state = ZoneState(
            zone: zone,
            genesis: snapshot.genesis,
            logs: snapshot.toldLogs,
            checkpoint: snapshot.checkpoint,
            wantsReply: wantsReply
        )
        effects.append(.send(id, .zoneState(state)))
        // Where the two know different forks, their logs differ; the proofs make them equal.
        for key in snapshot.forks.keys.sorted() {
            if let proof = snapshot.forks[key] { effects.append(.send(id, .forkProof(proof))) }
        }
    }
}

extension SyncCore {
    /// Sends the terms of a zone once in a session, to a peer that may not have them yet.
    ///
    /// Devices of the zone's first account derive it all by themselves, but for a zone that has two.
    private mutating func tellTerms(of snapshot: ZoneSnapshot, on id: SessionID, into effects: inout [SyncEffect]) {
        guard let session = sessions[id], let terms = authorities[snapshot.zone]?.terms,
            session.account != snapshot.genesis.owner || snapshot.genesis.partner != nil,
            access(to: snapshot.zone, for: session) == .everything,
            sessions[id]?.toldTerms.insert(snapshot.zone).inserted == true
        else { return }
        effects.append(.send(id, .zoneTerms(terms)))
    }
}

extension Array {
    /// Consecutive parts of at most `count` elements.
    fileprivate func parts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
