import Wire

/// Custody: the sender of a message with a payload asks the relays of its zone to keep it, as long as a recipient has
/// not got it; and each device that has the content of a record asks the relays of its account.
///
/// A relay fetches it like any device, keeps it sealed, and sends it to devices that may have it.
///
///     device                            relay
///       | -- custodyRequest ---------->   |   is there room?
///       | <- payloadRequest … -----------  |   as any payload is fetched
///       | <- custodyAnswer(stored) -----  |   all of it is durable
///       |                                 |   … until the recipients have it
///       | -- custodyRelease ---------->   |
///       | <- custodyAnswer(released) ---  |
struct CustodyRequests: Sendable {
    /// A payload at a relay, which gives one answer about it at a time.
    private struct Subject: Hashable {
        let relay: DeviceID
        let payload: PayloadID

        init(_ job: CustodyJob) { (relay, payload) = (job.relay, job.payload) }
    }

    /// A job and how far it is.
    struct Errand: Sendable {
        /// The progress of a job.
        enum Progress: Sendable {
            /// It was not sent, or not answered before its session ended.
            case due(from: UInt64)
            /// The relay was asked on a session.
            case asked(SessionID)
            /// The relay has answered on a session that it is done.
            case done(SessionID)
        }

        let job: CustodyJob
        var progress: Progress

        var session: SessionID? {
            switch progress {
            case .due: nil
            case .asked(let session), .done(let session): session
            }
        }
    }

    /// Those about messages in the order of the store, and behind them those about contents of records.
    private(set) var errands: [Errand] = []
    /// The search for contents of records that relays are to keep.
    private var turns = CustodyTurns()
    /// The relays of this account.
    private var known: Set<DeviceID> = []
    /// The sessions with them.
    private(set) var relays: [DeviceID: SessionID] = [:]
    /// The time at which something is due.
    private(set) var nextDeadline: UInt64?
    /// On a relay: requests that the store is looking at.
    private(set) var decidingCounts: [SessionID: Int] = [:]
    /// On a relay: the sessions that learn when a payload is there.
    private(set) var waiting: [PayloadID: [SessionID: CustodyRequest]] = [:]

    /// The number of jobs for which a relay has been asked on a session and has not answered.
    func askedCount(on id: SessionID) -> Int {
        errands.count { if case .asked(id) = $0.progress { true } else { false } }
    }

    /// On a relay: how many requests of a session are not answered.
    func pendingCount(of id: SessionID) -> Int {
        waiting.values.count { $0[id] != nil } + decidingCounts[id, default: 0]
    }

    /// Drops everything about sessions that are over.
    private mutating func forget(allBut sessions: [SessionID: PeerSession], at now: UInt64) {
        for index in errands.indices {
            if let session = errands[index].session, sessions[session] == nil {
                errands[index].progress = .due(from: now)
            }
        }
        decidingCounts = decidingCounts.filter { sessions[$0.key] != nil }
        waiting = waiting.mapValues { $0.filter { sessions[$0.key] != nil } }.filter { !$0.value.isEmpty }
    }

    // MARK: As the device that asks

    /// Takes all present jobs about payloads of messages; known ones continue where they are.
    mutating func take(_ jobs: [CustodyJob], in context: SyncContext) {
        let former = Dictionary(errands.map { ($0.job, $0) }) { first, _ in first }
        var isListed: Set<CustodyJob> = []
        // One that is there twice would be asked, and waited for, twice.
        let distinct = jobs.filter { isListed.insert($0).inserted }
        let ofRecords = errands.filter { $0.job.purpose == .record }
        errands = distinct.prefix(context.limits.custodyJobCountMax).map { job in
            // Within the grace most get it directly, and no relay need be asked.
            let grace = job.kind == .keep ? context.limits.custodyGraceMilliseconds : 0
            return former[job] ?? Errand(job: job, progress: .due(from: context.now + grace))
        }
        let room = context.limits.custodyJobCountMax - errands.count
        errands += ofRecords.prefix(room)
        if ofRecords.count > room { turns.restart() }
    }

    /// Takes the relays of this account.
    mutating func take(relays: Set<DeviceID>) { known = relays }

    /// Takes changes that may give relays other contents to keep.
    mutating func take(_ news: CustodyNews) {
        if news.hasSettings {
            // Those that still are to be kept are found again.
            errands.removeAll { errand in
                if case .due = errand.progress { errand.job.purpose == .record } else { false }
            }
            turns.restart()
        }
        if !news.contents.isEmpty { turns.note(news.contents, connected: relays.keys) }
    }

