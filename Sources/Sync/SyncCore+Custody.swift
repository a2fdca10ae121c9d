import Wire

// Custody: the sender of a message with a payload asks the relays of its zone to keep it, as long as a recipient has
// not got it. A relay fetches it like any device, keeps it sealed, and sends it to devices that may have it.
//
//     sender                            relay
//       | -- custodyRequest ---------->   |   is there room?
//       | <- payloadRequest … -----------  |   as any payload is fetched
//       | <- custodyAnswer(stored) -----  |   all of it is durable
//       |                                 |   … until the recipients have it
//       | -- custodyRelease ---------->   |
//       | <- custodyAnswer(released) ---  |
extension SyncCore {
    /// The load of custody, to check that it is bounded: jobs, the most requests to one relay without an answer, and
    /// the most that one session waits for.
    package var custodyLoad: (jobs: Int, asked: Int, pending: Int) {
        let asked = sessions.keys.map { custody.askedCount(on: $0) }.max() ?? 0
        let pending = sessions.keys.map { custody.pendingCount(of: $0) }.max() ?? 0
        return (custody.errands.count, asked, pending)
    }

    // MARK: As the sender

    /// Takes all present jobs; known ones continue where they are.
    mutating func custodyDue(_ jobs: [CustodyJob], at now: UInt64) {
        let known = Dictionary(custody.errands.map { ($0.job, $0) }) { first, _ in first }
        var isListed: Set<CustodyJob> = []
        // One that is there twice would be asked, and waited for, twice.
        let distinct = jobs.filter { isListed.insert($0).inserted }
        custody.errands = distinct.prefix(limits.custodyJobCountMax).map { job in
            // Within the grace most get it directly, and no relay need be asked.
            let grace = job.kind == .keep ? limits.custodyGraceMilliseconds : 0
            return known[job] ?? CustodyDesk.Errand(job: job, progress: .due(from: now + grace))
        }
    }

    mutating func custodyAnswer(
        _ answer: CustodyAnswer,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let device = sessions[id]?.device,
            let index = custody.errands.firstIndex(where: {
                guard case .asked(id) = $0.progress else { return false }
                return $0.job.zone == answer.zone && $0.job.payload == answer.payload
            })
        else { return }
        switch (custody.errands[index].job.kind, answer.outcome) {
        case (.keep, .stored):
            custody.errands[index].progress = .done(id)
            effects.append(.write(.noteCustody(device, answer)))
        case (.release, .released), (.release, .refused):
            custody.errands.remove(at: index)
            effects.append(.write(.noteCustody(device, answer)))
        case (.keep, .full), (.keep, .refused):
            custody.errands[index].progress = .due(from: now + limits.custodyRetryMilliseconds)
            effects.append(.write(.noteCustody(device, answer)))
        case (.keep, .released), (.release, .stored), (.release, .full):
            // It answers an earlier message.
            break
        }
    }

    /// Whether an input may change the messages that are due to relays.
    func mayConcernCustody(_ input: SyncInput) -> Bool {
        switch input {
        case .custodyDue, .opened, .closed, .accountChanged, .contactChanged, .rightsChanged:
            true
        case .received(_, .custodyAnswer, _):
            true
        case .zoneChanged(let snapshot, _):
            zones[snapshot.zone] == nil
        default:
            false
        }
    }

    /// Sends the messages that are due to connected relays.
    mutating func runCustody(isDue: Bool, at now: UInt64, into effects: inout [SyncEffect]) {
        guard isDue || now >= custodyMoment ?? .max else { return }
        custody.forget(allBut: { sessions[$0] != nil }, at: now)
        custodyMoment = nil
        guard !custody.errands.isEmpty else { return }
        var room: [DeviceID: (session: SessionID, count: Int)] = [:]
        for session in sessions.values.sorted(by: { $0.id < $1.id }) where session.phase == .active {
            let count = limits.custodyAskedCountMax - custody.askedCount(on: session.id)
            room[session.device] = (session.id, count)
        }
        for index in custody.errands.indices {
            guard case .due(let from) = custody.errands[index].progress else { continue }
            guard from <= now else {
                custodyMoment = min(custodyMoment ?? .max, from)
                continue
            }
            let job = custody.errands[index].job
            guard let place = room[job.relay], place.count > 0, let session = sessions[place.session],
                zones[job.zone] != nil, access(to: job.zone, for: session) == .everything
            else { continue }
            room[job.relay]?.count -= 1
            custody.errands[index].progress = .asked(place.session)
            effects.append(.send(place.session, job.message))
        }
    }

    // MARK: As a relay

    mutating func custodyRequest(_ request: CustodyRequest, on id: SessionID, into effects: inout [SyncEffect]) {
        guard let session = sessions[id] else { return }
        // A device that may not read the zone can leave nothing there, and does not learn what is kept.
        guard zones[request.zone] != nil, access(to: request.zone, for: session) == .everything else {
            return answer(.refused, to: request, on: id, into: &effects)
        }
        guard custody.pendingCount(of: id) < limits.custodyAskedCountMax else {
            return answer(.full, to: request, on: id, into: &effects)
        }
        custody.decidingCounts[id, default: 0] += 1
        let limit = limits.custodyByteCountMax
        effects.append(.write(.takeCustody(id, request, from: session.device, limit: limit)))
    }

    mutating func custodyRelease(_ request: CustodyRequest, on id: SessionID, into effects: inout [SyncEffect]) {
        guard let session = sessions[id], custody.pendingCount(of: id) < limits.custodyAskedCountMax else { return }
        custody.waiting[request.payload]?[id] = nil
        custody.decidingCounts[id, default: 0] += 1
        effects.append(.write(.endCustody(id, request, from: session.device)))
    }

    mutating func custodyDecided(
        _ outcome: CustodyAnswer.Outcome?,
        about request: CustodyRequest,
        on id: SessionID,
        into effects: inout [SyncEffect]
    ) {
        guard sessions[id] != nil, let count = custody.decidingCounts[id], count > 0 else { return }
        custody.decidingCounts[id] = count > 1 ? count - 1 : nil
        guard let outcome else {
            // It is being fetched.
            custody.waiting[request.payload, default: [:]][id] = request
            return
        }
        answer(outcome, to: request, on: id, into: &effects)
    }

    /// Answers the sessions that wait for a payload with its outcome in the store.
    mutating func payloadSettled(_ payload: PayloadID, _ outcome: PayloadOutcome, into effects: inout [SyncEffect]) {
        guard outcome == .complete || outcome == .unwanted, let waiting = custody.waiting[payload] else { return }
        custody.waiting[payload] = nil
        for (id, request) in waiting.sorted(by: { $0.key < $1.key }) {
            guard let session = sessions[id] else { continue }
            guard outcome == .complete, access(to: request.zone, for: session) == .everything else {
                answer(.refused, to: request, on: id, into: &effects)
                continue
            }
            custody.decidingCounts[id, default: 0] += 1
            let limit = limits.custodyByteCountMax
            effects.append(.write(.takeCustody(id, request, from: session.device, limit: limit)))
        }
    }

    private func answer(
        _ outcome: CustodyAnswer.Outcome,
        to request: CustodyRequest,
        on id: SessionID,
        into effects: inout [SyncEffect]
    ) {
        let answer = CustodyAnswer(zone: request.zone, payload: request.payload, outcome: outcome)
        effects.append(.send(id, .custodyAnswer(answer)))
    }
}
