import Wire

/// The chunk lane: bytes that travel apart from the records that name them.
///
/// A device that wants a payload asks for it, part by part, at all devices that may have it; each part is checked
/// against the payload's id, so that its sender does not matter.
///
///     wants it                           has it, or some of it
///       | -- payloadRequest(outline) ->   |   may the session read the zone?
///       | <- payloadOutline ------------  |
///       | -- payloadRequest(0…15) ----->  |   at most as much on its way as the window has room for
///       | <- payloadChunk × 16 ---------  |   or payloadMissing: asked again later
struct PayloadTransfers: Sendable {
    /// A part that was asked for.
    struct Asked: Sendable {
        let session: SessionID
        var deadline: UInt64
    }

    /// A peer that lacks the requested part.
    struct Declined: Sendable {
        var until: UInt64
        /// The time for which it was last left alone.
        var delay: UInt64
    }

    /// A payload that is wanted.
    struct Want: Sendable {
        let zone: ZoneID
        let payload: PayloadID
        let sender: DeviceID?
        /// Chunks to be asked for, descending; `nil` while the outline is not known.
        var missing: [UInt64]?
        /// Chunks on their way here.
        var asked: [UInt64: Asked] = [:]
        /// The outline on its way here.
        var outline: Asked?
        /// Parts that came and are being kept; the outline counts as one.
        var keepingCount = 0
        var declined: [SessionID: Declined] = [:]
        /// The time before which nothing is requested: our storage failed.
        var pausedUntil: UInt64 = 0

        init(_ want: PayloadWant) {
            zone = want.zone
            payload = want.payload
            sender = want.sender
            missing = want.missing.map { $0.reversed() }
        }

        /// Withdraws the requests to some sessions; their parts are requested again.
        mutating func giveBack(where isOver: (Asked) -> Bool) -> Set<SessionID> {
            var sessions: Set<SessionID> = []
            if let outline, isOver(outline) {
                sessions.insert(outline.session)
                self.outline = nil
            }
            for (position, part) in asked.sorted(by: { $0.key > $1.key }) where isOver(part) {
                sessions.insert(part.session)
                asked[position] = nil
                missing?.append(position)
            }
            return sessions
        }

        /// Leaves a session alone for some time, the longer the more often it had nothing.
        mutating func decline(_ id: SessionID, at now: UInt64, _ limits: SyncLimits) {
            let last = declined[id]?.delay ?? 0
            let delay = min(max(2 * last, limits.payloadRetryMilliseconds), limits.payloadRetryMillisecondsMax)
            declined[id] = Declined(until: now + delay, delay: delay)
        }

        /// Extends the deadlines of a session that has sent something: its other requests may take as long again.
        mutating func heard(from id: SessionID, deadline: UInt64) {
            if outline?.session == id { outline?.deadline = deadline }
            for (position, part) in asked where part.session == id { asked[position]?.deadline = deadline }
        }

        /// The time of the next action, whichever peers are connected, including those that have declined.
        func nextDeadline(after now: UInt64) -> UInt64? {
            let asked = asked.values.map(\.deadline) + [outline?.deadline].compactMap(\.self)
            let later = declined.values.map(\.until) + [pausedUntil]
            return (asked + later.filter { $0 > now }).min()
        }
    }

    /// In the order in which they came to be wanted.
    var wants: [Want] = []
    /// Parts that are being read for a session.
    private(set) var serving: [SessionID: Int] = [:]
    /// The time at which something is due.
    private(set) var nextDeadline: UInt64?

    private func index(of payload: PayloadID) -> Int? { wants.firstIndex { $0.payload == payload } }

    /// Chunks that were asked of a session and are not here, of all payloads.
    func askedCount(of id: SessionID) -> Int {
        wants.reduce(0) { count, want in count + want.asked.values.count { $0.session == id } }
    }

    /// Parts that came and are being kept, of all payloads.
    var keepingCount: Int { wants.reduce(0) { $0 + $1.keepingCount } }

    // MARK: As the receiver

