import Identity
import Mailbox
import Peering
import Sync
import Wire

/// The parcels that a process leaves with relays and takes from them: the driver of the mail
/// client.
final class ProcessMail {
    private unowned let process: NodeProcess
    private var client: MailboxClient
    private var random: SeededGenerator
    private var facts = MailFacts()
    private var sessions: [RelayID: UInt64] = [:]
    /// Parcels that the synchronisation core takes in.
    private var deliveries: [SessionID: (relay: RelayID, parcel: ParcelID, isOwed: Bool)] = [:]
    /// The connected devices and the members, as last reported to the client.
    private var toldConnected: Set<DeviceID> = []
    private var toldMembers: [DeviceID] = []
    private var isChanged = true
    private var lastDue: UInt64?

    init(_ process: NodeProcess) {
        let node = process.node
        self.process = process
        client = MailboxClient(localDevice: process.device)
        random = SeededGenerator(
            seed: process.simulation.seed ^ UInt64(node.index) << 40 ^ UInt64(process.life) << 24
        )
    }

    private var node: SimulatedNode { process.node }
    private var simulation: Simulation { process.simulation }

    /// Whether there are relays with mailboxes.
    private var isUsed: Bool { !simulation.mailRelays.isEmpty }

    /// The state of the relays in use.
    var relayStates: [MailboxClient.RelayState] { client.relayStates }

    /// The time at which the client wants to be asked again.
    var nextDue: UInt64? {
        if isChanged {
            isChanged = false
            lastDue = client.nextDeadline
        }
        return lastDue
    }

    /// Gives the client an input, and performs the effects.
    func feed(_ input: MailboxClient.Input) throws {
        guard isUsed else { return }
        isChanged = true
        var effects: [MailboxClient.Effect] = []
        client.handle(input, at: process.monotonic, wall: node.wallMilliseconds, random: &random, into: &effects)
        for effect in effects { try perform(effect) }
    }

    /// Reports changes to the client: the connected devices, and the members.
    func settle() throws {
        guard isUsed else { return }
        let connected = process.core.sync.connectedDevices
        if connected != toldConnected {
            toldConnected = connected
            try feed(.connectedChanged(connected))
        }
        let members = facts.accounts(process.log.state, contacts).flatMap { $0.activeDevices }
        if members != toldMembers {
            toldMembers = members
            try feed(.factsChanged(facts, partners: partners))
        }
    }

    private var contacts: [AccountID: AccountState] { process.account.contactLogs.mapValues(\.state) }

    private var partners: [DeviceID: MailPartner] { facts.partners(of: process.keys, process.log.state, contacts) }

    /// Reports that the account's book may name other relays.
    func readRelays() {
        guard isUsed else { return }
        simulation.schedule(after: 0, for: node) { node in
            try node.process?.mail.feed(.factsMayHaveChanged)
        }
    }

