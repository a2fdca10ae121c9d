import Wire

/// The pending requests of guests of public zones: this device's own, and those of other devices to this one.
struct GuestDesk: Sendable {
    /// An order of this device on its way.
    struct Asked: Sendable {
        let order: GuestOrder
        var session: SessionID
        var number: UInt64
        let deadline: UInt64
        /// The sessions that were asked, including this one.
        var tried: Set<SessionID>
    }

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

    /// By the driver's name for the order.
    var asked: [UInt64: Asked] = [:]
    var served: [SessionID: Served] = [:]
    /// Requests behind one of the same session, in the order in which they came.
    private(set) var waiting: [(session: SessionID, request: Request)] = []
    private var arriving: [SessionID: ArrivingLog] = [:]
    /// Bytes of the logs that the driver looks into, also on sessions that have ended since.
    private var lookedInto: [SessionID: Int] = [:]
    private var lastNumber: UInt64 = 0

    /// A number that no request of this device had.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// When an order of this device is given up next, or the beginning of an account log is dropped.
    var nextDeadline: UInt64? {
        (asked.values.map(\.deadline) + arriving.values.map(\.deadline)).min()
    }

    // MARK: Requests of others

    /// Bytes of account logs that came ahead of requests, of all sessions together, until these are answered.
    var logsByteCount: Int {
        arriving.values.reduce(0) { $0 + ($1.log?.byteCount ?? 0) }
            + waiting.reduce(0) { $0 + $1.request.aheadByteCount }
            + lookedInto.values.reduce(0, +)
    }

    /// Keeps entries of an account log ahead of a request; where more is held than may be, this log is passed over.
    /// - Parameters:
    ///   - entries: The next entries of the session.
    ///   - id: The session.
    ///   - account: The account of the session.
    ///   - deadline: When they are dropped, if they begin a log.
    ///   - room: Bytes of logs that may be held, of all sessions together.
    /// - Returns: Whether they may come at this place: false for another account's, for none, and for more than a log has.
    mutating func keep(
        _ entries: AccountEntries,
        on id: SessionID,
        of account: AccountID,
        until deadline: UInt64,
        room: Int
    ) -> Bool {
        var next = arriving[id] ?? ArrivingLog(deadline: deadline)
        // A guest cannot know whether its log is taken here, and may tell of the growth of its log at any time.
        if next.log?.isWhole == true { next = ArrivingLog(deadline: deadline) }
        guard next.log?.add(entries, of: account) != false else { return false }
        arriving[id] = next
        if logsByteCount > room { arriving[id]?.log = nil }
        return true
    }

    /// Whether the rest of a log that has begun is to come on a session.
    func expectsLog(on id: SessionID) -> Bool { arriving[id].map { $0.log?.isWhole != true } ?? false }

    /// Makes a request of a message and the account log that came ahead of it.
    ///
    /// Where messages of the log are missing, the request has no entries.
    mutating func request(_ write: GuestWrite, on id: SessionID) -> Request {
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

    /// The driver looks into a request.
    mutating func look(into request: Request, on id: SessionID) {
        served[id, default: Served()].current = request.write.number
        if request.aheadByteCount > 0 { lookedInto[id] = request.aheadByteCount }
    }

    /// The driver has looked into the request of a session, which may have ended.
    mutating func looked(on id: SessionID) { lookedInto[id] = nil }

    /// Drops the logs whose requests have not followed in time.
    mutating func dropLogs(at now: UInt64) { arriving = arriving.filter { now < $0.value.deadline } }

    func isWaiting(_ number: UInt64, on id: SessionID) -> Bool {
        waiting.contains { $0.session == id && $0.request.write.number == number }
    }

    mutating func wait(_ request: Request, on id: SessionID) {
        waiting.append((id, request))
    }

    /// Takes the next request of a session that waits.
    mutating func takeWaiting(of id: SessionID) -> Request? {
        waiting.firstIndex { $0.session == id }.map { waiting.remove(at: $0).request }
    }

    /// Drops the requests of sessions that have ended.
    mutating func forget(where hasEnded: (SessionID) -> Bool) {
        for id in served.keys.sorted() where hasEnded(id) { served[id] = nil }
        waiting.removeAll { hasEnded($0.session) }
        arriving = arriving.filter { !hasEnded($0.key) }
    }
}
