import Wire

/// A payload that is wanted, and the requests for its parts.
struct PayloadWanted: Sendable {
    /// The zones under which it may be asked for, in the order in which they are tried.
    let zones: [ZoneID]
    let payload: PayloadID
    let sender: DeviceID?
    let needsRoom: Bool
    /// Plain bytes of each chunk but the last.
    var chunkByteCount: Int
    /// Chunks to be asked for, descending; `nil` while the outline is not known.
    var missing: [UInt64]?
    /// Chunks on their way here.
    var asked: [UInt64: PayloadTransfers.Asked] = [:]
    /// The outline on its way here.
    var outline: PayloadTransfers.Asked?
    /// Parts that came and are being kept; the outline counts as one.
    var keepingCount = 0
    /// The chunks among them.
    var keeping: Set<UInt64> = []
    var declined: [SessionID: PayloadTransfers.Declined] = [:]
    /// The time before which nothing is requested: our storage failed.
    var pausedUntil: UInt64 = 0

    init(_ want: PayloadWant) {
        zones = [want.zone] + want.others
        payload = want.payload
        sender = want.sender
        needsRoom = want.needsRoom
        chunkByteCount = want.chunkByteCount
        missing = want.missing.map { $0.reversed() }
    }

    /// Whether a part is on its way, or is being kept.
    var isMoving: Bool { isAwaited || keepingCount > 0 }

    /// Whether a part is on its way.
    var isAwaited: Bool { !asked.isEmpty || outline != nil }

    /// Notes the chunks that are missing according to the outline, which is kept.
    mutating func outlined(_ missing: [UInt64]) {
        // A sole chunk may have come behind the outline.
        self.missing = missing.reversed().filter { asked[$0] == nil && !keeping.contains($0) }
    }

    /// Withdraws the requests to some sessions; their parts are requested again.
    mutating func giveBack(where isOver: (PayloadTransfers.Asked) -> Bool) -> Set<SessionID> {
        var sessions: Set<SessionID> = []
        if let outline, isOver(outline) {
            sessions.insert(outline.session)
            self.outline = nil
        }
        for (position, part) in asked where isOver(part) {
            sessions.insert(part.session)
            asked[position] = nil
            miss(position)
        }
        return sessions
    }

    /// Notes that a chunk has to be asked for again.
    mutating func miss(_ position: UInt64) {
        guard let all = missing else { return }
        let place = all.place(of: position)
        if place == all.count || all[place] != position { missing?.insert(position, at: place) }
    }

    /// Takes chunks to be asked for, the first of those in a span, or of all.
    mutating func take(_ count: Int, in span: Range<UInt64>?) -> [UInt64] {
        let places = places(of: count, in: span)
        guard !places.isEmpty else { return [] }
        let taken = Array((missing?[places] ?? []).reversed())
        missing?.removeSubrange(places)
        return taken
    }

    /// The places of the first missing chunks of a span: they stand beside each other, the first one last.
    private func places(of count: Int, in span: Range<UInt64>?) -> Range<Int> {
        guard let missing else { return 0..<0 }
        var (begin, end) = (0, missing.count)
        if let span, !span.isEmpty {
            begin = missing.place(of: span.upperBound - 1)
            if span.lowerBound > 0 { end = missing.place(of: span.lowerBound - 1) }
        }
        return max(begin, end - count)..<end
    }

    /// Leaves a session alone for some time, the longer the more often it had nothing.
    mutating func decline(_ id: SessionID, at now: UInt64, _ limits: SyncLimits) {
        let last = declined[id]?.delay ?? 0
        let delay = min(max(2 * last, limits.payloadRetryMilliseconds), limits.payloadRetryMillisecondsMax)
        declined[id] = PayloadTransfers.Declined(until: now + delay, delay: delay)
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

extension [UInt64] {
    /// In a descending list, the place of a value: the number of elements that are greater.
    fileprivate func place(of value: UInt64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
