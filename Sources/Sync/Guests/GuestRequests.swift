import Wire

/// The requests of guests of public zones to this device, which rules the zone.
struct GuestRequests: Sendable {
    /// The requests of a session's peer to this device.
    struct Served: Sendable {
        /// The request that is being decided.
        var current: UInt64?
        /// The highest number that was taken.
        var highest: UInt64?
        /// The last answer: the same number gets the same one.
        var last: GuestAnswer?
    }

    /// A request of another device, with the account log that came ahead of it.
    struct Request: Sendable {
        /// The request; its entries are those that came ahead of it where it has none itself.
        let write: GuestWrite
        /// Bytes of the entries that came ahead of it.
        let aheadByteCount: Int
        /// Whether such entries were passed over, since more was held than may be.
        let isWithoutRoom: Bool
    }

    /// An account log that comes ahead of a request.
    private struct ArrivingLog: Sendable {
        /// The entries so far; `nil` when they are passed over.
        var log: LongAccountLog? = LongAccountLog()
        let deadline: UInt64
    }

    private(set) var served: [SessionID: Served] = [:]
    /// Requests behind one of the same session, in the order in which they came.
    private(set) var waiting: [(session: SessionID, request: Request)] = []
    private var arriving: [SessionID: ArrivingLog] = [:]
    /// Bytes of the logs that the driver looks into, also on sessions that have ended since.
    private var lookedInto: [SessionID: Int] = [:]

    /// When the beginning of an account log is dropped next.
    var nextDeadline: UInt64? { arriving.values.map(\.deadline).min() }

    /// Drops the logs whose requests have not followed in time, and the requests of sessions that have ended.
    mutating func dropAbandoned(in replication: Replication) {
        let (now, sessions) = (replication.context.now, replication.sessions)
        arriving = arriving.filter { now < $0.value.deadline && sessions[$0.key] != nil }
        served = served.filter { sessions[$0.key] != nil }
        waiting.removeAll { sessions[$0.session] == nil }
    }

    // MARK: Logs ahead of requests

    /// Bytes of account logs that came ahead of requests, of all sessions together, until these are answered.
    var logsByteCount: Int {
        arriving.values.reduce(0) { $0 + ($1.log?.byteCount ?? 0) }
            + waiting.reduce(0) { $0 + $1.request.aheadByteCount }
            + lookedInto.values.reduce(0, +)
    }

    /// Whether the rest of a log that has begun is to come on a session.
    func expectsLog(on id: SessionID) -> Bool { arriving[id].map { $0.log?.isWhole != true } ?? false }

    /// Keeps the log of an account of which nothing is known here until the request comes that it is ahead of.
    ///
    /// Nothing is held of an account that no zone here lets write: its requests are refused without it.
    mutating func take(_ entries: AccountEntries, on id: SessionID, in replication: inout Replication) {
        guard let session = replication.sessions[id], serves(session, replication.rights) else { return }
        if !keep(entries, on: id, of: session.account, in: replication.context) {
            replication.closeForViolation(id, "no account log ahead of a guest's request")
        }
    }

    /// Whether a request of a session may have to be looked into, whatever it is.
    private func serves(_ session: PeerSession, _ rights: ExchangeRights) -> Bool {
        rights.zones.keys.contains { zone in
            guard let authority = rights.authorities[zone] else { return false }
            return authority.writesForGuests(rights.localDevice, of: rights.account)
                && authority.mayLetWrite(session.account) && rights.access(to: zone, for: session) == .everything
        }
    }

    /// Keeps entries of an account log ahead of a request; where more is held than may be, this log is passed over.
    /// - Returns: Whether they may come at this place: false for another account's, for none, and for more than a log
    ///   has.
    private mutating func keep(
        _ entries: AccountEntries,
        on id: SessionID,
        of account: AccountID,
        in context: SyncContext
    ) -> Bool {
        let begun = ArrivingLog(deadline: context.now + context.limits.strangerPartsMilliseconds)
        var next = arriving[id] ?? begun
        // A guest cannot know whether its log is taken here, and may tell of the growth of its log at any time.
        if next.log?.isWhole == true { next = begun }
        guard next.log?.add(entries, of: account) != false else { return false }
        arriving[id] = next
        if logsByteCount > context.limits.guestLogsByteCountMax { arriving[id]?.log = nil }
        return true
    }