    /// All of a payload has come to be here.
    mutating func arrived(_ payload: PayloadID) { turns.note([payload], connected: relays.keys) }

    /// Takes the question to the store for contents of records that relays are to keep, if one is due; most events make none due.
    mutating func takeSearch(in context: SyncContext) -> CustodySearch? {
        // Without a relay nothing is looked for.
        guard !relays.isEmpty else { return nil }
        return turns.take(Set(relays.keys), room: context.limits.custodyJobCountMax - errands.count, at: context.now)
    }

    /// The relays that have just had no room for as much.
    func fullRelays(for byteCount: UInt64, at now: UInt64) -> Set<DeviceID> {
        known.filter { turns.isFull($0, for: byteCount, at: now) }
    }

    /// Takes the answer of the store to such a question; `nil` where it could not be read.
    mutating func searched(_ found: CustodySearch.Found?, in replication: Replication) {
        let (context, grace) = (replication.context, replication.context.limits.custodyGraceMilliseconds)
        // The zone of a content that has just come may be on its way to the relay.
        for (jobs, from) in [(found?.news ?? [], context.now + grace), (found?.jobs ?? [], context.now)] {
            for job in jobs {
                guard let session = relays[job.relay], replication.serves(job.zone, on: session),
                    !turns.isFull(job.relay, for: job.byteCount, at: context.now),
                    !errands.contains(where: { $0.job.relay == job.relay && $0.job.payload == job.payload })
                else { continue }
                guard errands.count < context.limits.custodyJobCountMax else {
                    turns.restart()
                    break
                }
                errands.append(Errand(job: job, progress: .due(from: from)))
            }
        }
        turns.answered(found, in: context)
    }

    /// Takes in the answer of a relay.
    mutating func take(_ answer: CustodyAnswer, on id: SessionID, in replication: inout Replication) {
        guard let device = replication.sessions[id]?.device,
            let index = errands.firstIndex(where: {
                guard case .asked(id) = $0.progress else { return false }
                return $0.job.zone == answer.zone && $0.job.payload == answer.payload
            })
        else { return }
        let job = errands[index].job
        switch (job.kind, answer.outcome) {
        case (.keep, .stored):
            // About the content of a record the store knows when the relay is to be asked again.
            if job.purpose == .record { errands.remove(at: index) } else { errands[index].progress = .done(id) }
        case (.release, .released), (.release, .refused):
            errands.remove(at: index)
        case (.keep, .full), (.keep, .refused):
            let pause = replication.context.limits.custodyRetryMilliseconds
            if job.purpose == .record {
                errands.remove(at: index)
                turns.refused(job, isFull: answer.outcome == .full, in: replication.context)
            } else {
                errands[index].progress = .due(from: replication.context.now + pause)
            }
        case (.keep, .released), (.release, .stored), (.release, .full):
            // It answers an earlier message.
            return
        }
        replication.context.write(.noteCustody(device, answer, for: job.purpose))
    }

    /// Whether an input may change the messages that are due to relays.
    func concerns(_ input: SyncInput) -> Bool {
        switch input {
        case .custodyDue, .custodySearched, .custodyNews, .relaysChanged, .received(_, .custodyAnswer, _): true
        default: false
        }
    }

    /// Sends the messages that are due to connected relays.
    mutating func run(isDue: Bool, in replication: inout Replication) {
        let now = replication.context.now
        guard isDue || now >= nextDeadline ?? .max else { return }
        forget(allBut: replication.sessions, at: now)
        let active = replication.sessions.values.filter(\.isActive).sorted { $0.id < $1.id }
        relays = [:]
        for session in active where session.account == replication.rights.account && known.contains(session.device) {
            relays[session.device] = session.id
        }
        // The relay of a content has another session, or none: the next pass finds the content again.
        for errand in errands where errand.job.purpose == .record && isLost(errand, replication) {
            turns.lost(errand.job.relay)
        }
        errands = errands.filter { $0.job.purpose == .message || !isLost($0, replication) }
        // While a pass is due it is taken by the driver, and its time has come.
        nextDeadline = turns.deadline(for: relays.keys).flatMap { $0 > now ? $0 : nil }
        guard !errands.isEmpty else { return }
        var room: [DeviceID: (session: SessionID, count: Int)] = [:]
        let places = replication.context.limits.custodyAskedCountMax
        for session in active { room[session.device] = (session.id, places - askedCount(on: session.id)) }
        // A part of the places stays free for messages.
        let ofMessages = places / 4
        var asked: Set<Subject> = []
        for errand in errands { if case .asked = errand.progress { asked.insert(Subject(errand.job)) } }
        for index in errands.indices {
            guard case .due(let from) = errands[index].progress else { continue }
            guard from <= now else {
                nextDeadline = min(nextDeadline ?? .max, from)
                continue
            }
            let job = errands[index].job
            let reserve = job.purpose == .record ? ofMessages : 0
            guard let place = room[job.relay], place.count > reserve, replication.serves(job.zone, on: place.session),
                asked.insert(Subject(job)).inserted
            else { continue }
            room[job.relay]?.count -= 1
            errands[index].progress = .asked(place.session)
            replication.send(job.message, to: place.session)
        }
    }

