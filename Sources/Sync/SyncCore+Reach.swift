package import Wire

// Whether peers can connect to this device, asked through the peers themselves, and the answers that they get.
extension SyncCore {
    /// A question whether a peer can connect to this device.
    struct ReachQuestion: Sendable {
        var number: UInt64
        var askedAt: UInt64
        var outcome: ReachOutcome?
        var answeredAt: UInt64?
    }

    /// Asks each peer that knows the message and was not asked within the last minute.
    mutating func askReach(at now: UInt64, into effects: inout [SyncEffect]) {
        reachAskedAt = now
        for id in sessions.keys.sorted() {
            guard let session = sessions[id], session.phase == .active, !session.isUnproven,
                session.remoteRevision > 0 || session.program != nil
            else { continue }
            if let last = session.reach, now < last.askedAt + ReachDesk.pauseMilliseconds { continue }
            reachNumber &+= 1
            sessions[id]?.reach = ReachQuestion(number: reachNumber, askedAt: now)
            effects.append(.send(id, .reachRequest(ReachRequest(number: reachNumber))))
        }
    }

    /// Takes in a peer's answer; an unrequested one is ignored.
    mutating func reachAnswered(_ answer: ReachAnswer, on id: SessionID, at now: UInt64) {
        guard let asked = sessions[id]?.reach, asked.number == answer.number, asked.outcome == nil else { return }
        sessions[id]?.reach?.outcome = answer.outcome
        sessions[id]?.reach?.answeredAt = now
    }

    /// A peer asks whether this device can connect to it.
    mutating func reachRequested(
        _ request: ReachRequest,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let session = sessions[id] else { return }
        let isKnown = !session.isUnproven && shares(with: session.device, of: session.account)
        if isKnown, reachDesk.begins(session.device, on: id, number: request.number, at: now) {
            effects.append(.probe(id, number: request.number))
        } else {
            let answer = ReachAnswer(number: request.number, outcome: .notTried)
            effects.append(.send(id, .reachAnswer(answer)))
        }
    }

    /// The driver has tried it.
    mutating func reachProbed(
        _ outcome: ReachOutcome,
        number: UInt64,
        for id: SessionID,
        into effects: inout [SyncEffect]
    ) {
        guard reachDesk.ended(id, number: number), sessions[id] != nil else { return }
        effects.append(.send(id, .reachAnswer(ReachAnswer(number: number, outcome: outcome))))
    }

    /// Whether a peer was asked and has not answered.
    package var awaitsReach: Bool { sessions.values.contains { $0.reach.map { $0.outcome == nil } ?? false } }

    /// Whether the peer of a session could connect to this device when it was last asked; nil where it was not, or has not answered.
    package func reach(in id: SessionID) -> ReachOutcome? { sessions[id]?.reach?.outcome }

    /// The time at which the peer of a session answered, in milliseconds of the monotonic clock; nil where it has not.
    package func reachAnsweredAt(in id: SessionID) -> UInt64? { sessions[id]?.reach?.answeredAt }
}
