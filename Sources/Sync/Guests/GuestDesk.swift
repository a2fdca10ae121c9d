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

    /// By the driver's name for the order.
    var asked: [UInt64: Asked] = [:]
    var served: [SessionID: Served] = [:]
    /// Requests behind one of the same session, in the order in which they came.
    private(set) var waiting: [(session: SessionID, write: GuestWrite)] = []
    private var lastNumber: UInt64 = 0

    /// A number that no request of this device had.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// The next time at which an order of this device is given up.
    var nextDeadline: UInt64? { asked.values.map(\.deadline).min() }

    func isWaiting(_ number: UInt64, on id: SessionID) -> Bool {
        waiting.contains { $0.session == id && $0.write.number == number }
    }

    mutating func wait(_ write: GuestWrite, on id: SessionID) {
        waiting.append((id, write))
    }

    /// Takes the next request of a session that waits.
    mutating func takeWaiting(of id: SessionID) -> GuestWrite? {
        waiting.firstIndex { $0.session == id }.map { waiting.remove(at: $0).write }
    }

    /// Drops the requests of sessions that have ended.
    mutating func forget(where hasEnded: (SessionID) -> Bool) {
        for id in served.keys.sorted() where hasEnded(id) { served[id] = nil }
        waiting.removeAll { hasEnded($0.session) }
    }
}