    /// Makes a request of a message and the account log that came ahead of it.
    ///
    /// Where messages of the log are missing, the request has no entries.
    private mutating func request(_ write: GuestWrite, on id: SessionID) -> Request {
        let came = arriving.removeValue(forKey: id)
        guard write.entries.isEmpty, let came else {
            return Request(write: write, aheadByteCount: 0, isWithoutRoom: false)
        }
        guard let entries = came.log?.whole(with: []) else {
            return Request(write: write, aheadByteCount: 0, isWithoutRoom: came.log == nil)
        }
        var write = write
        write.entries = entries
        return Request(write: write, aheadByteCount: came.log?.byteCount ?? 0, isWithoutRoom: false)
    }

    // MARK: Requests

    /// Takes in a request, which waits behind another one of its session.
    mutating func take(_ write: GuestWrite, on id: SessionID, in replication: inout Replication) {
        guard replication.sessions[id] != nil else { return }
        let number = write.number
        let request = request(write, on: id)
        let served = served[id] ?? Served()
        if let last = served.last, last.number == number {
            return replication.send(.guestAnswer(last), to: id)
        }
        let isWaiting = waiting.contains { $0.session == id && $0.request.write.number == number }
        if served.current == number || isWaiting { return }
        if let highest = served.highest, number < highest {
            return replication.closeForViolation(id, "a guest's request with an old number")
        }
        if served.current != nil, waiting.count >= replication.context.limits.guestWaitingCountMax {
            return replication.send(.guestAnswer(GuestAnswer(number: number, .refused(.busy))), to: id)
        }
        self.served[id, default: Served()].highest = number
        if served.current == nil {
            serve(request, on: id, in: &replication)
        } else {
            waiting.append((id, request))
        }
    }

    private mutating func serve(_ request: Request, on id: SessionID, in replication: inout Replication) {
        let number = request.write.number
        if let refusal = refusal(of: request, on: id, replication) {
            return answer(GuestAnswer(number: number, .refused(refusal)), on: id, in: &replication)
        }
        served[id, default: Served()].current = number
        if request.aheadByteCount > 0 { lookedInto[id] = request.aheadByteCount }
        replication.context.effects.append(.serveGuestWrite(id, request.write))
    }

    /// Returns the reason why a request need not be looked into; `nil` for one that has to be.
    ///
    /// Looking into a stranger's whole account log is work, which must have a point.
    private func refusal(of request: Request, on id: SessionID, _ replication: Replication) -> GuestRefusalCode? {
        let (zone, rights) = (request.write.zone, replication.rights)
        // A device that may not read the zone does not learn that it exists.
        guard let other = replication.sessions[id]?.account, other != rights.account, replication.serves(zone, on: id)
        else { return .unknownZone }
        guard let authority = rights.authorities[zone],
            authority.writesForGuests(rights.localDevice, of: rights.account)
        else { return .notHere }
        guard authority.mayLetWrite(other) else { return .refused }
        return request.isWithoutRoom ? .busy : nil
    }

    /// The driver has looked into a request of a session, which may have ended.
    mutating func decided(
        _ outcome: GuestAnswer.Outcome,
        of zone: ZoneID,
        number: UInt64,
        on id: SessionID,
        in replication: inout Replication
    ) {
        lookedInto[id] = nil
        guard replication.sessions[id] != nil, served[id]?.current == number else { return }
        var told = outcome
        // Its right to read is checked again; without it the answer still does not deny that something was done.
        if case .decided = outcome, replication.access(to: zone, on: id) != .everything { told = .refused(.uncertain) }
        answer(GuestAnswer(number: number, told), on: id, in: &replication)
    }

    /// Answers, and continues with the waiting requests.
    private mutating func answer(_ answer: GuestAnswer, on id: SessionID, in replication: inout Replication) {
        served[id, default: Served()].current = nil
        served[id]?.last = answer
        replication.send(.guestAnswer(answer), to: id)
        guard let next = waiting.firstIndex(where: { $0.session == id }) else { return }
        serve(waiting.remove(at: next).request, on: id, in: &replication)
    }
}
