import Identity
import Mailbox
import Sync
import Wire

// What is left with relays and taken from them: what the driver does in production.
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
                throw Violation(.caps, time: simulation.now, node: node.index, "mail without end")
            }
        }
    }

    /// Tells the mail what has changed: who is connected, and who there is.
    func settleMail() throws {
        guard hasMail else { return }
        let connected = core.connectedDevices
        if connected != toldConnected {
            toldConnected = connected
            try feedMail(.connectedChanged(connected))
        }
        let members = log.state.activeDevices
        if members != toldMembers {
            toldMembers = members
            try feedMail(.partnersChanged(partners(members)))
        }
    }

    private func partners(_ members: [DeviceID]) -> [DeviceID: PartnerSecret] {
        var partners: [DeviceID: PartnerSecret] = [:]
        for member in members where member != device {
            guard let entry = log.state.devices[member], entry.role != .relayOnly else { continue }
            partners[member] = try? PartnerSecret(own: keys.agreementKey, other: entry.certificate.agreementKey)
        }
        return partners
    }

    /// Reads which relays the account uses.
    func readMailRelays() {
        guard hasMail else { return }
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            do {
                let uses = try process.committer().relays(node.disk.read())
                guard uses != process.mailRelays else { return }
                process.mailRelays = uses
                try process.feedMail(.relaysChanged(uses.map(\.link)))
                process.noteMail(isNews: true) { try $0.leaveForgottenRelays(in: &$1) }
            } catch is StorageError {
                // The next change of the book reads it again.
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

    /// A delivery was dealt with.
    func mailSettled(_ delivery: SessionID, isDone: Bool) throws {
        guard let (relay, parcel, isOwed) = mailDeliveries.removeValue(forKey: delivery) else { return }
        try feedMail(.taken(relay, parcel, isDone: isDone, isOwed: isOwed))
    }

    // MARK: Effects

    private func perform(_ effect: MailboxClient.Effect, more: inout [MailboxClient.Effect]) throws {
        switch effect {
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
            readMail {
                try $0.draft(demand, byteCount: room, in: $1)
            } then: {
                .drafted(relay, demand, $0 ?? nil)
            }
        case .readPosted(let relay):
            readMail {
                try $0.postedParcels(on: relay, in: $1)
            } then: {
                .postedRead(relay, $0 ?? [])
            }
        case .take(let relay, let parcel, let device, let messages):
            let known = messages.compactMap { try? PeerMessage(decoding: $0) }
            let id = simulation.makeNumber() | 1 << 63
            simulation.statistics.parcels += 1
            let delivery = MailDelivery(id: id, device: device, account: log.account, messages: known)
            mailDeliveries[id] = (relay, parcel, delivery.isOwed)
            try feed(.mailed(delivery))
        case .notePosted(let parcel):
            noteMail { try $0.posted(parcel, in: &$1) }
        case .noteMissing(let parcels):
            noteMail(isNews: true) { try $0.missed(parcels, in: &$1) }
        case .noteSettled(let parcels):
            noteMail { try $0.settled(parcels, in: &$1) }
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
