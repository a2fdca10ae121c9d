import Identity
import Wire

// Runs on their way out and in, and their acknowledgement.
extension SyncCore {
    /// Reads ahead as far as the window allows.
    mutating func pump(_ id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        while let key = nextLog(id, at: now) {
            guard let session = sessions[id], passesOn(key.zone, to: session), session.zones[key.zone] != nil,
                let size = view(key.zone, for: id)?.size(key), size > session.sentSize(key)
            else {
                sessions[id]?.clean(key)
                continue
            }
            sessions[id]?.reading.insert(key)
            effects.append(.read(.run(id, key, from: session.sentSize(key), byteCount: limits.runByteCount)))
        }
    }

    private mutating func nextLog(_ id: SessionID, at now: UInt64) -> LogKey? {
        guard sessions[id]?.phase == .active, let pausedUntil = sessions[id]?.pausedUntil, pausedUntil <= now,
            sessions[id]?.hasRoom(limits) == true
        else { return nil }
        let zones = zones
        return sessions[id]?.nextLog(at: now, limits: limits) { zones[$0.zone]?.size($0) ?? 0 }
    }

    mutating func runRead(
        _ run: Run?,
        of key: LogKey,
        byteCount: Int,
        for id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        if let head = run?.signedHead.head, isOwn(head.device, head.incarnation) {
            ownSizes[key] = max(ownSizes[key] ?? 0, head.size)
        }
        assert(
            run.map { $0.signedHead.head.key == key } ?? true,
            "the store answers with a run of the log that was asked for"
        )
        guard let sent = sessions[id]?.sentSize(key) else { return }
        // The session's right to it may have ended while the store was asked.
        guard isShown(key, to: id) else {
            sessions[id]?.probing.remove(key)
            _ = sessions[id]?.finishReading(key)
            sessions[id]?.clean(key)
            return
        }
        if isProbe(run, of: key, for: id) {
            sessions[id]?.probing.remove(key)
            if let run { effects.append(.send(id, .run(run))) }
            return
        }
        guard sessions[id]?.finishReading(key) == true else { return }
        // Where leaves were dropped under a checkpoint a run begins with the gap, which may reach back.
        if let run, continues(run, at: sent), sessions[id]?.zones[key.zone] != nil {
            let size = run.signedHead.head.size
            sessions[id]?.send(PeerSession.InFlight(key: key, size: size, byteCount: max(byteCount, 0)), at: now)
            effects.append(.send(id, .run(run)))
            exporting(key.zone, on: id, into: &effects)
            if (zones[key.zone]?.size(key) ?? 0) <= size { sessions[id]?.clean(key) }
        } else if run == nil {
            // The store has nothing behind that place; a later change or comparison marks the log again.
            sessions[id]?.clean(key)
        }
        pump(id, at: now, into: &effects)
    }

    /// Whether a session may receive a log.
    func isShown(_ key: LogKey, to id: SessionID) -> Bool {
        guard let session = sessions[id] else { return false }
        switch access(to: key.zone, for: session) {
        case .everything: return true
        case .control: return key.lane == .control
        case .nothing: return false
        }
    }

    /// Returns the purpose for which a run is taken in; `nil` when it is not taken at all.
    ///
    /// From a device that no longer takes part only control logs are taken, and its own records where this account
    /// decides about them.
    private func purpose(of head: TreeHead, in session: PeerSession) -> RunPurpose? {
        switch acceptance(of: head.zone, from: session) {
        case .everything: return .replication(liveSet: liveSets[head.zone]?.comparison)
        case .control where head.lane == .control: return .replication(liveSet: nil)
        case .control where head.device == session.device:
            guard let authority = authorities[head.zone], authority.rules(account),
                authority.hasEnded(right: head.right)
            else { return nil }
            return .deposit
        case .control, .nothing: return nil
        }
    }

    /// Whether a run was read to show the hashes of a log, and not because the peer lacks it.
    private func isProbe(_ run: Run?, of key: LogKey, for id: SessionID) -> Bool {
        guard let session = sessions[id], session.probing.contains(key) else { return false }
        return run.map(\.isSkeleton) ?? !session.reading.contains(key)
    }

    /// Whether a run continues a log that the peer holds up to a size: it begins there, or with a gap that reaches
    /// back.
    private func continues(_ run: Run, at sent: UInt64) -> Bool {
        if run.from == sent { return true }
        guard run.from < sent, run.signedHead.head.size > sent, case .gap = run.items.first else { return false }
        return true
    }

