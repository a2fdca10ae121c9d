import Wire

// Writing in public zones for accounts that hold no right there. A guest writes no operations: it asks a device that rules the
// zone, which decides, writes them as its own, and answers once they are durable.
//
//     guest                              a device of an account that rules the zone
//       | -- accountEntries ----------->  |   of a log that is too long for the request: held, and looked into last
//       | -- guestWrite(n, writes) ---->  |   may the session read the zone? one request of a session at a time
//       |                                 |   one transaction decides and writes
//       | <- guestAnswer(n, results) ---  |
//       | <== runs, as ever ============  |
extension SyncCore {
    // MARK: As the guest

    mutating func requestWrite(_ order: GuestOrder, at now: UInt64, into effects: inout [SyncEffect]) {
        guard guests.asked.count < limits.guestOrderCountMax else {
            effects.append(.guestWriteSettled(order.id, .busy))
            return
        }
        guard let host = guestHost(of: order.zone, except: []) else {
            effects.append(.guestWriteSettled(order.id, .unreachable))
            return
        }
        let number = guests.nextNumber()
        guests.asked[order.id] = GuestDesk.Asked(
            order: order,
            session: host,
            number: number,
            deadline: now + limits.guestWriteMilliseconds
                + (order.entries.isLongLog ? limits.strangerPartsMilliseconds : 0),
            tried: [host]
        )
        send(order, as: number, to: host, into: &effects)
    }

    /// Sends a request, with a log that does not fit into it ahead of it.
    private func send(_ order: GuestOrder, as number: UInt64, to host: SessionID, into effects: inout [SyncEffect]) {
        for message in PeerMessage.guestWrite(order.message(number)).withLogAhead(of: account) {
            effects.append(.send(host, message))
        }
    }

    /// The nearest session with a device that writes for guests of a zone.
    private func guestHost(of zone: ZoneID, except tried: Set<SessionID>) -> SessionID? {
        guard zones[zone] != nil, let authority = authorities[zone] else { return nil }
        return sessions.values.filter { session in
            session.phase == .active && session.account != account && !tried.contains(session.id)
                && authority.writesForGuests(session.device, of: session.account)
        }.min {
            ($0.roundTripMilliseconds ?? .max, $0.id) < ($1.roundTripMilliseconds ?? .max, $1.id)
        }?.id
    }

    mutating func guestAnswer(_ answer: GuestAnswer, on id: SessionID, into effects: inout [SyncEffect]) {
        // An answer to an order that was given up comes too late.
        let found = guests.asked.first { $0.value.session == id && $0.value.number == answer.number }
        guard let (name, asked) = found else { return }
        switch answer.outcome {
        case .decided(let results) where results.count != asked.order.writes.count:
            closeForViolation(id, "an answer to other writes than the requested ones", into: &effects)
        case .refused(let code) where GuestRefusalCode(rawValue: code)?.isOthersChance == true:
            guard let other = guestHost(of: asked.order.zone, except: asked.tried) else { fallthrough }
            let number = guests.nextNumber()
            guests.asked[name]?.session = other
            guests.asked[name]?.number = number
            guests.asked[name]?.tried.insert(other)
            send(asked.order, as: number, to: other, into: &effects)
        case .decided, .refused:
            guests.asked[name] = nil
            effects.append(.guestWriteSettled(name, .answered(answer.outcome)))
        }
    }

    /// Settles orders that cannot be answered any more, and forgets sessions that have ended, and logs without a request.
    mutating func settleGuests(at now: UInt64, into effects: inout [SyncEffect]) {
        for name in guests.asked.keys.sorted() {
            guard let asked = guests.asked[name], sessions[asked.session] == nil || now >= asked.deadline else {
                continue
            }
            guests.asked[name] = nil
            effects.append(.guestWriteSettled(name, .unknown))
        }
        guests.dropLogs(at: now)
        let alive = Set(sessions.keys)
        guests.forget { !alive.contains($0) }
    }

    // MARK: As a device that rules the zone

