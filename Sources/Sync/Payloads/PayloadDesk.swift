import Wire

/// The payloads that this device wants, with the sessions that were asked for their parts, and the reads for peers
/// that ask.
struct PayloadDesk: Sendable {
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
    var serving: [SessionID: Int] = [:]

    func index(of payload: PayloadID) -> Int? { wants.firstIndex { $0.payload == payload } }

    /// The time of the next action.
    func nextDeadline(after now: UInt64) -> UInt64? { wants.compactMap { $0.nextDeadline(after: now) }.min() }

    mutating func forget(_ payload: PayloadID) { wants.removeAll { $0.payload == payload } }

    /// Chunks that were asked of a session and are not here, of all payloads.
    func askedCount(of id: SessionID) -> Int {
        wants.reduce(0) { count, want in count + want.asked.values.count { $0.session == id } }
    }

    /// Parts that came and are being kept, of all payloads.
    var keepingCount: Int { wants.reduce(0) { $0 + $1.keepingCount } }

    /// Extends the deadlines of a session that has sent something: its other requests may take as long again.
    mutating func heard(from id: SessionID, deadline: UInt64) {
        for index in wants.indices {
            if wants[index].outline?.session == id { wants[index].outline?.deadline = deadline }
            for (position, part) in wants[index].asked where part.session == id {
                wants[index].asked[position]?.deadline = deadline
            }
        }
    }
}