    mutating func acknowledged(
        _ acknowledgement: Acknowledge,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        let zone = acknowledgement.zone
        guard let device = sessions[id]?.device, let snapshot = view(zone, for: id) else { return }
        if sessions[id]?.zones[zone] == nil, sessions[id]?.isReconciled == true {
            sessions[id]?.zones[zone] = PeerSession.ZoneProgress(theirs: snapshot.logs.mapValues(\.size))
        }
        var grown: UInt64 = 0
        var delivered: UInt64?
        var rows: [LogKey: UInt64] = [:]
        for log in acknowledgement.logs {
            let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
            // The peer may be ahead of us: its size is kept, so that it is not sent later the operations that it has
            // already.
            guard let change = sessions[id]?.acknowledged(key, size: log.size, at: now) else { continue }
            let ours = snapshot.size(key)
            grown &+= min(change.grown, ours)
            if change.isOurs { delivered = (delivered ?? 0) &+ min(change.grown, ours) }
            if change.isOurs || change.grown > 0 { sessions[id]?.progressed(at: now, limits: limits) }
            if change.grown > 0, !change.isOurs { sessions[id]?.fed(at: now, limits: limits) }
            if log.size >= ours { sessions[id]?.clean(key) }
            // More of our own log than we ever wrote: that is another history.
            if isOwn(key, snapshot), log.size > max(ours, ownSizes[key] ?? 0) { continue }
            // It cannot acknowledge operations for us that we do not have.
            let durable = min(log.size, ours)
            if durable > 0 { rows[key] = durable }
        }
        if !rows.isEmpty, isMember(id, of: zone) { effects.append(.write(.acknowledge(device, rows))) }
        if grown > 0 { effects.append(.report(.exported(zone: zone, peer: device, count: grown))) }
        if let delivered { exported(zone, count: delivered, on: id, into: &effects) }
        pump(id, at: now, into: &effects)
    }

    mutating func runReceived(
        _ run: Run,
        byteCount: Int,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        let head = run.signedHead.head
        let key = head.key
        guard let session = sessions[id], let purpose = purpose(of: head, in: session) else { return }
        let waiting = sessions[id]?.applying.reduce(0) { $0 &+ $1.byteCount } ?? 0
        guard waiting <= limits.receivedByteCountMax else {
            closeForViolation(id, "more bytes unacknowledged than the window allows", into: &effects)
            return
        }
        sessions[id]?.applying.append(
            PeerSession.Applying(
                key: key,
                size: head.size,
                byteCount: max(byteCount, 0),
                hasLiveSet: purpose.liveSet != nil
            )
        )
        if isOwn(head.device, head.incarnation) { checkOwn(key, size: head.size, into: &effects) }
        effects.append(.write(.apply(id, run, key, purpose)))
        importing(key.zone, on: id, into: &effects)
    }

    mutating func runApplied(
        _ outcome: RunOutcome,
        of key: LogKey,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        // The session may have ended since; durable operations are announced to the others all the same.
        let applied = takeApplying(key, on: id)
        let size = applied?.size
        if let session = sessions[id], isRemovedFellow(session) {
            lateRunApplied(outcome, of: key, on: id, at: now, into: &effects)
            return
        }
        let before = sessions[id]
        defer { imported(outcome, of: key.zone, by: sessions[id] ?? before, into: &effects) }
        switch outcome {
        case .durable(let size, let operations):
            durable(key, size: size, operations: operations, on: id, at: now, into: &effects)
        case .misplaced:
            refuse(key, isRepeated: true, on: id, into: &effects)
        case .unexplained:
            refuse(key, isRepeated: true, on: id, into: &effects)
            if applied?.hasLiveSet == true { liveSets.drop(key.zone) }
            askForLiveSet(of: key.zone, forRun: true, on: id, at: now, into: &effects)
        case .unwanted(let size):
            answer(key, size: size, on: id, into: &effects)
        case .controlLogFull(let size):
            reportFailure(key.zone, "control_log_full", on: id, into: &effects)
            answer(key, size: size, on: id, into: &effects)
        case .violation(let reason):
            reportFailure(key.zone, "violation", on: id, into: &effects)
            if sessions[id] != nil { closeForViolation(id, reason, in: key.zone, into: &effects) }
        case .brokenLog(let author, let reason):
            reportFailure(key.zone, "violation", on: id, into: &effects)
            let anomaly = Anomaly(.brokenLog, author: author, zone: key.zone, detail: reason)
            if sessions[id]?.device == author {
                closeForViolation(id, anomaly, into: &effects)
            } else {
                report(anomaly, on: id, into: &effects)
                // A later head may be a better one.
                refuse(key, isRepeated: true, on: id, into: &effects)
            }
        case .contradiction:
            reportFailure(key.zone, "contradiction", on: id, into: &effects)
            // Not answered otherwise: it is not held here, and once the fork is proven it will not be wanted.
            if isShown(key, to: id) { probe(key, size: zones[key.zone]?.size(key) ?? 0, on: id, into: &effects) }
        case .fork(let proof):
            reportFailure(key.zone, "fork", on: id, into: &effects)
            forked(proof)
            for other in sessions.keys.sorted() where sessions[other]?.phase == .active && isShown(key, to: other) {
                effects.append(.send(other, .forkProof(proof)))
            }
            if let size { answer(key, size: size, on: id, into: &effects) }
        case .forkKnown(let proof, let size):
            // A device that delivers its own log may always learn that it is forked.
            if isShown(key, to: id) || isAnswered(key, on: id) && sessions[id]?.device == proof.first.head.device {
                effects.append(.send(id, .forkProof(proof)))
            }
            answer(key, size: size, on: id, into: &effects)
        case .storageFull, .storageFailed:
            reportFailure(key.zone, "storage", on: id, into: &effects)
            guard sessions[id] != nil else { return }
            sessions[id]?.isPausing = true
            effects.append(.send(id, .pause(Pause(reason: outcome == .storageFull ? .diskFull : .busy))))
            // When the pause ends the peer continues from the size that we state.
            refuse(key, isRepeated: false, on: id, into: &effects)
        }
    }

