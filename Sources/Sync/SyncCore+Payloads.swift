package import Wire

// The chunk lane: bytes that travel apart from the records that name them. A device that wants a payload asks for it,
// part by part, at all devices that may have it; each part is checked against the payload's id, so that its sender
// does not matter.
//
//     wants it                           has it, or some of it
//       | -- payloadRequest(outline) ->   |   may the session read the zone?
//       | <- payloadOutline ------------  |
//       | -- payloadRequest(0…15) ----->  |   at most as much on its way as the window has room for
//       | <- payloadChunk × 16 ---------  |   or payloadMissing: asked again later
extension SyncCore {
    /// The payloads that are to be had, as far as the core knows of them.
    package var wantedPayloads: Set<PayloadID> { Set(payloads.wants.map(\.payload)) }

    /// The number of further payloads that the list has room for.
    package var payloadRoom: Int { max(0, limits.payloadWantCountMax - payloads.wants.count) }

    /// The load of payloads, to check that it is bounded: how many are wanted, and how much is on its way from one
    /// session and is read for one session at most; `nil` where there is nothing.
    package var payloadLoad: (wanted: Int, asked: Int, serving: Int)? {
        guard !payloads.wants.isEmpty || !payloads.serving.isEmpty else { return nil }
        let asked = sessions.keys.map { payloads.askedCount(of: $0) }.max() ?? 0
        return (payloads.wants.count, asked, payloads.serving.values.max() ?? 0)
    }

    // MARK: As the receiver

    mutating func payloadWanted(_ want: PayloadWant) {
        guard payloads.index(of: want.payload) == nil, payloadRoom > 0 else { return }
        payloads.wants.append(PayloadDesk.Want(want))
    }

    mutating func payloadOutline(_ outline: PayloadOutline, on id: SessionID, into effects: inout [SyncEffect]) {
        let isAnswer = payloads.wants.contains { $0.zone == outline.zone && $0.outline?.session == id }
        // An answer to a request that was given up comes too late.
        guard isAnswer else { return }
        // Of several that were asked for any may come first; another one is no answer at all.
        let payload = outline.id
        guard let index = payloads.index(of: payload), payloads.wants[index].outline?.session == id else { return }
        payloads.wants[index].outline = nil
        payloads.wants[index].keepingCount += 1
        effects.append(.write(.keepOutline(id, outline, of: payload)))
    }

    mutating func payloadChunk(
        _ chunk: PayloadChunk,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let index = payloads.index(of: chunk.payload),
            payloads.wants[index].asked[chunk.position]?.session == id
        else { return }
        // Only for requested chunks: else the wait for a peer that answers nothing could be prolonged.
        payloads.heard(from: id, deadline: now + limits.payloadAnswerMilliseconds)
        payloads.wants[index].asked[chunk.position] = nil
        payloads.wants[index].declined[id] = nil
        payloads.wants[index].keepingCount += 1
        effects.append(.write(.keepChunk(id, chunk)))
    }

    mutating func payloadMissing(_ request: PayloadRequest, on id: SessionID, at now: UInt64) {
        guard let index = payloads.index(of: request.payload) else { return }
        if request.positions.isEmpty {
            guard payloads.wants[index].outline?.session == id else { return }
            payloads.wants[index].outline = nil
        }
        for position in request.positions.reversed() where payloads.wants[index].asked[position]?.session == id {
            payloads.wants[index].asked[position] = nil
            payloads.wants[index].missing?.append(position)
        }
        payloads.wants[index].decline(id, at: now, limits)
    }

    mutating func payloadKept(
        _ outcome: PayloadOutcome,
        of payload: PayloadID,
        position: UInt64?,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        if case .mismatch = outcome, sessions[id] != nil {
            closeForViolation(id, "a part of a payload that does not match its id", into: &effects)
        }
        guard let index = payloads.index(of: payload) else { return }
        payloads.wants[index].keepingCount = max(0, payloads.wants[index].keepingCount - 1)
        switch outcome {
        case .outlined(let missing):
            payloads.wants[index].missing = missing.reversed()
        case .kept:
            break
        case .complete, .unwanted:
            payloads.wants.remove(at: index)
        case .mismatch:
            if let position { payloads.wants[index].missing?.append(position) }
        case .storageFull, .storageFailed:
            if let position { payloads.wants[index].missing?.append(position) }
            payloads.wants[index].pausedUntil = now + limits.pauseMilliseconds
        }
    }

    /// Whether an input may change the requests that are due; most others, of which there are very many, are passed
    /// over.
    func mayConcernPayloads(_ input: SyncInput) -> Bool {
        switch input {
        case .payloadWanted, .payloadForgotten, .payloadKept, .opened, .closed, .accountChanged, .contactChanged,
            .rightsChanged:
            true
        case .received(_, let message, _):
            switch message {
            case .payloadOutline, .payloadChunk, .payloadMissing: true
            default: false
            }
        case .zoneChanged(let snapshot, _):
            zones[snapshot.zone] == nil
        default:
            false
        }
    }

