import Identity
import Wire

/// The exchange about evictions: as the evictor, which asks connected devices for promises, and as the holder, which makes them.
///
///     evictor                              holder
///       | (the row of the attempt)          |
///       | -- retentionRequest ---------->   |   may the session read the zone?
///       |                                   |   one transaction promises
///       | <- retentionAnswer(promised) --   |
///       | (the drop, in one transaction)    |
///
/// An attempt ends with a drop, or without one when its time is over, when no device is left to be asked, and when it is withdrawn. The
/// promises of an attempt are here alone.
struct EvictionRequests: Sendable {
    /// A request on its way.
    private struct Flight: Sendable {
        let request: RetentionRequest
        let at: UInt64
        /// The polls that it is of, by payload; none where it is of a round.
        let polls: [PayloadID: UInt64]
    }

    /// A device that may be asked.
    private struct Candidate {
        let session: SessionID
        let device: DeviceID
        let account: AccountID
        let zone: ZoneID
        let isAware: Bool
    }

    /// The place of payloads that are asked about together.
    private struct Place: Hashable, Comparable {
        let session: SessionID
        let zone: ZoneID
        let asksForPromises: Bool

        static func < (left: Self, right: Self) -> Bool {
            let (first, second) = (left.asksForPromises ? 1 : 0, right.asksForPromises ? 1 : 0)
            return (left.session, left.zone, first) < (right.session, right.zone, second)
        }
    }

    /// Attempts and questions, by their numbers: those of attempts are the numbers of their rows.
    private(set) var polls: [UInt64: HolderPoll] = [:]
    private var lastNumber: UInt64 = 0
    /// Requests without an answer, the oldest first.
    private var flights: [SessionID: [Flight]] = [:]
    /// Rows of attempts that are over, with the time at which their removal is tried.
    private(set) var unended: [EvictionRow: UInt64] = [:]
    /// Whether attempts were withdrawn since the last run.
    private var hasWithdrawn = false
    /// The time at which something is due.
    var nextDeadline: UInt64? { [requestDeadline, rounds.nextDeadline].compactMap(\.self).min() }
    /// The time at which something is due for an attempt, a question of people, or the row of an attempt.
    private var requestDeadline: UInt64?
    /// The questions that this device asks by itself.
    private var rounds = HolderRounds()
    /// As the holder: requests that the store is looking at.
    private(set) var decidingCounts: [SessionID: Int] = [:]

    /// Requests on a session that are not answered.
    func askedCount(on id: SessionID) -> Int { flights[id]?.count ?? 0 }

    // MARK: Requests of this device

    /// Takes the rows of attempts that an earlier process has left behind; none of these is continued.
    mutating func take(_ rows: [EvictionRow], in context: SyncContext) {
        for row in rows {
            unended[row] = context.now
            lastNumber = max(lastNumber, row.attempt)
        }
    }

    /// Begins an attempt.
    mutating func evict(_ order: EvictionOrder, in context: inout SyncContext) {
        let attempts = polls.values.filter(\.isAttempt)
        guard !attempts.contains(where: { $0.payload == order.payload }) else {
            return context.settle(order.id, .refused(.attempt))
        }
        guard attempts.count < context.limits.evictionCountMax else {
            return context.settle(order.id, .refused(.full))
        }
        lastNumber += 1
        polls[lastNumber] = HolderPoll(order)
        context.write(.beginEviction(order.payload, attempt: lastNumber))
    }

    /// Begins a question.
    mutating func ask(_ question: HolderQuestion, in context: inout SyncContext) {
        guard polls.values.count(where: { !$0.isAttempt }) < context.limits.holderQuestionCountMax else {
            return context.effects.append(.holdersFound(question.id, []))
        }
        lastNumber += 1
        polls[lastNumber] = HolderPoll(question, until: context.now + context.limits.holderQuestionMilliseconds)
    }

    /// Withdraws a request; a drop that the store is making is made.
    mutating func withdraw(_ order: UInt64) {
        for (number, poll) in polls where poll.order == order { polls[number]?.isWithdrawn = true }
        hasWithdrawn = true
    }

    /// Withdraws all attempts: their promises were gathered in a lifetime of the store that is over.
    mutating func withdrawAttempts() {
        for (number, poll) in polls where poll.isAttempt { polls[number]?.isWithdrawn = true }
        hasWithdrawn = true
    }