    mutating func want(_ want: PayloadWant, _ limits: SyncLimits) {
        guard index(of: want.payload) == nil, wants.count < limits.payloadWantCountMax else { return }
        wants.append(Want(want))
    }

    mutating func forget(_ payload: PayloadID) { wants.removeAll { $0.payload == payload } }

    mutating func take(_ message: PayloadOutlineMessage, on id: SessionID, in context: inout SyncContext) {
        // An answer to a request that was given up comes too late.
        guard let index = index(of: message.payload), wants[index].outline?.session == id else { return }
        wants[index].outline = nil
        wants[index].keepingCount += 1
        context.write(.keepOutline(id, message.outline, of: message.payload))
    }

    mutating func take(_ chunk: PayloadChunk, on id: SessionID, in context: inout SyncContext) {
        guard let index = index(of: chunk.payload), wants[index].asked[chunk.position]?.session == id else { return }
        // Only for requested chunks: else the wait for a peer that answers nothing could be prolonged.
        let deadline = context.now + context.limits.payloadAnswerMilliseconds
        for index in wants.indices { wants[index].heard(from: id, deadline: deadline) }
        wants[index].asked[chunk.position] = nil
        wants[index].declined[id] = nil
        wants[index].keepingCount += 1
        context.write(.keepChunk(id, chunk))
    }

    /// A peer lacks requested parts.
    mutating func lack(_ request: PayloadRequest, on id: SessionID, in context: SyncContext) {
        guard let index = index(of: request.payload) else { return }
        if request.positions.isEmpty {
            guard wants[index].outline?.session == id else { return }
            wants[index].outline = nil
        }
        for position in request.positions.reversed() where wants[index].asked[position]?.session == id {
            wants[index].asked[position] = nil
            wants[index].missing?.append(position)
        }
        wants[index].decline(id, at: context.now, context.limits)
    }

    /// The store has answered about a part; without a position it is the outline.
    mutating func kept(_ outcome: PayloadOutcome, of payload: PayloadID, position: UInt64?, in context: SyncContext) {
        guard let index = index(of: payload) else { return }
        wants[index].keepingCount = max(0, wants[index].keepingCount - 1)
        switch outcome {
        case .outlined(let missing):
            wants[index].missing = missing.reversed()
        case .kept:
            break
        case .complete, .unwanted:
            wants.remove(at: index)
        case .mismatch:
            if let position { wants[index].missing?.append(position) }
        case .storageFull, .storageFailed:
            if let position { wants[index].missing?.append(position) }
            wants[index].pausedUntil = context.now + context.limits.pauseMilliseconds
        }
    }

    /// Whether an input may change the requests that are due; most others, of which there are very many, are passed
    /// over.
    func concerns(_ input: SyncInput) -> Bool {
        switch input {
        case .payloadWanted, .payloadForgotten, .payloadKept, .received(_, .payloadOutline, _),
            .received(_, .payloadChunk, _), .received(_, .payloadMissing, _):
            true
        default:
            false
        }
    }

    /// Gives up requests that are not answered, and asks for missing parts.
    mutating func run(isDue: Bool, in replication: inout Replication) {
        let (now, limits) = (replication.context.now, replication.context.limits)
        guard isDue || now >= nextDeadline ?? .max else { return }
        serving = serving.filter { replication.sessions[$0.key] != nil }
        var activeCount = 0
        for index in wants.indices {
            wants[index].declined = wants[index].declined.filter { replication.sessions[$0.key] != nil }
            let late = wants[index].giveBack { replication.sessions[$0.session] == nil || $0.deadline <= now }
            for id in late where replication.sessions[id] != nil { wants[index].decline(id, at: now, limits) }
            guard activeCount < limits.payloadActiveCountMax, now >= wants[index].pausedUntil else { continue }
            if ask(forPayloadAt: index, in: &replication) { activeCount += 1 }
        }
        nextDeadline = wants.compactMap { $0.nextDeadline(after: now) }.min()
        // Rights begin by the clock alone as well.
        if !wants.isEmpty, !replication.sessions.isEmpty {
            nextDeadline = min(nextDeadline ?? .max, now + limits.payloadRetryMillisecondsMax)
        }
    }

