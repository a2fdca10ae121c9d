import Wire

/// The chunk lane: bytes that travel apart from the records that name them.
///
/// A device that wants a payload asks for it, part by part, at all devices that may have it; each part is checked
/// against the payload's id, so that its sender does not matter.
///
///     wants it                           has it, or some of it
///       | -- payloadRequest(outline) ->   |   may the session read the zone?
///       | <- payloadOutline ------------  |   with the chunk behind it, if there is one chunk
///       | -- payloadRequest(0…15) ----->  |   at most as much on its way as the window has room for
///       | <- payloadChunk × 16 ---------  |   or payloadMissing: asked again later
struct PayloadTransfers: Sendable {
    /// A part that was asked for.
    struct Asked: Sendable {
        let session: SessionID
        var deadline: UInt64
    }

    /// A peer that is left alone for some time.
    struct Declined: Sendable {
        var until: UInt64
        /// The time for which it was last left alone.
        var delay: UInt64
        /// Whether it has answered that it lacks the requested part, and has not just been silent.
        var isLacking = false
    }

    /// A reader waits for chunks.
    struct Urge: Sendable {
        /// The place of the first byte that is waited for.
        var from: UInt64
        /// The time at which the reader is taken to have gone, unless it asks again.
        var until: UInt64
        /// The place among the readers.
        let order: UInt64
        /// Whether the store was asked for the payload, where the core did not know it.
        var isSearched = false
    }

    /// In the order in which they came to be wanted.
    var wants: [PayloadWanted] = []
    /// The chunks that readers wait for.
    private(set) var urges: [PayloadID: Urge] = [:]
    private var urgeCount: UInt64 = 0
    /// On a relay: the zones under which devices have asked it to keep payloads that it has not fetched, by session.
    private var offers: [PayloadID: [SessionID: ZoneID]] = [:]
    /// Bytes that are being read for a session, see ``byteCount(of:)``.
    private(set) var serving: [SessionID: Int] = [:]
    /// Whether payloads that only a policy fetches are not asked for, since there is no room.
    private var isShort = false
    /// The search of the store for further payloads.
    private var turns = PayloadTurns()
    /// Whether a payload may be one that no session has.
    private var mayHaveIdle = true
    /// The time at which something is due.
    private(set) var nextDeadline: UInt64?

    private func index(of payload: PayloadID) -> Int? { wants.firstIndex { $0.payload == payload } }

    /// Bytes that were asked of a session and are not here, of all payloads; all chunks of one count as much.
    ///
    /// An outline counts as a chunk, since one may follow it.
    func askedByteCount(of id: SessionID) -> Int {
        wants.reduce(0) { count, want in
            let outlineCount = want.outline?.session == id ? 1 : 0
            return count + (want.asked.values.count { $0.session == id } + outlineCount) * want.chunkByteCount
        }
    }

    /// Parts that came and are being kept, of all payloads.
    var keepingCount: Int { wants.reduce(0) { $0 + $1.keepingCount } }

    /// Bytes of these parts.
    private var keepingByteCount: Int { wants.reduce(0) { $0 + $1.keepingCount * $1.chunkByteCount } }

    // MARK: As the receiver

    mutating func want(_ want: PayloadWant, _ limits: SyncLimits) {
        let isKnown = index(of: want.payload) != nil
        guard !isKnown, wants.count < limits.payloadWantCountMax || urges[want.payload] != nil else { return }
        wants.append(PayloadWanted(want))
        mayHaveIdle = true
    }

    /// A payload is not wanted any more.
    mutating func forget(_ payload: PayloadID) {
        wants.removeAll { $0.payload == payload }
        offers[payload] = nil
    }

    /// A device asks this relay to keep a payload, which is to be fetched: it is asked for that under its own zone.
    ///
    /// A device may have a payload under another zone than the one that has asked first.
    mutating func offered(_ request: CustodyRequest, on id: SessionID, _ limits: SyncLimits) {
        guard offers[request.payload]?[id] != request.zone else { return }
        offers[request.payload, default: [:]][id] = request.zone
        if let index = index(of: request.payload) { wants[index].declined[id] = nil }
        readersChanged(limits)
    }

