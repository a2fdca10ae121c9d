import Identity
package import Wire

// The rules that the states of a synchronisation keep between two inputs, each once: see `Validated`. They are asserted when an input
// has been handled.

extension SyncCore: Validated {
    package func checkRules() throws(BrokenRule) {
        let (sessions, rights) = (replication.sessions, replication.rights)
        for (id, session) in sessions {
            try mustHold(session.id == id, "a session is kept under its id")
            try mustHold(session.device != rights.localDevice, "a device has no session with itself")
            try session.checkRules()
        }
        for (zone, snapshot) in rights.zones {
            try mustHold(snapshot.zone == zone, "the state of a zone is kept under the zone")
        }
        for (zone, authority) in rights.authorities {
            try mustHold(authority.zone == zone, "the rights in a zone are kept under the zone")
        }
    }

    package func checkCostlyRules() throws(BrokenRule) {
        let sessions = replication.sessions
        for session in sessions.values { try session.checkCostlyRules() }
        // Answers of the store may come when a session has ended, requests to it may not be left behind.
        if let reading = replication.liveSets.reading {
            try mustHold(sessions[reading.session] != nil, "a live set is read from a session that is open")
        }
        try mustHold(
            payloads.wants.allSatisfy { want in want.asked.values.allSatisfy { sessions[$0.session] != nil } },
            "parts of a payload are expected from sessions that are open"
        )
        try mustHold(
            custody.errands.allSatisfy { $0.session.map { sessions[$0] != nil } ?? true },
            "relays are asked in sessions that are open"
        )
        try mustHold(
            custody.relays.allSatisfy { sessions[$0.value]?.device == $0.key },
            "a relay is asked in a session with it"
        )
        try mustHold(
            custody.errands.allSatisfy { $0.job.purpose == .message || custody.relays[$0.job.relay] != nil },
            "contents of records are left with relays that have a session"
        )
        try mustHold(
            custody.waiting.values.allSatisfy { !$0.isEmpty },
            "a payload for which no session waits is not listed"
        )
        try mustHold(
            guests.served.keys.allSatisfy { sessions[$0] != nil },
            "requests of guests are served in sessions that are open"
        )
        try payloads.checkRules()
        try evictions.checkRules()
    }
}

extension SyncCore {
    /// Asserts what holds when an input has been handled.
    /// - Parameters:
    ///   - effects: The instructions that follow from the input.
    ///   - now: Milliseconds of the monotonic clock.
    func assertSound(_ effects: ArraySlice<SyncEffect>, at now: UInt64) {
        guard Assertions.areActive else { return }
        assertValid()
        assert(nextDeadline.map { $0 > now } ?? true, "a driver that obeys the next deadline never spins")
        var closed: Set<SessionID> = []
        for case .close(let id, _, _) in effects { closed.insert(id) }
        for case .send(let id, let message) in effects {
            let session = replication.sessions[id]
            assert(session != nil || closed.contains(id), "messages go to sessions that are open")
            guard let session, case .run(let run) = message else { continue }
            let (head, rights) = (run.signedHead.head, replication.rights)
            assert(
                head.device == rights.localDevice || rights.isShown(head.key, to: session),
                "runs of other devices go to peers that may have the log"
            )
        }
    }
}

extension PeerSession: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(
            sending.inFlight.reduce(0) { $0 + $1.byteCount } == sending.inFlightByteCount,
            "the bytes under way are those of the runs under way"
        )
        try mustHold(isActive || sending.inFlight.isEmpty, "nothing is under way to a device that is not confirmed")
        try mustHold(
            arriving.refusedAt.count <= Limits.logCountMax,
            "as many refused logs are remembered as a zone can have"
        )
        try mustHold(
            sending.dirty.values.allSatisfy { !$0.isEmpty },
            "a zone in which nothing waits to be sent is not listed"
        )
        try mustHold(openedAt <= liveness.lastHeard, "a peer is heard when its session opens, or later")
    }

    package func checkCostlyRules() throws(BrokenRule) {
        for progress in sending.zones.values {
            try mustHold(
                progress.theirs.allSatisfy { $0.value <= progress.sent[$0.key] ?? 0 },
                "a peer lacks nothing that it has stated or acknowledged"
            )
        }
    }
}

extension PayloadTransfers: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(Set(wants.map(\.payload)).count == wants.count, "a payload is wanted once")
        for want in wants {
            try mustHold(want.keepingCount >= 0, "no more parts are stored than came")
            try mustHold(
                want.missing != nil || want.asked.keys.allSatisfy { $0 == 0 },
                "no chunk but a sole one, which follows its outline, is on its way before the outline is kept"
            )
            try mustHold(want.keeping.count <= want.keepingCount, "each chunk that is stored is a part that came")
            try mustHold(
                want.missing.map { missing in missing.allSatisfy { want.asked[$0] == nil } } ?? true,
                "a chunk that is asked for is not asked for again"
            )
        }
    }

    package func checkCostlyRules() throws(BrokenRule) {
        for missing in wants.compactMap(\.missing) {
            try mustHold(
                zip(missing, missing.dropFirst()).allSatisfy { $0 > $1 },
                "missing chunks are listed once, the first one last"
            )
        }
    }
}

extension EvictionRequests: Validated {
    package func checkRules() throws(BrokenRule) {
        let payloads = polls.values.filter(\.isAttempt).map(\.payload)
        try mustHold(Set(payloads).count == payloads.count, "a content has one attempt to evict it")
        for (number, poll) in polls {
            try mustHold(poll.isAttempt || poll.phase != .dropping, "a question drops nothing")
            try mustHold(
                poll.phase != .beginning || poll.asked.isEmpty,
                "devices are asked once the row of the attempt is durable"
            )
            try mustHold(
                !unended.keys.contains { $0.payload == poll.payload && $0.attempt == number },
                "the row of an attempt stays while the attempt goes on"
            )
        }
    }
}

extension MailboxClient: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(
            Set(due.keys).union(forwardDue.keys).union(owedAcknowledgement).isSubset(of: partners.keys),
            "parcels are left for partners alone"
        )
        try mustHold(
            connected.isDisjoint(with: due.keys) && connected.isDisjoint(with: forwardDue.keys),
            "no parcel is due for a device that is connected"
        )
        for relay in relays { try relay.checkRules() }
    }
}

extension RelaySession: Validated {
    package func checkRules() throws(BrokenRule) {
        switch phase {
        case .open:
            try mustHold(isEntered || underWay != nil, "a relay admits this device before anything else")
        case .resting, .dialing:
            try mustHold(!isEntered && underWay == nil, "nothing is under way at a relay without a session")
            try mustHold(steps.isEmpty, "the steps of a session end with it")
        }
    }
}