    /// Reads which accounts use which relay.
    private func readFacts() {
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            do {
                let facts = try RelayAnnouncements(process.committer()).facts(in: node.disk.read())
                try process.mail.factsRead(facts)
            } catch is StorageError {
                // The next change reads it again.
            }
        }
    }

    private func factsRead(_ facts: MailFacts) throws {
        guard facts != self.facts else { return }
        self.facts = facts
        try feed(.factsChanged(facts, partners: partners))
        let used = Set(facts.relays.compactMap { $0.links.first?.relay })
        note(isNews: true) { try PostedParcels($0).leaveForgotten(but: used, in: &$1) }
    }

    // MARK: From the relay

    /// Handles the answer of a relay to a dial; without a session it cannot be reached.
    private func answered(_ relay: RelayID, _ session: UInt64?) throws {
        guard let session else { return try feed(.closed(relay)) }
        sessions[relay] = session
        try feed(.opened(relay))
        try process.settle()
    }

    /// Handles a message of a relay.
    func received(_ reply: MailboxReply, on id: UInt64, from relay: RelayID) throws {
        guard sessions[relay] == id else { return }
        try feed(.received(relay, reply))
        try process.settle()
    }

    /// Handles the end of a session with a relay.
    func closed(_ id: UInt64, by relay: RelayID) throws {
        guard sessions[relay] == id else { return }
        sessions[relay] = nil
        try feed(.closed(relay))
        try process.settle()
    }

    /// Handles the end of a delivery.
    func settled(_ delivery: SessionID, _ outcome: MailOutcome) throws {
        guard let (relay, parcel, isOwed) = deliveries.removeValue(forKey: delivery) else { return }
        try feed(.taken(relay, parcel, outcome, isOwed: isOwed))
    }

    // MARK: Effects

    private func perform(_ effect: MailboxClient.Effect) throws {
        switch effect {
        case .readFacts:
            readFacts()
        case .announce(let zone):
            process.commits.enqueue { process, transaction in
                try RelayAnnouncements(process.committer()).announce(in: zone, &transaction)
            } completion: { [unowned self] result in
                if case .success = result { readRelays() }
            }
        case .dial(let link, _):
            relay(link.relay)?.dial(from: node) { try $0.process?.mail.answered(link.relay, $1) }
        case .close(let relay):
            if let id = sessions.removeValue(forKey: relay) { self.relay(relay)?.hangUp(id) }
        case .send(let relay, let request):
            if let id = sessions[relay] { self.relay(relay)?.send(request, on: id) }
        case .draft(let relay, let demand):
            draft(demand, for: relay)
        case .readPosted(let relay):
            read {
                try PostedParcels($0).all(on: relay, in: $1)
            } then: {
                .postedRead(relay, $0 ?? [])
            }
        case .take(let relay, let parcel, let device, let account, let messages):
            let known = messages.compactMap { try? PeerMessage(decoding: $0) }
            let id = simulation.makeNumber() | 1 << 63
            simulation.statistics.parcels += 1
            let delivery = MailDelivery(id: id, device: device, account: account, messages: known)
            deliveries[id] = (relay, parcel, delivery.isOwed)
            try process.feed(.mailed(delivery))
        case .notePosted(let parcel):
            note { try PostedParcels($0).posted(parcel, in: &$1) }
        case .noteMissing(let parcels):
            note(isNews: true) { try PostedParcels($0).missed(parcels, in: &$1) }
        case .noteSettled(let parcels):
            note { try PostedParcels($0).forget(parcels, in: &$1) }
        case .claimed(let claimed):
            try process.step { $0.heard(claimed, in: &$1) }
        case .reportForeign:
            break
        }
    }

    private func relay(_ id: RelayID) -> VirtualRelay? {
        simulation.mailRelays.first { $0.link.relay == id }
    }

    private func draft(_ demand: ParcelDemand, for relay: RelayID) {
        let room = simulation.options.hasNarrowWindows ? 5_000 : ParcelDraft.usualByteCount
        read { [simulation, node] in
            let draft = try ParcelDrafting($0).draft(demand, byteCount: room, in: $1)
            for message in try (draft?.messages ?? []).map(PeerMessage.init(decoding:)) {
                try simulation.judge.told(message, to: demand.device, of: demand.account, by: node, in: simulation)
            }
            return draft
        } then: {
            .drafted(relay, demand, $0 ?? nil)
        }
    }

    private func read<Value>(
        _ body: @escaping (Committer, MemoryStore) throws -> Value,
        then input: @escaping (Value?) -> MailboxClient.Input
    ) {
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            var value: Value?
            do {
                value = try body(process.committer(), node.disk.read())
            } catch is StorageError {
                // It is asked again, as in production.
            }
            try process.mail.feed(input(value))
            try process.settle()
        }
    }

    private func note<Value>(
        isNews: Bool = false,
        _ job: @escaping (Committer, inout MemoryStore) throws -> Value
    ) {
        process.commits.enqueue { process, transaction in
            _ = try job(process.committer(), &transaction)
            return CommitNotice()
        } completion: { [unowned self] result in
            if isNews, case .success = result { try feed(.changed([])) }
        }
    }
}
