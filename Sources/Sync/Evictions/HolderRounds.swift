import Wire

/// The questions that a device asks by itself: which other devices of its account hold the contents that are here.
///
/// For each session with a device of the account there is a *round* from time to time: the store finds contents to ask about, the device is
/// asked, one request at a time, and its answers are stored. A round that has found nothing is followed by a longer rest. While no such
/// session stands, nothing is done.
struct HolderRounds: Sendable {
    /// The progress of a round; times are of the monotonic clock.
    private enum Step: Sendable {
        /// The next round begins at a time.
        case resting(until: UInt64)
        /// The store looks for contents.
        case searching
        /// The next request may go at a time.
        case pacing(until: UInt64)
        /// The device was asked, and is waited for until a time.
        case asking(until: UInt64)
    }

    private struct Round: Sendable {
        var step: Step
        /// The pause behind the round.
        var rest: UInt64
        /// Contents to ask about.
        var contents: [HolderFinding.Content] = []
        /// The place at which the search goes on behind them.
        var next: HolderSearch.Place?
        /// The time before which no further request goes.
        var mayAskAt: UInt64 = 0
        /// Whether the round has found a content.
        var hasFound = false

        var deadline: UInt64? {
            switch step {
            case .resting(let until), .pacing(let until), .asking(let until): until
            case .searching: nil
            }
        }
    }

    private var rounds: [SessionID: Round] = [:]
    /// The time at which something is due.
    private(set) var nextDeadline: UInt64?

    // MARK: Answers

    /// The store has found contents.
    mutating func found(_ finding: HolderFinding, on id: SessionID) {
        guard var round = rounds[id], case .searching = round.step else { return }
        assert(finding.contents.count <= Limits.retentionCountMax, "contents are found for one request")
        (round.contents, round.next) = (finding.contents, finding.next)
        round.step = .pacing(until: round.mayAskAt)
        rounds[id] = round
    }

    /// The device has answered the request of its round.
    mutating func answered(on id: SessionID) {
        guard let round = rounds[id], case .asking = round.step else { return }
        rounds[id]?.step = .pacing(until: round.mayAskAt)
    }

    // MARK: Requests

    /// Does what is due.
    /// - Parameters:
    ///   - askedCounts: The number of requests without an answer, by session.
    ///   - replication: The sessions; receives the questions to the store.
    /// - Returns: The requests to send.
    mutating func run(
        _ askedCounts: [SessionID: Int],
        in replication: inout Replication
    ) -> [(session: SessionID, request: RetentionRequest)] {
        let (now, limits) = (replication.context.now, replication.context.limits)
        guard let delay = limits.holderDelayMilliseconds else { return [] }
        let own = replication.rights.account
        let fellows = replication.sessions.filter { $0.value.account == own }
        rounds = rounds.filter { fellows[$0.key] != nil }
        var requests: [(session: SessionID, request: RetentionRequest)] = []
        for (id, session) in fellows.sorted(by: { $0.key < $1.key }) {
            var round =
                rounds[id] ?? Round(step: .resting(until: now + delay), rest: limits.holderRestMilliseconds)
            if round.deadline.map({ $0 <= now }) ?? false {
                let isFull = askedCounts[id, default: 0] >= limits.promiseAskedCountMax
                if let request = advance(&round, with: session, isFull: isFull, delay, in: &replication) {
                    requests.append((session: id, request: request))
                }
            }
            rounds[id] = round
        }
        nextDeadline = rounds.values.compactMap(\.deadline).min()
        assert(nextDeadline.map { $0 > now } ?? true, "a round that is due has gone on")
        return requests
    }

    /// Goes on with a round that is due.
    private func advance(
        _ round: inout Round,
        with session: PeerSession,
        isFull: Bool,
        _ delay: UInt64,
        in replication: inout Replication
    ) -> RetentionRequest? {
        let (now, limits) = (replication.context.now, replication.context.limits)
        guard mayAsk(session, replication), !isFull else {
            // The next round finds the same contents again.
            (round.contents, round.next, round.hasFound) = ([], nil, false)
            round.step = .resting(until: now + delay)
            return nil
        }
        switch round.step {
        case .resting:
            round.hasFound = false
            search(at: .unstated(after: 0), &round, with: session, in: &replication)
        case .asking:
            // The device is busy, or does not answer: the next round asks again.
            rest(&round, limits, at: now)
        case .pacing:
            if let request = takeRequest(&round, session, replication) {
                round.hasFound = true
                round.mayAskAt = now + UInt64(request.payloads.count) * 60_000 / limits.holderAskedCountPerMinute
                round.step = .asking(until: now + limits.holderAnswerMilliseconds)
                return request
            }
            if let next = round.next {
                search(at: next, &round, with: session, in: &replication)
            } else {
                rest(&round, limits, at: now)
            }
        case .searching: assertionFailure("the store is waited for without a time")
        }
        return nil
    }

    private func search(
        at place: HolderSearch.Place,
        _ round: inout Round,
        with session: PeerSession,
        in replication: inout Replication
    ) {
        round.next = nil
        round.step = .searching
        replication.context.read(.holders(session.id, HolderSearch(device: session.device, place: place)))
    }

    private func rest(_ round: inout Round, _ limits: SyncLimits, at now: UInt64) {
        (round.contents, round.next) = ([], nil)
        if round.hasFound { round.rest = limits.holderRestMilliseconds }
        round.step = .resting(until: now + round.rest)
        round.rest = min(round.rest * 2, limits.holderRestMillisecondsMax)
    }

    /// Takes the contents of the next request, which are named in one zone, from those that were found.
    private func takeRequest(
        _ round: inout Round,
        _ session: PeerSession,
        _ replication: Replication
    ) -> RetentionRequest? {
        func isShared(_ zone: ZoneID) -> Bool {
            replication.rights.isMember(session.account, of: zone) && replication.serves(zone, on: session.id)
        }
        guard let zone = round.contents.lazy.compactMap({ $0.zones.first(where: isShared) }).first else {
            round.contents = []
            return nil
        }
        let together = round.contents.filter { $0.zones.contains(zone) }
        round.contents.removeAll { $0.zones.contains(zone) }
        let payloads = Set(together.map(\.payload)).sorted()
        return RetentionRequest(zone: zone, asksForPromises: false, payloads: payloads)
    }

    /// Whether the device of a session is asked: an active one of the account, whose program knows the question.
    private func mayAsk(_ session: PeerSession, _ replication: Replication) -> Bool {
        !replication.rights.isRemoved && replication.rights.isFellow(session) && !session.isUnproven
            && session.knowsRevisions
    }
}
