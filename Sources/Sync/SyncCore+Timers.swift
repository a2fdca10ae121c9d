import Wire

// Pings, turns of comparison, and giving up.
extension SyncCore {
    /// Does the work that is due in every session.
    mutating func runTimers(
        at now: UInt64,
        wall: UInt64,
        random: inout some RandomNumberGenerator,
        into effects: inout [SyncEffect]
    ) {
        for id in sessions.keys.sorted()
        where sessions[id]?.hasWork(at: now, account, sharingRevision, limits) == true
            && isAlive(id, at: now, into: &effects)
        {
            if let nextPing = sessions[id]?.nextPing, now >= nextPing {
                let nonce = UInt64.random(in: .min ... .max, using: &random)
                sessions[id]?.pingSent = (nonce, now)
                let next = now + jittered(limits.pingMilliseconds, random: &random)
                sessions[id]?.nextPing = next
                effects.append(.send(id, .ping(Ping(nonce: nonce, wallMilliseconds: wall))))
            }
            guard sessions[id]?.phase == .active else { continue }
            if let nextComparison = sessions[id]?.nextComparison, now >= nextComparison {
                beginComparison(id, at: now, into: &effects)
                let next = now + jittered(2 * limits.antiEntropyMilliseconds, random: &random)
                sessions[id]?.nextComparison = next
            }
            if let nextWaitingAsk = sessions[id]?.nextWaitingAsk, now >= nextWaitingAsk {
                askForWaiting(id, at: now, into: &effects)
            }
            unstall(id, at: now, into: &effects)
            pump(id, at: now, into: &effects)
        }
    }

    /// Pings peers of which nothing was heard for a while, unless the last ping is that young.
    mutating func askPresence(of silence: UInt64, at now: UInt64) {
        for (id, session) in sessions where session.phase == .active {
            let latest = max(session.lastHeard, session.pingSent?.at ?? 0)
            if now >= latest + silence { sessions[id]?.nextPing = now }
        }
    }

    /// Closes a session whose deadline has passed.
    private mutating func isAlive(_ id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) -> Bool {
        guard let lastHeard = sessions[id]?.lastHeard else { return false }
        // Rights end by the clock alone as well.
        if sessions[id]?.sharingRevision != sharingRevision { checkLeaving(id, at: now) }
        if now >= lastHeard + limits.silenceMilliseconds {
            effects.append(.close(id, .silent, reason: "nothing heard"))
            sessions[id] = nil
            return false
        }
        if let callsAgainAt = sessions[id]?.callsAgainAt, now >= callsAgainAt {
            effects.append(.close(id, .goodbye, reason: "the account's devices have another key"))
            sessions[id] = nil
            return false
        }
        if let leavingAt = sessions[id]?.leavingAt, now >= leavingAt {
            effects.append(.close(id, .refused, reason: "no zone is shared with the account any longer"))
            sessions[id] = nil
            return false
        }
        if let until = sessions[id]?.partsDeadline, now >= until {
            effects.append(.close(id, .busy, reason: "a long message of an unknown account was not complete in time"))
            sessions[id] = nil
            return false
        }
        if case .confirming(let until) = sessions[id]?.phase, now >= until {
            effects.append(.close(id, .refused, reason: "the device is not in the account"))
            sessions[id] = nil
            return false
        }
        return true
    }

    /// Asks where the peer is when it has not answered a run for very long.
    private mutating func unstall(_ id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        while let stalledAt = sessions[id]?.stalledAt(limits), now >= stalledAt,
            let zone = sessions[id]?.inFlight.first?.key.zone
        {
            sessions[id]?.rollBack(zone, at: now)
            sessions[id]?.asked[zone] = nil
            ask(zone, on: id, at: now, into: &effects)
        }
    }

    private func jittered(_ milliseconds: UInt64, random: inout some RandomNumberGenerator) -> UInt64 {
        let fifth = milliseconds / 5
        return milliseconds - fifth / 2 + UInt64.random(in: 0...max(fifth, 1), using: &random)
    }
}