    /// - Returns: Whether something of it is on its way, or is being kept.
    private mutating func ask(forPayloadAt index: Int, in replication: inout Replication) -> Bool {
        let (want, limits) = (wants[index], replication.context.limits)
        let deadline = replication.context.now + limits.payloadAnswerMilliseconds
        let holders = holders(of: want, replication)
        if want.missing == nil {
            guard want.outline == nil, want.keepingCount == 0, let holder = holders.first else {
                return want.outline != nil || want.keepingCount > 0
            }
            wants[index].outline = Asked(session: holder, deadline: deadline)
            let request = PayloadRequest(zone: want.zone, outlineOf: want.payload)
            replication.send(.payloadRequest(request), to: holder)
            return true
        }
        for holder in holders {
            // Chunks that wait for the disk are included: else a slow disk would fill the memory.
            var room = limits.payloadWindowCount - askedCount(of: holder) - keepingCount
            while room > 0 {
                var positions: [UInt64] = []
                while positions.count < min(room, Limits.chunkRequestCountMax),
                    let position = wants[index].missing?.popLast()
                {
                    wants[index].asked[position] = Asked(session: holder, deadline: deadline)
                    positions.append(position)
                }
                guard !positions.isEmpty else { break }
                room -= positions.count
                let request = PayloadRequest(zone: want.zone, payload: want.payload, positions: positions)
                replication.send(.payloadRequest(request), to: holder)
            }
        }
        return !wants[index].asked.isEmpty || want.keepingCount > 0
    }

    /// The sessions that may be asked, the sender's and the nearest first.
    private func holders(of want: Want, _ replication: Replication) -> [SessionID] {
        let rights = replication.rights
        guard rights.zones[want.zone] != nil else { return [] }
        return replication.sessions.values.filter { session in
            session.isActive && want.declined[session.id]?.until ?? 0 <= replication.context.now
                && rights.access(to: want.zone, for: session) == .everything
        }.sorted {
            ($0.device == want.sender ? 0 : 1, $0.liveness.roundTripMilliseconds ?? .max, $0.id)
                < ($1.device == want.sender ? 0 : 1, $1.liveness.roundTripMilliseconds ?? .max, $1.id)
        }.map(\.id)
    }

    // MARK: As the holder

    /// Reads the parts that a peer asks for.
    mutating func serve(_ request: PayloadRequest, on id: SessionID, in replication: inout Replication) {
        guard replication.sessions[id] != nil else { return }
        let count = serving[id, default: 0] + max(1, request.positions.count)
        // A device that may not read the zone does not learn how much of the payload is here.
        guard replication.serves(request.zone, on: id), count <= replication.context.limits.payloadServingCountMax
        else { return replication.send(.payloadMissing(request), to: id) }
        serving[id] = count
        replication.context.read(.payload(id, request))
    }

    /// The store has read parts for a session.
    mutating func read(
        _ answer: PayloadAnswer,
        to request: PayloadRequest,
        for id: SessionID,
        in replication: inout Replication
    ) {
        guard replication.sessions[id] != nil, let count = serving[id] else { return }
        serving[id] = max(0, count - max(1, request.positions.count))
        // Rights may have ended meanwhile.
        guard replication.access(to: request.zone, on: id) == .everything else {
            return replication.send(.payloadMissing(request), to: id)
        }
        switch answer {
        case .outline(let outline):
            let message = PayloadOutlineMessage(zone: request.zone, payload: request.payload, outline: outline)
            replication.send(.payloadOutline(message), to: id)
        case .chunks(let chunks):
            for chunk in chunks { replication.send(.payloadChunk(chunk), to: id) }
            let absent = Set(request.positions).subtracting(chunks.map(\.position))
            guard !absent.isEmpty else { return }
            let rest = PayloadRequest(zone: request.zone, payload: request.payload, positions: absent.sorted())
            replication.send(.payloadMissing(rest), to: id)
        case .none:
            replication.send(.payloadMissing(request), to: id)
        }
    }
}
