import Identity
import Mailbox
import Peering
import Wire

/// An external relay that keeps mailboxes: its production core over storage in memory, with all faults that a relay
/// may have.
package final class VirtualRelay {
    /// A temporary fault of a relay.
    enum Fault: CaseIterable {
        /// It does not answer.
        case off
        /// It has no room.
        case full
        /// It claims to keep parcels that it does not keep.
        case forgetful
        /// It claims that it has no parcels.
        case withholding
        /// It does not delete.
        case replaying
        /// It delivers altered bytes.
        case altering
    }

    /// The link by which the account reaches it.
    let link: RelayLink
    /// Its present fault.
    private(set) var fault: Fault?
    private unowned let simulation: Simulation
    private var core = MailboxRelay(backend: "memory")
    private var parcels = MemoryParcels()
    private var sessions: [UInt64: (node: SimulatedNode, life: Int)] = [:]
    private var random: SeededGenerator
    private var image: MemoryParcels?

    /// The longest delay between a node and the relay, in milliseconds.
    private static let delayMilliseconds: UInt64 = 40
    /// The interval at which it looks at its clock, in milliseconds.
    private static let tickMilliseconds: UInt64 = 10_000

    init(_ simulation: Simulation, index: Int) throws {
        self.simulation = simulation
        random = SeededGenerator(seed: simulation.seed ^ 0x5245_4C41 &+ UInt64(index))
        let keys = try RelayKeys(seed: random.bytes(RelayKeys.seedByteCount))
        let secret = random.bytes(RelayLink.secretByteCount)
        link = try RelayLink(
            relay: keys.id,
            channelSecret: keys.channelSecret(),
            admissionSecret: secret,
            addresses: ["relay-\(index):1"]
        )
        try parcels.admit(Admission(id: AdmissionID(secret: secret), name: "", quota: 1 << 30, since: 0))
        tickLater()
    }

    // MARK: Faults

    /// Begins a fault, in place of the one before.
    func begin(_ fault: Fault?) {
        self.fault = fault
        guard fault == .off else { return }
        core = MailboxRelay(backend: "memory")
        for (id, session) in sessions.sorted(by: { $0.key < $1.key }) { end(id, session) }
        sessions = [:]
    }

    /// Keeps an image of its parcels, for a rollback.
    func keepImage() { image = parcels }

    /// Rolls its parcels back to the kept image.
    func setBack() {
        if let image { parcels = image }
    }

    /// Loses all parcels, and no admission.
    func loseAll() {
        let admitted = parcels.admissions().map(\.admission)
        parcels = MemoryParcels()
        // The relay admitted no more accounts before, so there is room for all.
        for admission in admitted { try? parcels.admit(admission) }
    }

    /// The number of parcels kept.
    var parcelCount: UInt64 { parcels.admissions().reduce(0) { $0 + $1.parcelCount } }

    // MARK: Sessions

    /// Dials the relay for a node.
    func dial(from node: SimulatedNode, then opened: @escaping (SimulatedNode, UInt64?) throws -> Void) {
        let life = node.life
        simulation.schedule(after: delay(), for: node) { [self] node in
            guard fault != .off else { return try opened(node, nil) }
            let id = simulation.makeNumber()
            sessions[id] = (node, life)
            try opened(node, id)
            try handle(.opened(id))
        }
    }

    /// Sends a node's request to the relay.
    func send(_ request: MailboxRequest, on id: UInt64) {
        let bytes = request.encoded
        simulation.schedule(at: simulation.now + delay()) { [self] in
            guard fault != .off, let session = sessions[id] else { return }
            try simulation.judge.left(bytes, by: session.node, in: simulation)
            try handle(.received(id, try MailboxRequest(decoding: bytes)))
        }
    }

    /// Hangs up a node's session.
    func hangUp(_ id: UInt64) {
        sessions[id] = nil
        var effects: [MailboxRelay.Effect] = []
        core.handle(.closed(id), at: simulation.now, wall: wall, into: &effects)
    }

    private var wall: UInt64 { Simulation.wallStart + simulation.now }

    private func delay() -> UInt64 { random.number(1...Self.delayMilliseconds) }

    private func tickLater() {
        simulation.schedule(at: simulation.now + Self.tickMilliseconds) { [self] in
            _ = parcels.expire(at: wall, limit: 1_000)
            if fault != .off { try handle(.tick) }
            tickLater()
        }
    }

    private func handle(_ input: MailboxRelay.Input) throws {
        var effects: [MailboxRelay.Effect] = []
        core.handle(input, at: simulation.now, wall: wall, into: &effects)
        for effect in effects {
            switch effect {
            case .send(let id, let reply):
                try answer(reply, on: id)
            case .perform(let id, let order):
                let answer = answer(to: order)
                simulation.schedule(at: simulation.now + 1) { [self] in
                    if fault != .off { try handle(.answered(id, answer)) }
                }
            case .pause, .resume:
                // A client makes one request at a time.
                break
            case .close(let id, _):
                if let session = sessions.removeValue(forKey: id) { end(id, session) }
            }
        }
    }

    private func answer(_ reply: MailboxReply, on id: UInt64) throws {
        guard let session = sessions[id], session.node.life == session.life else { return }
        let decoded = try MailboxReply(decoding: reply.encoded)
        simulation.schedule(after: delay(), for: session.node) { [link] node in
            try node.process?.mail.received(decoded, on: id, from: link.relay)
        }
    }

    private func end(_ id: UInt64, _ session: (node: SimulatedNode, life: Int)) {
        guard session.node.life == session.life else { return }
        simulation.schedule(after: 0, for: session.node) { [link] node in
            try node.process?.mail.closed(id, by: link.relay)
        }
    }

    private func answer(to order: MailboxRelay.Order) -> MailboxRelay.Answer {
        switch order {
        case .enter(let id):
            return .entered(parcels.admission(id))
        case .put(let admission, let mailbox, let parcel, let until):
            if fault == .full { return .put(.full) }
            if fault == .forgetful { return .put(.stored) }
            let deposit = ParcelDeposit(
                admission: admission,
                mailbox: mailbox,
                parcel: parcel,
                until: until,
                room: ParcelRoom(total: 1 << 40)
            )
            return .put(parcels.put(deposit))
        case .look(let mailboxes):
            if fault == .withholding { return .listed([]) }
            return .listed(parcels.parcels(in: mailboxes, limit: Limits.parcelCountMax))
        case .fetch(let mailbox, let parcel):
            var bytes = parcels.parcel(parcel, in: mailbox)
            if fault == .altering, let count = bytes?.count { bytes?[random.index(below: count)] ^= 1 }
            return .parcel(bytes)
        case .remove(let mailbox, let ids):
            if fault != .replaying { parcels.remove(ids, from: mailbox) }
            return .removed
        case .check(let mailbox, let ids, let withdrawn):
            if fault != .replaying { parcels.remove(withdrawn, from: mailbox) }
            return .held(parcels.held(ids, in: mailbox))
        case .claim(let admission, let slot, let value, let until):
            let room = ParcelRoom(total: 1 << 40)
            let claim = SlotClaim(admission: admission, slot: slot, value: value, until: until, room: room)
            return .claimed(fault == .full ? .full : parcels.claim(claim))
        case .give(let passes, let giver, let now, let until):
            return .given(parcels.give(passes, under: giver, at: now, until: until))
        }
    }
}