    /// A reader waits for the bytes of a payload from a place on.
    mutating func urge(_ payload: PayloadID, from offset: UInt64, in context: SyncContext) {
        let until = context.now + context.limits.payloadUrgeMilliseconds
        if urges[payload] != nil {
            urges[payload]?.from = offset
            urges[payload]?.until = until
            urges[payload]?.isSearched = false
            return
        }
        if urges.count >= context.limits.payloadUrgeCountMax,
            let oldest = urges.min(by: { ($0.value.until, $0.key) < ($1.value.until, $1.key) })?.key
        {
            urges[oldest] = nil
        }
        urges[payload] = Urge(from: offset, until: until, order: urgeCount)
        urgeCount += 1
    }

    mutating func take(_ message: PayloadOutlineMessage, on id: SessionID, in context: inout SyncContext) {
        // An answer to a request that was given up comes too late.
        guard let index = index(of: message.payload), wants[index].outline?.session == id else { return }
        wants[index].outline = nil
        wants[index].keepingCount += 1
        // The store checks it; until then it only bounds the requests.
        wants[index].chunkByteCount = message.outline.chunkByteCount
        if message.outline.hasSoleChunk {
            // There is no other place in which to look for bytes.
            wants[index].chunkByteCount = Limits.chunkByteCount
            // It follows the outline, or the statement that it is missing.
            let deadline = context.now + context.limits.payloadAnswerMilliseconds
            wants[index].asked[0] = Asked(session: id, deadline: deadline)
        }
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
        wants[index].keeping.insert(chunk.position)
        context.write(.keepChunk(id, chunk))
    }

    /// A peer lacks requested parts.
    mutating func lack(_ request: PayloadRequest, on id: SessionID, in context: SyncContext) {
        guard let index = index(of: request.payload) else { return }
        if request.positions.isEmpty {
            guard wants[index].outline?.session == id else { return }
            wants[index].outline = nil
        }
        for position in request.positions where wants[index].asked[position]?.session == id {
            wants[index].asked[position] = nil
            wants[index].miss(position)
        }
        wants[index].decline(id, at: context.now, context.limits)
        wants[index].declined[id]?.isLacking = true
        mayHaveIdle = true
    }

    /// The store has answered about a part; without a position it is the outline.
    mutating func kept(_ outcome: PayloadOutcome, of payload: PayloadID, position: UInt64?, in context: SyncContext) {
        guard let index = index(of: payload) else { return }
        wants[index].keepingCount = max(0, wants[index].keepingCount - 1)
        if let position { wants[index].keeping.remove(position) }
        switch outcome {
        case .outlined(let missing):
            wants[index].outlined(missing)
        case .kept:
            break
        case .unwanted where position != nil && wants[index].missing == nil:
            // The chunk came behind an outline that could not be kept, and is requested with it again.
            break
        case .complete, .unwanted:
            wants.remove(at: index)
            (urges[payload], offers[payload]) = (nil, nil)
            if outcome == .complete { turns.hurry(context.limits) }
        case .mismatch:
            if let position { wants[index].miss(position) }
        case .storageFull, .storageFailed:
            if let position { wants[index].miss(position) }
            wants[index].pausedUntil = context.now + context.limits.pauseMilliseconds
        }
    }

    /// The room on the file system has become short, or is not any more.
    mutating func roomChanged(isShort: Bool, in context: SyncContext) {
        guard self.isShort != isShort else { return }
        self.isShort = isShort
        mayHaveIdle = true
        // The search has left payloads out meanwhile.
        if !isShort { turns.restart(at: context.now) }
    }

    /// Other sessions may have payloads than before.
    mutating func readersChanged(_ limits: SyncLimits) {
        mayHaveIdle = true
        turns.hurry(limits)
    }