    /// Returns the exchange of a device that has entered another account: it only has the rows of its attempts removed.
    func abandoned() -> EvictionRequests {
        var rest = EvictionRequests()
        rest.lastNumber = lastNumber
        rest.unended = unended
        // So that the next run, whichever input causes it, sees to the rows.
        rest.hasWithdrawn = true
        for (number, poll) in polls where poll.isAttempt {
            rest.unended[EvictionRow(payload: poll.payload, attempt: number)] = 0
        }
        return rest
    }

    // MARK: Answers of the store

    /// The store has begun an attempt, or refused it.
    mutating func begun(_ start: EvictionStart, attempt: UInt64, in context: inout SyncContext) {
        guard let poll = polls[attempt], poll.phase == .beginning else { return }
        switch start {
        case .begun(let zones):
            polls[attempt]?.zones = zones
            polls[attempt]?.phase = .asking(until: context.now + context.limits.evictionMilliseconds)
        case .refused(let obstacle):
            polls[attempt] = nil
            // A store that failed may have written the row.
            if obstacle == .storage { leave(poll, attempt, in: &context) }
            context.settle(poll.order, poll.isWithdrawn ? .withdrawn : .refused(obstacle))
        }
    }

    /// The store has dropped the content of an attempt, or refused it.
    mutating func done(_ end: EvictionEnd, attempt: UInt64, in context: inout SyncContext) {
        guard let poll = polls.removeValue(forKey: attempt) else { return }
        assert(poll.phase == .dropping, "the store drops a content for an attempt that has its promises")
        switch end {
        case .evicted(let byteCount):
            context.settle(poll.order, .evicted(byteCount: byteCount, poll.answers))
        case .refused(let obstacle):
            if obstacle == .storage { leave(poll, attempt, in: &context) }
            context.settle(poll.order, .refused(obstacle))
        }
    }

    /// The store could not remove the row of an attempt that is over: it is tried again.
    mutating func keepUnended(_ row: EvictionRow, in context: SyncContext) {
        unended[row] = context.now + context.limits.pauseMilliseconds
    }

    /// Has the row of an attempt removed that is over.
    private func leave(_ poll: HolderPoll, _ number: UInt64, in context: inout SyncContext) {
        context.write(.endEviction(EvictionRow(payload: poll.payload, attempt: number)))
    }

    // MARK: Answers of devices

    /// Takes in the answer of a device; one that was not requested is ignored.
    mutating func take(_ answer: RetentionAnswer, on id: SessionID, in replication: inout Replication) {
        guard let session = replication.sessions[id],
            let index = flightIndex(of: answer, on: id),
            let flight = flights[id]?.remove(at: index)
        else { return }
        let device = session.device
        // Devices of other accounts may leave, or lie: nothing is remembered of them.
        if replication.rights.isFellow(session) { replication.context.write(.noteHolders(answer, by: device)) }
        if flight.polls.isEmpty { rounds.answered(on: id) }
        for status in answer.statuses {
            // The poll that has asked: an answer to an earlier attempt says nothing about this one.
            guard let number = flight.polls[status.payload], polls[number]?.asked[device]?.session == id else {
                continue
            }
            polls[number]?.asked[device]?.word = status.word
        }
    }

    /// The request that an answer is taken for, of several alike.
    ///
    /// Promises come in the order of the requests, and an answer without one may overtake them. So a promise is taken for the oldest request,
    /// and any other answer for the newest: a promise to an earlier attempt is never one to a later attempt.
    private func flightIndex(of answer: RetentionAnswer, on id: SessionID) -> Int? {
        func isAnswered(_ flight: Flight) -> Bool { answer.answers(flight.request) }
        let promises = answer.statuses.contains { if case .promised = $0.word { true } else { false } }
        return promises ? flights[id]?.firstIndex(where: isAnswered) : flights[id]?.lastIndex(where: isAnswered)
    }

    /// The store has found contents to ask a device about.
    mutating func searched(_ finding: HolderFinding, on id: SessionID) { rounds.found(finding, on: id) }

    /// Whether an input may change the requests that are due.
    func concerns(_ input: SyncInput) -> Bool {
        switch input {
        case .evictionsFound, .evictionAsked, .holdersAsked, .holdersSearched, .evictionWithdrawn, .evictionBegun,
            .evictionDone, .evictionUnended, .received(_, .retentionAnswer, _), .received(_, .program, _):
            true
        default:
            false
        }
    }

