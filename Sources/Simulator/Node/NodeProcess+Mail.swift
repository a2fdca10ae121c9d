import Identity
import Mailbox
import Peering
import Sync
import Wire

// Parcels left with relays and taken from them: the driver's work in production.
extension NodeProcess {
    /// Whether there are relays with mailboxes.
    private var hasMail: Bool { !simulation.mailRelays.isEmpty }

    func feedMail(_ input: MailboxClient.Input) throws {
        guard hasMail else { return }
        isMailChanged = true
        var effects: [MailboxClient.Effect] = []
        mail.handle(input, at: monotonic, wall: node.wallMilliseconds, random: &mailRandom, into: &effects)
        var done = 0
        while done < effects.count {
            try perform(effects[done], more: &effects)
            done += 1
            guard done < 100_000 else {
                throw Violation(.caps, time: simulation.now, node: node.index, "endless mail")
            }
        }
    }

    /// Reports changes to the mail client: the connected devices, and the members.
    func settleMail() throws {
        guard hasMail else { return }
        let connected = core.sync.connectedDevices
        if connected != toldConnected {
            toldConnected = connected
            try feedMail(.connectedChanged(connected))
        }
        let members = ([log.state] + mailAccounts).flatMap { $0.activeDevices }
        if members != toldMembers {
            toldMembers = members
            try feedMail(.factsChanged(mailFacts, partners: mailPartners()))
        }
    }

    /// The other accounts whose devices use one of the relays.
    private var mailAccounts: [AccountState] {
        mailFacts.relays.reduce(into: Set<AccountID>()) { $0.formUnion($1.accounts) }.subtracting([log.account])
            .sorted().compactMap { contacts[$0]?.state }
    }

    private func mailPartners() -> [DeviceID: MailPartner] {
        var partners: [DeviceID: MailPartner] = [:]
        for account in [log.state] + mailAccounts {
            for member in account.activeDevices where member != device {
                guard let entry = account.devices[member], entry.role != .relayOnly,
                    let secret = try? PartnerSecret(own: keys.agreementKey, other: entry.certificate.agreementKey)
                else { continue }
                partners[member] = MailPartner(account: account.account, secret: secret)
            }
        }
        return partners
    }

    /// Reports that the account's book may name other relays.
    func readMailRelays() {
        guard hasMail else { return }
        simulation.schedule(after: 0, for: node) { node in
            try node.process?.feedMail(.factsMayHaveChanged)
        }
    }

    /// Reads which accounts use which relay.
    private func readMailFacts() {
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            do {
                let facts = try RelayAnnouncements(process.committer()).facts(in: node.disk.read())
                guard facts != process.mailFacts else { return }
                process.mailFacts = facts
                try process.feedMail(.factsChanged(facts, partners: process.mailPartners()))
                let used = Set(facts.relays.compactMap { $0.links.first?.relay })
                process.noteMail(isNews: true) { try PostedParcels($0).leaveForgotten(but: used, in: &$1) }
            } catch is StorageError {
                // The next change reads it again.
            }
        }
    }

    // MARK: From the relay

    func mailReceived(_ reply: MailboxReply, on id: UInt64, from relay: RelayID) throws {
        guard mailSessions[relay] == id else { return }
        try feedMail(.received(relay, reply))
        try settle()
    }

    func mailClosed(_ id: UInt64, by relay: RelayID) throws {
        guard mailSessions[relay] == id else { return }
        mailSessions[relay] = nil
        try feedMail(.closed(relay))
        try settle()
    }

    /// Handles the end of a delivery.
    func mailSettled(_ delivery: SessionID, isDone: Bool) throws {
        guard let (relay, parcel, isOwed) = mailDeliveries.removeValue(forKey: delivery) else { return }
        try feedMail(.taken(relay, parcel, isDone: isDone, isOwed: isOwed))
    }

    // MARK: Effects

    private func perform(_ effect: MailboxClient.Effect, more: inout [MailboxClient.Effect]) throws {
        switch effect {
        case .readFacts:
            readMailFacts()
        case .announce(let zone):
            enqueue(
                CommitJob { process, transaction in
                    try RelayAnnouncements(process.committer()).announce(in: zone, &transaction)
                } completion: { [unowned self] result in
                    if case .success = result { readMailRelays() }
                }
            )
        case .dial(let link, _):
            guard let relay = simulation.mailRelays.first(where: { $0.link.relay == link.relay }) else { return }
            relay.dial(from: node) { node, id in
                guard let process = node.process else { return }
                guard let id else { return try process.feedMail(.closed(link.relay)) }
                process.mailSessions[link.relay] = id
                try process.feedMail(.opened(link.relay))
                try process.settle()
            }
        case .close(let relay):
            if let id = mailSessions.removeValue(forKey: relay) { self.relay(relay)?.hangUp(id) }
        case .send(let relay, let request):
            if let id = mailSessions[relay] { self.relay(relay)?.send(request, on: id) }
        case .draft(let relay, let demand):
            let room = simulation.options.hasNarrowWindows ? 5_000 : ParcelDraft.usualByteCount
            readMail { [simulation, node] in
                let draft = try ParcelDrafting($0).draft(demand, byteCount: room, in: $1)
                for message in try (draft?.messages ?? []).map(PeerMessage.init(decoding:)) {
                    try simulation.judge.told(message, to: demand.device, of: demand.account, by: node, in: simulation)
                }
                return draft
            } then: {
                .drafted(relay, demand, $0 ?? nil)
            }
        case .readPosted(let relay):
            readMail {
                try PostedParcels($0).all(on: relay, in: $1)
            } then: {
                .postedRead(relay, $0 ?? [])
            }
        case .take(let relay, let parcel, let device, let account, let messages):
            let known = messages.compactMap { try? PeerMessage(decoding: $0) }
            let id = simulation.makeNumber() | 1 << 63
            simulation.statistics.parcels += 1
            let delivery = MailDelivery(id: id, device: device, account: account, messages: known)
            mailDeliveries[id] = (relay, parcel, delivery.isOwed)
            try feed(.mailed(delivery))
        case .notePosted(let parcel):
            noteMail { try PostedParcels($0).posted(parcel, in: &$1) }
        case .noteMissing(let parcels):
            noteMail(isNews: true) { try PostedParcels($0).missed(parcels, in: &$1) }
        case .noteSettled(let parcels):
            noteMail { try PostedParcels($0).settled(parcels, in: &$1) }
        case .claimed(let claimed):
            try step { $0.heard(claimed, in: &$1) }
        case .reportForeign:
            break
        }
    }

    private func relay(_ id: RelayID) -> VirtualRelay? {
        simulation.mailRelays.first { $0.link.relay == id }
    }

    private func readMail<Value>(
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
            try process.feedMail(input(value))
            try process.settle()
        }
    }

    private func noteMail<Value>(
        isNews: Bool = false,
        _ job: @escaping (Committer, inout MemoryStore) throws -> Value
    ) {
        enqueue(
            CommitJob { process, transaction in
                _ = try job(process.committer(), &transaction)
                return CommitNotice()
            } completion: { [unowned self] result in
                if isNews, case .success = result { try feedMail(.changed) }
            }
        )
    }
}
