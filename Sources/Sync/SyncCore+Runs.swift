import Identity
import Wire

// Runs on their way out and in, their acknowledgement, and the timers of a session.
extension SyncCore {
    /// Reads ahead as far as the window allows.
    mutating func pump(_ id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        while let session = sessions[id], session.pausedUntil <= now, session.reading.count < limits.readAheadCount {
            let reserved = session.inFlightByteCount + session.reading.count * limits.runByteCount
            guard reserved < limits.windowByteCount || (session.inFlight.isEmpty && session.reading.isEmpty),
                let key = session.nextLog(at: now, size: { zones[$0.zone]?.size($0) ?? 0 })
            else { return }
            guard let size = zones[key.zone]?.size(key), size > session.sentSize(key) else {
                sessions[id]?.dirty[key] = nil
                continue
            }
            sessions[id]?.reading.insert(key)
            effects.append(.readRun(id, key, from: session.sentSize(key), byteCount: limits.runByteCount))
        }
    }

    mutating func runRead(
        _ run: Run?,
        of key: LogKey,
        byteCount: Int,
        for id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard sessions[id]?.reading.remove(key) != nil, let session = sessions[id] else { return }
        if let run, run.from == session.sentSize(key), session.zones[key.zone] != nil {
            let size = run.signedHead.head.size
            sessions[id]?.zones[key.zone]?.sent[key] = size
            sessions[id]?.inFlight.append(PeerSession.InFlight(key: key, size: size, byteCount: byteCount))
            sessions[id]?.inFlightByteCount += byteCount
            effects.append(.send(id, .run(run)))
            if (zones[key.zone]?.size(key) ?? 0) <= size { sessions[id]?.dirty[key] = nil }
        } else if run == nil {
            // The store has nothing behind that place; a later change or comparison marks the log again.
            sessions[id]?.dirty[key] = nil
        }
        pump(id, at: now, into: &effects)
    }

    mutating func acknowledged(
        _ acknowledgement: Acknowledge,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        let zone = acknowledgement.zone
        guard let session = sessions[id], let snapshot = zones[zone] else { return }
        if session.zones[zone] == nil, session.isReconciled {
            sessions[id]?.zones[zone] = PeerSession.ZoneProgress(theirs: snapshot.logs.mapValues(\.size))
        }
        var grown: UInt64 = 0
        var rows: [LogKey: UInt64] = [:]
        for log in acknowledgement.logs {
            let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
            // A peer can hold more than we do, but it cannot acknowledge for us what we do not have.
            let size = min(log.size, snapshot.size(key))
            guard size > 0 else { continue }
            rows[key] = size
            grown &+= sessions[id]?.acknowledged(key, size: size) ?? 0
            if snapshot.size(key) <= sessions[id]?.sentSize(key) ?? 0 { sessions[id]?.dirty[key] = nil }
        }
        if !rows.isEmpty { effects.append(.saveAcknowledgements(session.device, rows)) }
        if grown > 0 { effects.append(.report(.exported(zone: zone, peer: session.device, count: grown))) }
        pump(id, at: now, into: &effects)
    }

    mutating func runReceived(_ run: Run, byteCount: Int, on id: SessionID, into effects: inout [SyncEffect]) {
        let head = run.signedHead.head
        guard let session = sessions[id] else { return }
        let key = LogKey(
            zone: head.zone,
            actor: ActorID(device: head.device, incarnation: head.incarnation),
            lane: head.lane
        )
        let waiting = session.applying.reduce(0, +)
        guard waiting <= limits.windowByteCount * 2 else {
            closeForViolation(id, "more bytes unacknowledged than the window allows", into: &effects)
            return
        }
        sessions[id]?.applying.append(byteCount)
        if let snapshot = zones[head.zone], key.actor == localActor, head.size > snapshot.size(key) {
            effects.append(.foundBehind(key, size: head.size))
        }
        effects.append(.applyRun(id, session.device, run, key))
    }