    /// Asks devices, and ends what has its answers or whose time is over.
    mutating func run(isDue: Bool, in replication: inout Replication) {
        let (now, limits) = (replication.context.now, replication.context.limits)
        guard isDue || hasWithdrawn || now >= nextDeadline ?? .max else { return }
        hasWithdrawn = false
        forget(allBut: replication.sessions)
        for (row, due) in unended.sorted(by: { $0.key.attempt < $1.key.attempt }) where due <= now {
            unended[row] = nil
            replication.context.write(.endEviction(row))
        }
        var requests: [Place: [PayloadID: UInt64]] = [:]
        for number in polls.keys.sorted() { look(at: number, &requests, in: &replication) }
        for (place, payloads) in requests.sorted(by: { $0.key < $1.key }) {
            let request = RetentionRequest(
                zone: place.zone,
                asksForPromises: place.asksForPromises,
                payloads: payloads.keys.sorted()
            )
            send(request, of: payloads, on: place.session, in: &replication)
        }
        // Behind the requests that a caller waits for.
        for (session, request) in rounds.run(flights.mapValues(\.count), in: &replication) {
            send(request, of: [:], on: session, in: &replication)
        }
        let deadlines = polls.values.compactMap { $0.nextDeadline(after: now, limits) }
        requestDeadline = (deadlines + unended.values.filter { $0 > now }).min()
    }

    private mutating func forget(allBut sessions: [SessionID: PeerSession]) {
        flights = flights.filter { sessions[$0.key] != nil && !$0.value.isEmpty }
        decidingCounts = decidingCounts.filter { sessions[$0.key] != nil }
        for number in polls.keys { polls[number]?.forget(allBut: sessions) }
    }

    /// Ends a poll, or has devices asked for it.
    private mutating func look(
        at number: UInt64,
        _ requests: inout [Place: [PayloadID: UInt64]],
        in replication: inout Replication
    ) {
        guard let poll = polls[number], case .asking(let until) = poll.phase else { return }
        let (now, limits) = (replication.context.now, replication.context.limits)
        guard !poll.isWithdrawn else { return end(number, poll, isWithdrawn: true, in: &replication.context) }
        if let drop = poll.drop(as: number, at: now, limits) {
            polls[number]?.phase = .dropping
            return replication.context.write(.evict(drop))
        }
        guard now < until else { return end(number, poll, in: &replication.context) }
        let waits = choose(for: number, &requests, in: replication)
        guard !waits, polls[number]?.asked.values.contains(where: \.isAwaited) != true else { return }
        end(number, polls[number] ?? poll, in: &replication.context)
    }

    /// Chooses the devices that are asked now.
    /// - Returns: Whether a device has to be waited for that has as many requests as it may have.
    private mutating func choose(
        for number: UInt64,
        _ requests: inout [Place: [PayloadID: UInt64]],
        in replication: Replication
    ) -> Bool {
        guard let poll = polls[number] else { return false }
        let (now, limits) = (replication.context.now, replication.context.limits)
        var count = poll.wantedCount(at: now, limits)
        for candidate in candidates(for: poll, replication) where count > 0 {
            guard candidate.isAware else {
                polls[number]?.unaware[candidate.device] = candidate.account
                continue
            }
            if let asked = poll.asked[candidate.device], !asked.isOver { continue }
            let place = Place(session: candidate.session, zone: candidate.zone, asksForPromises: poll.isAttempt)
            let together = requests[place]
            if together == nil, askedCount(on: candidate.session) >= limits.promiseAskedCountMax {
                // A device that has not answered for a while keeps none waiting.
                let oldest = flights[candidate.session]?.first?.at ?? now
                if now < oldest + limits.promisePatienceMilliseconds { return true }
                continue
            }
            // The next run asks the rest, and for another poll about the same payload.
            guard (together?.count ?? 0) < Limits.retentionCountMax, together?[poll.payload] == nil else { return true }
            requests[place, default: [:]][poll.payload] = number
            let asked = HolderPoll.Asked(session: candidate.session, account: candidate.account, at: now)
            polls[number]?.asked[candidate.device] = asked
            count -= 1
        }
        return false
    }