    private mutating func takeApplying(_ key: LogKey, on id: SessionID) -> PeerSession.Applying? {
        guard let index = sessions[id]?.applying.firstIndex(where: { $0.key == key }) else { return nil }
        return sessions[id]?.applying.remove(at: index)
    }

    private mutating func durable(
        _ key: LogKey,
        size: UInt64,
        operations: UInt64,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        _ = sessions[id]?.acknowledged(key, size: size, at: now)
        sessions[id]?.progressed(at: now, limits: limits)
        sessions[id]?.refusedAt[key] = nil
        // Nothing new was stored: it was held before and reported then, or lies above the cut.
        guard operations > 0 else {
            answer(key, size: size, on: id, into: &effects)
            resume(id, into: &effects)
            return
        }
        let log = AcknowledgedLog(actor: key.actor, lane: key.lane, size: size)
        let acknowledgement = Acknowledge(zone: key.zone, logs: [log])
        for (other, state) in sessions.sorted(by: { $0.key < $1.key })
        where state.phase == .active && isShown(key, to: other) {
            effects.append(.send(other, .acknowledge(acknowledgement)))
        }
        resume(id, into: &effects)
        guard let device = sessions[id]?.device else { return }
        effects.append(.report(.imported(zone: key.zone, peer: device, count: operations)))
    }

    /// Storage works again: the peer need not wait for its pause to end.
    private mutating func resume(_ id: SessionID, into effects: inout [SyncEffect]) {
        guard sessions[id]?.isPausing == true else { return }
        sessions[id]?.isPausing = false
        effects.append(.send(id, .resume))
    }

    /// Sends our state to the peer, since one of its runs did not fit.
    ///
    /// Runs that it had sent behind that one do not fit either: the state is sent once for each place, else the peer
    /// would begin again with every answer. `isRepeated` = this may be such a run.
    private mutating func refuse(_ key: LogKey, isRepeated: Bool, on id: SessionID, into effects: inout [SyncEffect]) {
        // The session may have ended since; and for a zone that is not known here there is nothing to send, nor to
        // keep: a peer could name any number of them.
        guard sessions[id] != nil, let size = zones[key.zone]?.size(key) else { return }
        if isRepeated, sessions[id]?.refusedAt[key] == size { return }
        let isKept = (sessions[id]?.refusedAt.count ?? 0) < Limits.logCountMax || sessions[id]?.refusedAt[key] != nil
        if isKept { sessions[id]?.refusedAt[key] = size }
        tellState(of: key.zone, wantsReply: false, on: id, into: &effects)
    }

    /// Answers only the sender that its run is dealt with, although it was not kept: else its bytes would be charged
    /// to the window for ever.
    private func answer(_ key: LogKey, size: UInt64, on id: SessionID, into effects: inout [SyncEffect]) {
        guard isAnswered(key, on: id) else { return }
        let log = AcknowledgedLog(actor: key.actor, lane: key.lane, size: size)
        effects.append(.send(id, .acknowledge(Acknowledge(zone: key.zone, logs: [log]))))
    }

    /// Whether a session receives the outcome of its run: it may have ended since, or have no access to the zone any
    /// more.
    private func isAnswered(_ key: LogKey, on id: SessionID) -> Bool {
        guard let session = sessions[id] else { return false }
        return access(to: key.zone, for: session) != .nothing
    }

    private func reportFailure(_ zone: ZoneID, _ code: String, on id: SessionID, into effects: inout [SyncEffect]) {
        guard let device = sessions[id]?.device else { return }
        effects.append(.report(.importFailed(zone: zone, peer: device, code: code)))
    }
}
