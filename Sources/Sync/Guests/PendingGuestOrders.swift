import Wire

/// The requests of this device to write in public zones in which its account holds no right.
///
/// A guest writes no operations: it asks a device that rules the zone, which decides, writes them as its own, and
/// answers once they are durable.
///
///     guest                              a device of an account that rules the zone
///       | -- accountEntries ----------->  |   of a log that is too long for the request: held, and looked into last
///       | -- guestWrite(n, writes) ---->  |   may the session read the zone? one request of a session at a time
///       |                                 |   one transaction decides and writes
///       | <- guestAnswer(n, results) ---  |
///       | <== runs, as ever ============  |
struct PendingGuestOrders: Sendable {
    /// An order on its way.
    struct Asked: Sendable {
        let order: GuestOrder
        var session: SessionID
        var number: UInt64
        let deadline: UInt64
        /// The sessions that were asked, including this one.
        var tried: Set<SessionID>
    }

    /// By the driver's name for the order.
    private(set) var asked: [UInt64: Asked] = [:]
    private var lastNumber: UInt64 = 0

    /// When an order is given up next.
    var nextDeadline: UInt64? { asked.values.map(\.deadline).min() }

    /// Sends an order to a device that rules its zone.
    mutating func request(_ order: GuestOrder, in replication: inout Replication) {
        let limits = replication.context.limits
        guard asked.count < limits.guestOrderCountMax else {
            return settle(order.id, .busy, in: &replication)
        }
        guard let host = host(of: order.zone, except: [], replication) else {
            return settle(order.id, .unreachable, in: &replication)
        }
        let patience =
            limits.guestWriteMilliseconds + (order.entries.isLongLog ? limits.strangerPartsMilliseconds : 0)
        asked[order.id] = Asked(
            order: order,
            session: host,
            number: send(order, to: host, in: &replication),
            deadline: replication.context.now + patience,
            tried: [host]
        )
    }

    /// Sends a request, with a log that does not fit into it ahead of it.
    /// - Returns: Its number, which no request of this device had.
    private mutating func send(_ order: GuestOrder, to host: SessionID, in replication: inout Replication) -> UInt64 {
        lastNumber += 1
        let request = PeerMessage.guestWrite(order.message(lastNumber))
        for message in request.withLogAhead(of: replication.rights.account) { replication.send(message, to: host) }
        return lastNumber
    }

    private mutating func settle(_ order: UInt64, _ settlement: GuestSettlement, in replication: inout Replication) {
        asked[order] = nil
        replication.context.effects.append(.guestWriteSettled(order, settlement))
    }

    /// The nearest session with a device that writes for guests of a zone.
    private func host(of zone: ZoneID, except tried: Set<SessionID>, _ replication: Replication) -> SessionID? {
        let rights = replication.rights
        guard rights.zones[zone] != nil, let authority = rights.authorities[zone] else { return nil }
        return replication.sessions.values.filter { session in
            session.isActive && session.account != rights.account && !tried.contains(session.id)
                && authority.writesForGuests(session.device, of: session.account)
        }.min {
            ($0.liveness.roundTripMilliseconds ?? .max, $0.id) < ($1.liveness.roundTripMilliseconds ?? .max, $1.id)
        }?.id
    }

    /// Takes in the answer of such a device; another one may be asked then.
    mutating func take(_ answer: GuestAnswer, on id: SessionID, in replication: inout Replication) {
        // An answer to an order that was given up comes too late.
        let found = asked.first { $0.value.session == id && $0.value.number == answer.number }
        guard let (name, order) = found.map({ ($0.key, $0.value.order) }) else { return }
        switch answer.outcome {
        case .decided(let results) where results.count != order.writes.count:
            replication.closeForViolation(id, "an answer to other writes than the requested ones")
        case .refused(let code) where GuestRefusalCode(rawValue: code)?.isOthersChance == true:
            guard let other = host(of: order.zone, except: asked[name]?.tried ?? [], replication) else { fallthrough }
            let number = send(order, to: other, in: &replication)
            asked[name]?.session = other
            asked[name]?.number = number
            asked[name]?.tried.insert(other)
        case .decided, .refused:
            settle(name, .answered(answer.outcome), in: &replication)
        }
    }

    /// Gives up orders that cannot be answered any more.
    mutating func giveUpUnanswered(in replication: inout Replication) {
        for (name, order) in asked.sorted(by: { $0.key < $1.key })
        where replication.sessions[order.session] == nil || replication.context.now >= order.deadline {
            settle(name, .unknown, in: &replication)
        }
    }
}