    mutating func runApplied(
        _ outcome: RunOutcome,
        of key: LogKey,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let session = sessions[id] else { return }
        if !session.applying.isEmpty { sessions[id]?.applying.removeFirst() }
        switch outcome {
        case .durable(let size, let operations):
            _ = sessions[id]?.acknowledged(key, size: size)
            let acknowledgement = Acknowledge(
                zone: key.zone,
                logs: [AcknowledgedLog(actor: key.actor, lane: key.lane, size: size)]
            )
            for (other, state) in sessions.sorted(by: { $0.key < $1.key }) where state.phase == .active {
                effects.append(.send(other, .acknowledge(acknowledgement)))
            }
            if session.isPausing {
                sessions[id]?.isPausing = false
                effects.append(.send(id, .resume))
            }
            if operations > 0 {
                effects.append(.report(.imported(zone: key.zone, peer: session.device, count: operations)))
            }
        case .misplaced:
            tellState(of: key.zone, wantsReply: false, on: id, into: &effects)
        case .unwanted(let size):
            // The sender needs an answer, or the bytes would count against its window for ever.
            let log = AcknowledgedLog(actor: key.actor, lane: key.lane, size: size)
            effects.append(.send(id, .acknowledge(Acknowledge(zone: key.zone, logs: [log]))))
        case .violation(let reason):
            effects.append(.report(.importFailed(zone: key.zone, peer: session.device, code: "violation")))
            closeForViolation(id, reason, into: &effects)
        case .fork(let proof):
            effects.append(.report(.importFailed(zone: key.zone, peer: session.device, code: "fork")))
            for other in sessions.keys.sorted() where sessions[other]?.phase == .active {
                effects.append(.send(other, .forkProof(proof)))
            }
        case .storageFull, .storageFailed:
            effects.append(.report(.importFailed(zone: key.zone, peer: session.device, code: "storage")))
            sessions[id]?.isPausing = true
            effects.append(.send(id, .pause(Pause(reason: outcome == .storageFull ? .diskFull : .busy))))
            // When the pause ends the peer goes on from where we say we are.
            tellState(of: key.zone, wantsReply: false, on: id, into: &effects)
        }
    }

    /// Pings, compares, gives up on silent peers, ends pauses.
    mutating func runTimers(
        at now: UInt64,
        wall: UInt64,
        random: inout some RandomNumberGenerator,
        into effects: inout [SyncEffect]
    ) {
        for id in sessions.keys.sorted() {
            guard let session = sessions[id] else { continue }
            if now >= session.lastHeard + limits.silenceMilliseconds {
                effects.append(.close(id, .silent, reason: "nothing heard"))
                sessions[id] = nil
                continue
            }
            if case .confirming(let until) = session.phase, now >= until {
                effects.append(.close(id, .refused, reason: "the device is not in the account"))
                sessions[id] = nil
                continue
            }
            if now >= session.nextPing {
                let nonce = UInt64.random(in: .min ... .max, using: &random)
                sessions[id]?.pingSent = (nonce, now)
                let next = now + jittered(limits.pingMilliseconds, random: &random)
                sessions[id]?.nextPing = next
                effects.append(.send(id, .ping(Ping(nonce: nonce, wallMilliseconds: wall))))
            }
            guard session.phase == .active else { continue }
            if session.isInitiator, now >= session.nextComparison {
                beginComparison(id, at: now, into: &effects)
                let next = now + jittered(limits.antiEntropyMilliseconds, random: &random)
                sessions[id]?.nextComparison = next
            }
            pump(id, at: now, into: &effects)
        }
    }

    private func jittered(_ milliseconds: UInt64, random: inout some RandomNumberGenerator) -> UInt64 {
        let fifth = milliseconds / 5
        return milliseconds - fifth / 2 + UInt64.random(in: 0...max(fifth, 1), using: &random)
    }
}