    /// Whether the relay of an errand cannot be asked in a session.
    private func isLost(_ errand: Errand, _ replication: Replication) -> Bool {
        guard let session = relays[errand.job.relay] else { return true }
        return errand.session.map { $0 != session } ?? false || !replication.serves(errand.job.zone, on: session)
    }

    // MARK: As a relay

    /// A device asks this one to keep a payload.
    mutating func keep(_ request: CustodyRequest, on id: SessionID, in replication: inout Replication) {
        guard replication.sessions[id] != nil else { return }
        // A device that may not read the zone can leave nothing there, and does not learn what is kept.
        guard replication.serves(request.zone, on: id) else {
            return answer(.refused, to: request, on: id, in: &replication)
        }
        guard pendingCount(of: id) < replication.context.limits.custodyAskedCountMax else {
            return answer(.full, to: request, on: id, in: &replication)
        }
        decide(request, on: id, in: &replication)
    }

    /// Has the store decide about a payload that a device asks this one to keep.
    private mutating func decide(_ request: CustodyRequest, on id: SessionID, in replication: inout Replication) {
        guard let device = replication.sessions[id]?.device else { return }
        decidingCounts[id, default: 0] += 1
        let limit = replication.context.limits.custodyByteCountMax
        replication.context.write(.takeCustody(id, request, from: device, limit: limit))
    }

    /// A device has no use any more for a payload that it left here.
    mutating func release(_ request: CustodyRequest, on id: SessionID, in replication: inout Replication) {
        guard let device = replication.sessions[id]?.device,
            pendingCount(of: id) < replication.context.limits.custodyAskedCountMax
        else { return }
        waiting[request.payload]?[id] = nil
        if waiting[request.payload]?.isEmpty == true { waiting[request.payload] = nil }
        decidingCounts[id, default: 0] += 1
        replication.context.write(.endCustody(id, request, from: device))
    }

    /// The store has decided about a request; without an outcome the payload is being fetched.
    mutating func decided(
        _ outcome: CustodyAnswer.Outcome?,
        about request: CustodyRequest,
        on id: SessionID,
        in replication: inout Replication
    ) {
        guard replication.sessions[id] != nil, let count = decidingCounts[id], count > 0 else { return }
        decidingCounts[id] = count > 1 ? count - 1 : nil
        if let outcome {
            answer(outcome, to: request, on: id, in: &replication)
        } else {
            waiting[request.payload, default: [:]][id] = request
        }
    }

    /// Answers the sessions that wait for a payload with its outcome in the store.
    mutating func answerWaiting(for payload: PayloadID, _ outcome: PayloadOutcome, in replication: inout Replication) {
        guard outcome == .complete || outcome == .unwanted, let waiting = waiting.removeValue(forKey: payload)
        else { return }
        for (id, request) in waiting.sorted(by: { $0.key < $1.key }) where replication.sessions[id] != nil {
            if outcome == .complete, replication.access(to: request.zone, on: id) == .everything {
                decide(request, on: id, in: &replication)
            } else {
                answer(.refused, to: request, on: id, in: &replication)
            }
        }
    }

    private func answer(
        _ outcome: CustodyAnswer.Outcome,
        to request: CustodyRequest,
        on id: SessionID,
        in replication: inout Replication
    ) {
        let answer = CustodyAnswer(zone: request.zone, payload: request.payload, outcome: outcome)
        replication.send(.custodyAnswer(answer), to: id)
    }
}