    /// Whether an input may change the requests that are due; most others, of which there are very many, are passed
    /// over.
    func concerns(_ input: SyncInput) -> Bool {
        switch input {
        case .payloadWanted, .payloadForgotten, .payloadKept, .payloadUrged, .payloadRoom, .payloadsSearched,
            .received(_, .payloadOutline, _), .received(_, .payloadChunk, _), .received(_, .payloadMissing, _),
            .custodyDecided(_, _, nil):
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
        if !offers.isEmpty {
            offers = offers.mapValues { $0.filter { replication.sessions[$0.key] != nil } }.filter { !$0.value.isEmpty }
        }
        urges = urges.filter { $0.value.until > now }
        for index in wants.indices {
            wants[index].declined = wants[index].declined.filter { replication.sessions[$0.key] != nil }
            let late = wants[index].giveBack { replication.sessions[$0.session] == nil || $0.deadline <= now }
            for id in late where replication.sessions[id] != nil { wants[index].decline(id, at: now, limits) }
            if !late.isEmpty { mayHaveIdle = true }
        }
        if !replication.sessions.isEmpty { turns.turn(at: now, limits) }
        askForUrged(in: &replication)
        var activeCount = 0
        for index in wants.indices {
            guard activeCount < limits.payloadActiveCountMax, mayAsk(forPayloadAt: index, at: now) else { continue }
            if ask(forPayloadAt: index, in: &replication) { activeCount += 1 }
        }
        if turns.isUnfinished { putAside(in: replication) }
        nextDeadline = wants.compactMap { $0.nextDeadline(after: now) }.min()
        // Rights begin by the clock alone as well.
        if !wants.isEmpty, !replication.sessions.isEmpty {
            nextDeadline = min(nextDeadline ?? .max, now + limits.payloadRetryMillisecondsMax)
        }
        planTurn(in: replication)
    }

    /// Wakes the core for the next round of the search.
    private mutating func planTurn(in replication: Replication) {
        guard !replication.sessions.isEmpty, let deadline = turns.deadline else { return }
        nextDeadline = min(nextDeadline ?? .max, max(deadline, replication.context.now + 1))
    }

    private func mayAsk(forPayloadAt index: Int, at now: UInt64) -> Bool {
        now >= wants[index].pausedUntil && !(isShort && wants[index].needsRoom && urges[wants[index].payload] == nil)
    }

    /// Asks for the chunks that readers wait for: of each payload only as many as the window takes, so that one reader does not keep the
    /// others waiting.
    private mutating func askForUrged(in replication: inout Replication) {
        guard !urges.isEmpty else { return }
        for (payload, urge) in urges.sorted(by: { $0.value.order < $1.value.order }) {
            guard let index = index(of: payload), mayAsk(forPayloadAt: index, at: replication.context.now) else {
                continue
            }
            let window = replication.context.limits.payloadWindowByteCount
            let count = UInt64(max(window / wants[index].chunkByteCount, 1))
            let first = urge.from / UInt64(wants[index].chunkByteCount)
            let (end, isBeyond) = first.addingReportingOverflow(count)
            _ = ask(forPayloadAt: index, first..<(isBeyond ? .max : end), in: &replication)
        }
    }

    /// Asks for the outline of a payload, or for chunks; with a span only for those in it.
    /// - Returns: Whether something of it is on its way.
    private mutating func ask(
        forPayloadAt index: Int,
        _ span: Range<UInt64>? = nil,
        in replication: inout Replication
    ) -> Bool {
        let (payload, limits) = (wants[index].payload, replication.context.limits)
        let deadline = replication.context.now + limits.payloadAnswerMilliseconds
        let holders = holders(of: wants[index], replication)
        if wants[index].missing == nil {
            guard !wants[index].isMoving,
                let holder = holders.first(where: { chunkRoom(of: $0.session, Limits.chunkByteCount, limits) > 0 })
            else { return wants[index].isAwaited }
            wants[index].outline = Asked(session: holder.session, deadline: deadline)
            let request = PayloadRequest(zone: holder.zone, outlineOf: payload)
            replication.send(.payloadRequest(request), to: holder.session)
            return true
        }
        for holder in holders {
            var room = chunkRoom(of: holder.session, wants[index].chunkByteCount, limits)
            while room > 0 {
                let positions = wants[index].take(min(room, Limits.chunkRequestCountMax), in: span)
                guard !positions.isEmpty else { break }
                for position in positions {
                    wants[index].asked[position] = Asked(session: holder.session, deadline: deadline)
                }
                room -= positions.count
                let request = PayloadRequest(zone: holder.zone, payload: payload, positions: positions)
                replication.send(.payloadRequest(request), to: holder.session)
            }
        }
        return wants[index].isAwaited
    }

    /// The number of chunks that may be asked of a session now.
    private func chunkRoom(of id: SessionID, _ chunkByteCount: Int, _ limits: SyncLimits) -> Int {
        // Chunks that wait for the disk are included: else a slow disk would fill the memory.
        let used = askedByteCount(of: id) + keepingByteCount
        // A chunk that is larger than the window travels alone.
        if used == 0 { return max(limits.payloadWindowByteCount / chunkByteCount, 1) }
        return max(limits.payloadWindowByteCount - used, 0) / chunkByteCount
    }

    /// A session that may have a payload, and the zone under which it is asked.
    private struct Holder {
        let session: SessionID
        let zone: ZoneID
        let device: DeviceID
        let roundTripMilliseconds: UInt64
    }

    /// The sessions whose devices may have a payload, in any order.
    private func readers(of want: PayloadWanted, _ replication: Replication) -> [Holder] {
        let rights = replication.rights
        let zones = want.zones.filter { rights.zones[$0] != nil }
        let offers = offers[want.payload] ?? [:]
        guard !zones.isEmpty || !offers.isEmpty else { return [] }
        return replication.sessions.values.compactMap { session in
            let offered = offers[session.id].flatMap { rights.zones[$0] == nil ? nil : $0 }
            let candidates = (offered.map { [$0] } ?? []) + zones
            guard session.isActive,
                let zone = candidates.first(where: { rights.access(to: $0, for: session) == .everything })
            else { return nil }
            return Holder(
                session: session.id,
                zone: zone,
                device: session.device,
                roundTripMilliseconds: session.liveness.roundTripMilliseconds ?? .max
            )
        }
    }

    /// The sessions that may be asked, the sender's and the nearest first.
    private func holders(of want: PayloadWanted, _ replication: Replication) -> [Holder] {
        let now = replication.context.now
        return readers(of: want, replication).filter { want.declined[$0.session]?.until ?? 0 <= now }.sorted {
            ($0.device == want.sender ? 0 : 1, $0.roundTripMilliseconds, $0.session)
                < ($1.device == want.sender ? 0 : 1, $1.roundTripMilliseconds, $1.session)
        }
    }

    // MARK: Payloads that cannot be had

    /// The expectation of payloads, as far as the core knows of them.
    func prospects(of payloads: Set<PayloadID>, _ replication: Replication) -> [PayloadID: PayloadProspect] {
        var prospects = turns.aside.filter { payloads.contains($0.key) }
        for want in wants where payloads.contains(want.payload) {
            prospects[want.payload] = prospect(of: want, replication)
        }
        return prospects
    }

    private func prospect(of want: PayloadWanted, _ replication: Replication) -> PayloadProspect {
        guard !want.isMoving else { return .coming }
        let readers = readers(of: want, replication)
        if readers.isEmpty { return .unresolved }
        return readers.allSatisfy { want.declined[$0.session]?.isLacking ?? false } ? .missing : .coming
    }

    /// Puts payloads aside that no session can be asked for now, where others wait for their places.
    private mutating func putAside(in replication: Replication) {
        let (now, limits) = (replication.context.now, replication.context.limits)
        guard mayHaveIdle, wants.count >= limits.payloadWantCountMax, !replication.sessions.isEmpty else { return }
        mayHaveIdle = false
        for want in wants where !want.isMoving && urges[want.payload] == nil && now >= want.pausedUntil {
            let isIdle = isShort && want.needsRoom || holders(of: want, replication).isEmpty
            guard isIdle else { continue }
            turns.putAside(want.payload, prospect(of: want, replication), limits)
            forget(want.payload)
        }
    }

    /// Whether to call ``takeSearch(isNew:in:)``, which most events give no reason for.
    func isSearchDue(isNew: Bool, in replication: Replication) -> Bool {
        let room = searchRoom(replication.context.limits)
        if isNew, room > 0 || mayHaveIdle && !replication.sessions.isEmpty { return true }
        return turns.isDue(room: room) || !turns.isAsking && urges.contains { isUnknown($0.key, $0.value) }
    }

    /// Places that are free, and worth a question to the store.
    ///
    /// While enough payloads are fetched, the question waits until half of the places are free: of many small payloads each would else cost
    /// one.
    private func searchRoom(_ limits: SyncLimits) -> Int {
        let room = max(0, limits.payloadWantCountMax - wants.count)
        guard room < limits.payloadWantCountMax / 2 else { return room }
        return wants.count(where: \.isMoving) >= limits.payloadActiveCountMax ? 0 : room
    }

    private func isUnknown(_ payload: PayloadID, _ urge: Urge) -> Bool {
        !urge.isSearched && index(of: payload) == nil
    }

    /// Takes the question to the store for further payloads, if one is due.
    mutating func takeSearch(isNew: Bool, in replication: Replication) -> PayloadSearch? {
        let limits = replication.context.limits
        if isNew {
            // Others wait now, for which there may be places.
            putAside(in: replication)
            for payload in urges.keys { urges[payload]?.isSearched = false }
        }
        let unknown = urges.filter { isUnknown($0.key, $0.value) }.keys.sorted()
        let room = searchRoom(limits)
        guard let next = turns.take(isNew: isNew, room: room, hasUrged: !unknown.isEmpty, limits) else { return nil }
        for payload in unknown { urges[payload]?.isSearched = true }
        return PayloadSearch(
            known: Set(wants.map(\.payload)),
            urged: unknown,
            after: next.after,
            limit: next.limit,
            isShort: isShort
        )
    }

    /// Takes the answer of the store to such a question.
    mutating func searched(through: UInt64, isAtEnd: Bool, in context: SyncContext) {
        turns.answered(through: through, isAtEnd: isAtEnd, at: context.now, context.limits)
    }

    // MARK: As the holder

    /// Bytes with which a request is counted while it is read: the size of a payload's chunks, and their number, are not known before.
    private static func byteCount(of request: PayloadRequest) -> Int {
        guard request.positions.isEmpty else { return request.positions.count * Limits.chunkByteCountMax }
        return Limits.payloadChunkCountMax * Digest32.byteCount
    }

    /// Reads the parts that a peer asks for.
    mutating func serve(_ request: PayloadRequest, on id: SessionID, in replication: inout Replication) {
        guard let session = replication.sessions[id] else { return }
        let count = serving[id, default: 0]
        // A device that may not read the zone does not learn how much of the payload is here.
        guard replication.serves(request.zone, on: id), count <= replication.context.limits.payloadServingByteCount
        else { return replication.send(.payloadMissing(request), to: id) }
        serving[id] = count + Self.byteCount(of: request)
        let isOwn = session.account == replication.rights.account
        replication.context.read(.payload(id, request, isOwn: isOwn))
    }

    /// The store has read parts for a session.
    mutating func read(
        _ answer: PayloadAnswer,
        to request: PayloadRequest,
        for id: SessionID,
        in replication: inout Replication
    ) {
        if !answer.damaged.isEmpty {
            // Without a reader here nothing else notices it.
            replication.context.write(.recheck(request.payload, at: answer.damaged))
        }
        guard replication.sessions[id] != nil, let count = serving[id] else { return }
        serving[id] = max(0, count - Self.byteCount(of: request))
        // Rights may have ended meanwhile.
        guard replication.access(to: request.zone, on: id) == .everything else {
            return replication.send(.payloadMissing(request), to: id)
        }
        switch answer {
        case .outline(let outline, let sole, _):
            let message = PayloadOutlineMessage(zone: request.zone, payload: request.payload, outline: outline)
            replication.send(.payloadOutline(message), to: id)
            if let sole {
                replication.send(.payloadChunk(sole), to: id)
            } else if outline.hasSoleChunk {
                let rest = PayloadRequest(zone: request.zone, payload: request.payload, positions: [0])
                replication.send(.payloadMissing(rest), to: id)
            }
        case .chunks(let chunks, _):
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