    /// Keeps the log of an account of which nothing is known here until the request comes that it is ahead of.
    ///
    /// Nothing is held of an account that no zone here lets write: its requests are refused without it.
    mutating func logAhead(
        _ entries: AccountEntries,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let session = sessions[id], servesRequests(of: session) else { return }
        let isTaken = guests.keep(
            entries,
            on: id,
            of: session.account,
            until: now + limits.strangerPartsMilliseconds,
            room: limits.guestLogsByteCountMax
        )
        if !isTaken { closeForViolation(id, "no account log ahead of a guest's request", into: &effects) }
    }

    /// Whether a request of a session may have to be looked into, whatever it is.
    private func servesRequests(of session: PeerSession) -> Bool {
        zones.keys.contains { zone in
            guard let authority = authorities[zone] else { return false }
            return authority.writesForGuests(localDevice, of: account) && authority.mayLetWrite(session.account)
                && access(to: zone, for: session) == .everything
        }
    }

    mutating func guestWrite(_ write: GuestWrite, on id: SessionID, into effects: inout [SyncEffect]) {
        guard sessions[id] != nil else { return }
        let request = guests.request(write, on: id)
        let served = guests.served[id, default: GuestDesk.Served()]
        if let last = served.last, last.number == write.number {
            effects.append(.send(id, .guestAnswer(last)))
            return
        }
        if served.current == write.number || guests.isWaiting(write.number, on: id) { return }
        if let highest = served.highest, write.number < highest {
            closeForViolation(id, "a guest's request with an old number", into: &effects)
            return
        }
        if served.current != nil, guests.waiting.count >= limits.guestWaitingCountMax {
            effects.append(.send(id, .guestAnswer(GuestAnswer(number: write.number, .refused(.busy)))))
            return
        }
        guests.served[id, default: GuestDesk.Served()].highest = write.number
        if served.current == nil {
            serve(request, on: id, into: &effects)
        } else {
            guests.wait(request, on: id)
        }
    }

    private mutating func serve(_ request: GuestDesk.Request, on id: SessionID, into effects: inout [SyncEffect]) {
        let write = request.write
        // A device that may not read the zone does not learn that it exists.
        guard let session = sessions[id], session.account != account, zones[write.zone] != nil,
            access(to: write.zone, for: session) == .everything
        else {
            answerGuest(GuestAnswer(number: write.number, .refused(.unknownZone)), on: id, into: &effects)
            return
        }
        // Looking into a stranger's whole account log is work, which must have a point.
        if let refusal = refusalWithoutLook(of: write, by: session.account) {
            answerGuest(GuestAnswer(number: write.number, .refused(refusal)), on: id, into: &effects)
            return
        }
        if request.isWithoutRoom {
            answerGuest(GuestAnswer(number: write.number, .refused(.busy)), on: id, into: &effects)
            return
        }
        guests.look(into: request, on: id)
        effects.append(.serveGuestWrite(id, write))
    }

    /// Returns the reason why a request need not be looked into: this device does not write for guests, or nothing
    /// lets the account write.
    private func refusalWithoutLook(of write: GuestWrite, by other: AccountID) -> GuestRefusalCode? {
        guard let authority = authorities[write.zone], authority.writesForGuests(localDevice, of: account) else {
            return .notHere
        }
        return authority.mayLetWrite(other) ? nil : .refused
    }

    mutating func guestWriteServed(
        _ outcome: GuestAnswer.Outcome,
        of zone: ZoneID,
        number: UInt64,
        on id: SessionID,
        into effects: inout [SyncEffect]
    ) {
        guests.looked(on: id)
        guard let session = sessions[id], guests.served[id]?.current == number else { return }
        var told = outcome
        // Its right to read is checked again; without it the answer still does not deny that something was done.
        if case .decided = outcome, access(to: zone, for: session) != .everything { told = .refused(.uncertain) }
        answerGuest(GuestAnswer(number: number, told), on: id, into: &effects)
    }

    /// Answers, and continues with the waiting requests.
    private mutating func answerGuest(_ answer: GuestAnswer, on id: SessionID, into effects: inout [SyncEffect]) {
        guests.served[id, default: GuestDesk.Served()].current = nil
        guests.served[id]?.last = answer
        effects.append(.send(id, .guestAnswer(answer)))
        if let next = guests.takeWaiting(of: id) { serve(next, on: id, into: &effects) }
    }
}
