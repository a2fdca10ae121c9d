import Identity
import Records
import Sync
import Wire

/// The applications on all nodes that send, receive and finish messages, with the promises made to them.
///
/// Each message has a new content, and a few have more than their records can hold. A message that an application has
/// finished is never delivered to it again, unless the disk was rolled back to before that: then until its own
/// receipt comes back.
package final class Messenger {
    struct Sent {
        let id: MessageID
        let zone: ZoneID
        let node: Int
        let expires: UInt64?
        /// The payload, where the content travels apart.
        let payload: PayloadID?
        /// The incarnation of the store that it was sent from.
        let incarnation: Incarnation?
    }

    unowned let simulation: Simulation
    private var random: SeededGenerator
    private var sent: [String: Sent] = [:]
    private var markCount = 0
    /// The messages finished on each node, with the incarnation of its store at that time.
    private(set) var finished: [Int: [MessageID: Incarnation]] = [:]
    /// The uploaded payloads.
    var handedIn: [PayloadID: [UInt8]] = [:]
    /// The payload uploaded last.
    var latestPayload: PayloadID?
    /// The share of messages with more content than their records can hold.
    var payloadShare = 0.1
    /// A separate source of randomness for payloads, so that they change nothing else.
    var payloadRandom: SeededGenerator
    /// The number of messages delivered.
    private(set) var handedCount = 0

    /// Creates the applications of a world.
    init(_ simulation: Simulation, seed: UInt64) {
        self.simulation = simulation
        random = SeededGenerator(seed: seed)
        payloadRandom = SeededGenerator(seed: ~seed)
    }

    /// The judge; `nil` in a world that no judge of laws watches.
    var judge: Judge? { simulation.judge as? Judge }

    /// Plans the actions of applications in a stretch of time.
    func plan(until end: UInt64, perMinute: Double) {
        let count = Int(Double(end - simulation.now) / 60_000 * perMinute)
        for _ in 0..<count {
            simulation.schedule(at: random.number(simulation.now...end)) { [self] in try act() }
        }
    }

    private func act() throws {
        guard let node = random.element(of: simulation.workplaces) else { return }
        if random.chance(0.4) {
            try send(on: node)
        } else {
            try takeInbox(on: node, share: random.chance(0.5) ? 1 : 0.4)
        }
    }

    /// Sends a message from an application to readers of a zone that its node has.
    func send(on node: SimulatedNode) throws {
        guard node.isRunning, let store = node.store,
            let zone = random.element(of: try store.zones().filter { $0.state == .live && !$0.isInternal })
        else { return }
        markCount += 1
        let text = "message \(markCount)"
        var draft = SentMessages.Draft(content: .text(text), contentType: "text/plain")
        if random.chance(0.1) { draft.expires = node.wallMilliseconds + random.number(5_000...120_000) }
        if random.chance(0.4), let account = random.element(of: simulation.accounts) { draft.recipients = [account.id] }
        if random.chance(0.2), let other = sent.values.filter({ $0.zone == zone.id }).map(\.id).min() {
            draft.reference = Message.Reference(relation: random.chance(0.5) ? .reply : .edit, id: other)
        }
        if payloadRandom.chance(payloadShare) {
            send(draft, saying: text, apart: largeContent(text), zone: zone.id, on: node)
        } else {
            send(draft, saying: text, zone: zone.id, on: node)
        }
    }

    /// Sends a message of some hundred kilobytes to all readers of a zone.
    func sendLarge(on node: SimulatedNode, zone: ZoneID) {
        markCount += 1
        let text = "message \(markCount)"
        let draft = SentMessages.Draft(content: .text(text), contentType: "text/plain")
        send(draft, saying: text, apart: largeContent(text, isOfManyChunks: true), zone: zone, on: node)
    }

    private func send(
        _ draft: SentMessages.Draft,
        saying text: String,
        apart bytes: [UInt8],
        zone: ZoneID,
        on node: SimulatedNode
    ) {
        handIn(bytes, on: node, zone: zone) { [self] payload in
            var draft = draft
            draft.contentType = "application/octet-stream"
            draft.payload = payload
            send(draft, saying: text, zone: zone, on: node)
        }
    }

    private func send(_ draft: SentMessages.Draft, saying text: String, zone: ZoneID, on node: SimulatedNode) {
        judge?.statements.handsIn(draft, saying: text, on: node)
        var row: MessageRow?
        var hasWants = false
        var unprotected: DeviceID?
        node.process?.commits.enqueue { process, transaction in
            let committer = process.committer()
            let sent = try InboxRound(committer).send([draft], zone: zone, in: &transaction)
            row = try sent.value.get().first
            hasWants = sent.intake.hasWants
            if let row { unprotected = try self.unprotected(row, committer, transaction) }
            return sent.intake.notice
        } completion: { [self] result in
            // A message is refused if it has no recipient or one that is no reader, or if its sender has no key
            // or right at present.
            guard case .success = result, let row else { return }
            node.process?.storeWork.messagesEntered(hasWants: hasWants)
            if let unprotected {
                throw violation(
                    node,
                    "\(text) was sealed to the certificate of \(unprotected.shortText), which had stated a prekey"
                )
            }
            sent[text] = Sent(
                id: row.id,
                zone: zone,
                node: node.index,
                expires: draft.expires,
                payload: draft.payload,
                incarnation: try node.store?.incarnation()
            )
        }
    }

    /// A device for which a message is not sealed as the device has asked for.
    private func unprotected(
        _ row: MessageRow,
        _ committer: Committer,
        _ transaction: MemoryStore
    ) throws -> DeviceID? {
        let author = try MessageRecords(committer).authors(in: row.zone, transaction)
        return try MessageRecords(committer).message(of: row, in: transaction)?.devicesWithoutPrekey.first { device in
            let tag = try RecordTag(of: Prekey.name(of: device), zone: row.zone, in: transaction)
            guard let record = try transaction.record(zone: row.zone, tag: tag) else { return false }
            return try Prekey(record, device: author)?.device == device
        }
    }

    /// Reads the inbox of an application, which finishes a share of the messages.
    private func takeInbox(on node: SimulatedNode, share: Double) throws {
        guard let process = node.process, let store = node.store else { return }
        let (committer, incarnation) = (process.committer(), try store.incarnation())
        for row in try store.waitingMessages(after: 0, limit: 100)
        where try !Inbox(committer).hasFinished(row, in: store) {
            handedCount += 1
            if let incarnation, finished[node.index]?[row.id] == incarnation {
                throw violation(node, "the message \(row.id.text) was delivered after it had been finished")
            }
            try judge?.statements.checkDelivered(row, on: node, store)
            if let payload = row.payload { try checkHanded(payload, of: row, on: node, committer, store) }
            guard random.chance(share), let incarnation else { continue }
            var isFinished = false
            judge?.statements.finishes(row.id, on: node)
            process.commits.enqueue { process, transaction in
                let outcome = try Inbox(process.committer()).finish([row.id], in: &transaction)
                isFinished = outcome.reply.isEmpty
                return outcome.notice
            } completion: { [self] result in
                if case .success = result, isFinished { finished[node.index, default: [:]][row.id] = incarnation }
            }
        }
    }

    // MARK: Messages that expire

    /// Sends a message to all readers that expires after an hour by its sender's clock, which is right.
    func sendGoodForAnHour(on node: SimulatedNode) throws {
        guard let zone = try node.store?.zones().first(where: { $0.state == .live && !$0.isInternal }) else { return }
        markCount += 1
        let text = "message \(markCount)"
        let draft = SentMessages.Draft(
            content: .text(text),
            contentType: "text/plain",
            expires: node.wallMilliseconds + 3_600_000
        )
        send(draft, saying: text, zone: zone.id, on: node)
    }

    /// Checks that no node has lost a message that has not expired.
    /// - Parameter members: The nodes that must have all of them.
    /// - Throws: ``Violation``, or errors of a store.
    func checkGoodForAnHour(_ members: [SimulatedNode]) throws {
        let now = Simulation.wallStart + simulation.now
        for (text, message) in sent.sorted(by: { $0.value.id < $1.value.id }) {
            guard let end = message.expires, end > now else { continue }
            for node in members {
                guard let store = node.store else { continue }
                guard try record(of: message, in: store) != nil else {
                    throw violation(node, "\(text) is deleted here, and valid for \(end - now) ms")
                }
                let state = try store.message(message.id)?.state
                let expected: MessageRow.State = message.node == node.index ? .sent : .waiting
                guard state == expected || state == .finished else {
                    let now = state.map { "\($0)" } ?? "gone"
                    throw violation(node, "\(text) is still valid, and \(now) here")
                }
            }
        }
    }

    // MARK: In the end

    /// Finishes all waiting messages on the given nodes.
    func drain(_ nodes: [SimulatedNode]) throws {
        for node in nodes { try takeInbox(on: node, share: 1) }
    }

    /// Whether a message waits for an application.
    func isAnythingWaiting(on nodes: [SimulatedNode]) throws -> Bool {
        try nodes.contains { try $0.store?.waitingMessages(after: 0, limit: 1).isEmpty == false }
    }

    /// Checks that each message has reached all its recipients, and that its sender knows the state of each delivery.
    /// - Parameters:
    ///   - members: The running nodes that belong to their accounts.
    ///   - readers: The members that must hold all of a zone; all of them for a zone that is not listed.
    ///   - areFinished: Whether everything was finished.
    /// - Throws: ``Violation``, or errors of a store.
    func check(
        _ members: [SimulatedNode],
        readers: [ZoneID: [SimulatedNode]],
        areFinished: Bool
    ) throws {
        for (text, message) in sent.sorted(by: { $0.value.id < $1.value.id }) where message.expires == nil {
            let nodes = readers[message.zone] ?? members
            // Only a device that may read at this moment learns anything.
            guard let sender = nodes.first(where: { $0.index == message.node }), let store = sender.store,
                let committer = sender.process?.committer(), try isOpen(message.zone, store, committer),
                let record = try record(of: message, in: store)
            else { continue }
            guard let row = try store.message(message.id) else {
                // A message of a rolled-back store is entered again when it comes back.
                throw violation(sender, "\(text) was sent from here, and is unknown now")
            }
            guard let content = try MessageRecords(committer).message(of: row, in: store) else { continue }
            try checkKept(message, text, by: sender, committer, store)
            let deliveries = try SentMessages(committer).deliveries(of: row, content, in: store)
            for node in nodes where node.index != sender.index {
                guard let delivery = deliveries.first(where: { $0.device == node.device }) else { continue }
                try check(delivery, of: message, text, record, of: store, at: node, among: nodes, areFinished)
            }
        }
    }

    private func check(
        _ delivery: SentMessages.Delivery,
        of message: Sent,
        _ text: String,
        _ sentRecord: RecordRow,
        of sender: MemoryStore,
        at node: SimulatedNode,
        among nodes: [SimulatedNode],
        _ areFinished: Bool
    ) throws {
        guard let store = node.store, let committer = node.process?.committer(),
            try isOpen(message.zone, store, committer), let record = try record(of: message, in: store),
            !record.isLocked, record.live == sentRecord.live
        else { return }
        guard let row = try store.message(message.id) else {
            throw violation(node, "\(text) is held here, and was not recorded")
        }
        let content = try MessageRecords(committer).message(of: row, in: store)
        // Each device that could seal it again has lost the key or may not write any more; or this device may not
        // ask.
        if row.state == .failed, try !isSealedAgain(message, sender, store, committer) { return }
        let isFinished = try Inbox(committer).hasFinished(row, in: store)
        if row.state == .fetching, !isFinished {
            try checkFetching(message, text, delivery, at: node, among: nodes)
            return
        }
        guard row.state == .waiting || isFinished else {
            throw violation(node, "\(text) is for this device, and is \(row.state) here")
        }
        if areFinished, !isFinished { throw violation(node, "\(text) was not delivered") }
        // A message that was finished before the disk was lost, along with the prekey that it was sealed to, is not
        // requested again.
        if message.payload != nil {
            try checkKept(message, text, at: node, isFinished: isFinished, committer, store)
        } else if let content, !isFinished || MessageRecords(committer).content(of: content, row) != nil {
            guard MessageRecords(committer).content(of: content, row) == Array(text.utf8) else {
                throw violation(node, "\(text) has another content here")
            }
        }
        // A device that lost the right to write can send no receipt, nor deliver an earlier one; law 2 checks what it
        // can do.
        let section = ReceiptSection(of: record.creation)
        let said = try [store, sender].map { store in
            try ReceiptReading(message.zone, in: store).records(of: node.device, about: section, in: store).map(\.live)
        }
        guard let zone = try store.zone(message.zone), Inbox(committer).mayAnswer(in: zone), said[0] == said[1] else {
            return
        }
        let expected: Set<SentMessages.Delivery.State> =
            isFinished ? [.read, .unconfirmed] : [.delivered, .read, .unconfirmed]
        guard expected.contains(delivery.state) else {
            throw violation(
                node,
                "\(text) is \(row.state) here, and its sender sees \(delivery.state.rawValue)"
            )
        }
    }

    private func isSealedAgain(
        _ message: Sent,
        _ sender: MemoryStore,
        _ store: MemoryStore,
        _ committer: Committer
    ) throws -> Bool {
        guard let row = try sender.message(message.id), row.secret != nil, row.state == .sent,
            let theirs = simulation.nodes[message.node].process?.committer(),
            let zone = try sender.zone(message.zone), Inbox(theirs).mayRewrite(in: zone),
            let own = try store.zone(message.zone)
        else { return false }
        return Inbox(committer).mayAnswer(in: own)
    }

    func isOpen(_ zone: ZoneID, _ store: MemoryStore, _ committer: Committer) throws -> Bool {
        guard let row = try store.zone(zone), row.state == .live, committer.isCurrent(row) else { return false }
        return row.role != .unknown
    }

    private func record(of message: Sent, in store: MemoryStore) throws -> RecordRow? {
        let row = store.allRecords(zone: message.zone).first { row in
            MessageID(zone: message.zone, tag: row.tag) == message.id
        }
        guard let row else { return nil }
        return row.isDeleted ? nil : row
    }

    func violation(_ node: SimulatedNode, _ text: String) -> Violation {
        Violation(.messages, at: node, text)
    }
}