    /// Gives up requests that are not answered, and asks for missing parts.
    mutating func runPayloads(isDue: Bool, at now: UInt64, into effects: inout [SyncEffect]) {
        guard isDue || now >= payloadsDue ?? .max else { return }
        for id in payloads.serving.keys.sorted() where sessions[id] == nil { payloads.serving[id] = nil }
        var activeCount = 0
        for index in payloads.wants.indices {
            for id in payloads.wants[index].declined.keys.sorted() where sessions[id] == nil {
                payloads.wants[index].declined[id] = nil
            }
            let late = payloads.wants[index].giveBack { sessions[$0.session] == nil || $0.deadline <= now }
            for id in late.sorted() where sessions[id] != nil { payloads.wants[index].decline(id, at: now, limits) }
            guard activeCount < limits.payloadActiveCountMax, now >= payloads.wants[index].pausedUntil else { continue }
            if ask(forPayloadAt: index, at: now, into: &effects) { activeCount += 1 }
        }
        payloadsDue = payloads.nextDeadline(after: now)
        // Rights begin by the clock alone as well.
        if !payloads.wants.isEmpty, !sessions.isEmpty {
            payloadsDue = min(payloadsDue ?? .max, now + limits.payloadRetryMillisecondsMax)
        }
    }

    /// - Returns: Whether something of it is on its way, or is being kept.
    private mutating func ask(forPayloadAt index: Int, at now: UInt64, into effects: inout [SyncEffect]) -> Bool {
        let want = payloads.wants[index]
        let deadline = now + limits.payloadAnswerMilliseconds
        let holders = holders(of: want, at: now)
        if want.missing == nil {
            guard want.outline == nil, want.keepingCount == 0, let holder = holders.first else {
                return want.outline != nil || want.keepingCount > 0
            }
            payloads.wants[index].outline = PayloadDesk.Asked(session: holder, deadline: deadline)
            let request = PayloadRequest(zone: want.zone, outlineOf: want.payload)
            effects.append(.send(holder, .payloadRequest(request)))
            return true
        }
        for holder in holders {
            // Chunks that wait for the disk are included: else a slow disk would fill the memory.
            var room = limits.payloadWindowCount - payloads.askedCount(of: holder) - payloads.keepingCount
            while room > 0 {
                var positions: [UInt64] = []
                while positions.count < min(room, Limits.chunkRequestCountMax),
                    let position = payloads.wants[index].missing?.popLast()
                {
                    payloads.wants[index].asked[position] = PayloadDesk.Asked(session: holder, deadline: deadline)
                    positions.append(position)
                }
                guard !positions.isEmpty else { break }
                room -= positions.count
                let request = PayloadRequest(zone: want.zone, payload: want.payload, positions: positions)
                effects.append(.send(holder, .payloadRequest(request)))
            }
        }
        return !payloads.wants[index].asked.isEmpty || want.keepingCount > 0
    }

    /// The sessions that may be asked, the sender's and the nearest first.
    private func holders(of want: PayloadDesk.Want, at now: UInt64) -> [SessionID] {
        guard zones[want.zone] != nil else { return [] }
        return sessions.values.filter { session in
            session.phase == .active && want.declined[session.id]?.until ?? 0 <= now
                && access(to: want.zone, for: session) == .everything
        }.sorted {
            ($0.device == want.sender ? 0 : 1, $0.roundTripMilliseconds ?? .max, $0.id)
                < ($1.device == want.sender ? 0 : 1, $1.roundTripMilliseconds ?? .max, $1.id)
        }.map(\.id)
    }

    // MARK: As the holder

    mutating func payloadRequest(_ request: PayloadRequest, on id: SessionID, into effects: inout [SyncEffect]) {
        guard let session = sessions[id] else { return }
        // A device that may not read the zone does not learn how much of the payload is here.
        guard zones[request.zone] != nil, access(to: request.zone, for: session) == .everything else {
            effects.append(.send(id, .payloadMissing(request)))
            return
        }
        let count = payloads.serving[id, default: 0] + max(1, request.positions.count)
        guard count <= limits.payloadServingCountMax else {
            effects.append(.send(id, .payloadMissing(request)))
            return
        }
        payloads.serving[id] = count
        effects.append(.read(.payload(id, request)))
    }

    mutating func payloadRead(
        _ answer: PayloadAnswer,
        to request: PayloadRequest,
        for id: SessionID,
        into effects: inout [SyncEffect]
    ) {
        guard let session = sessions[id], let count = payloads.serving[id] else { return }
        payloads.serving[id] = max(0, count - max(1, request.positions.count))
        // Rights may have ended meanwhile.
        guard access(to: request.zone, for: session) == .everything else {
            effects.append(.send(id, .payloadMissing(request)))
            return
        }
        switch answer {
        case .outline(let outline):
            effects.append(.send(id, .payloadOutline(outline)))
        case .chunks(let chunks):
            for chunk in chunks { effects.append(.send(id, .payloadChunk(chunk))) }
            let absent = Set(request.positions).subtracting(chunks.map(\.position))
            guard !absent.isEmpty else { return }
            let rest = PayloadRequest(zone: request.zone, payload: request.payload, positions: absent.sorted())
            effects.append(.send(id, .payloadMissing(rest)))
        case .none:
            effects.append(.send(id, .payloadMissing(request)))
        }
    }
}