    /// The devices that may be asked about a payload, the nearest first; of several sessions with one device one.
    private func candidates(for poll: HolderPoll, _ replication: Replication) -> [Candidate] {
        let rights = replication.rights
        var devices: Set<DeviceID> = []
        let sessions = replication.sessions.values.sorted {
            ($0.liveness.roundTripMilliseconds ?? .max, $0.id) < ($1.liveness.roundTripMilliseconds ?? .max, $1.id)
        }
        return sessions.compactMap { session in
            guard session.isActive, !session.isUnproven,
                poll.countsOthers || session.account == rights.account,
                rights.standing(of: session.device, in: session.account) == .active,
                let zone = poll.zones.first(where: { mayAnswer(about: $0, session, replication) }),
                devices.insert(session.device).inserted
            else { return nil }
            return Candidate(
                session: session.id,
                device: session.device,
                account: session.account,
                zone: zone,
                isAware: session.knowsRevisions
            )
        }
    }

    /// Whether a session's device takes part in a zone, and may read it.
    private func mayAnswer(about zone: ZoneID, _ session: PeerSession, _ replication: Replication) -> Bool {
        replication.rights.isMember(session.account, of: zone) && replication.serves(zone, on: session.id)
    }

    private mutating func send(
        _ request: RetentionRequest,
        of polls: [PayloadID: UInt64],
        on id: SessionID,
        in replication: inout Replication
    ) {
        let count = request.payloads.count
        assert(count <= Limits.retentionCountMax, "a request names as many payloads as a message has room for")
        let flight = Flight(request: request, at: replication.context.now, polls: polls)
        flights[id, default: []].append(flight)
        replication.send(.retentionRequest(request), to: id)
    }

    /// Ends a poll without a drop.
    private mutating func end(
        _ number: UInt64,
        _ poll: HolderPoll,
        isWithdrawn: Bool = false,
        in context: inout SyncContext
    ) {
        polls[number] = nil
        guard poll.isAttempt else { return context.effects.append(.holdersFound(poll.order, poll.answers)) }
        leave(poll, number, in: &context)
        context.settle(poll.order, isWithdrawn ? .withdrawn : .notSafe(poll.answers))
    }

    // MARK: As the holder

    /// A device asks for promises, or which payloads are held here.
    mutating func serve(_ request: RetentionRequest, on id: SessionID, in replication: inout Replication) {
        guard replication.sessions[id] != nil else { return }
        guard mayLearn(of: request.zone, id, replication) else {
            return answer(RetentionAnswer(to: request, .absent), on: id, in: &replication)
        }
        guard decidingCounts[id, default: 0] < replication.context.limits.promiseAskedCountMax else {
            return answer(RetentionAnswer(to: request, .refused), on: id, in: &replication)
        }
        decidingCounts[id, default: 0] += 1
        if request.asksForPromises {
            replication.context.write(.retain(id, request))
        } else {
            replication.context.read(.holding(id, request))
        }
    }

    /// The store has decided about a request.
    mutating func decided(
        _ answer: RetentionAnswer,
        about request: RetentionRequest,
        on id: SessionID,
        in replication: inout Replication
    ) {
        guard let count = decidingCounts[id], count > 0 else { return }
        decidingCounts[id] = count > 1 ? count - 1 : nil
        guard replication.sessions[id] != nil else { return }
        // Rights may have ended meanwhile.
        let mayLearn = mayLearn(of: request.zone, id, replication)
        self.answer(mayLearn ? answer : RetentionAnswer(to: request, .absent), on: id, in: &replication)
    }

    /// Whether a session's device learns which payloads of a zone are here: it takes part in the zone, and may read it.
    private func mayLearn(of zone: ZoneID, _ id: SessionID, _ replication: Replication) -> Bool {
        guard let session = replication.sessions[id], !session.isUnproven else { return false }
        return mayAnswer(about: zone, session, replication)
    }

    private func answer(_ answer: RetentionAnswer, on id: SessionID, in replication: inout Replication) {
        replication.send(.retentionAnswer(answer), to: id)
    }
}

extension SyncContext {
    /// Reports the outcome of a request to evict.
    fileprivate mutating func settle(_ order: UInt64, _ outcome: EvictionOutcome) {
        effects.append(.evictionSettled(order, outcome))
    }
}
