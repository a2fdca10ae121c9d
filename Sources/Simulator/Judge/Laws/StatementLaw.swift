import Identity
import Records
import Sync
import Wire

/// The law that a device's statements in records are believed only as that device has made them: messages, receipts,
/// prekeys, and the relays of its account.
///
/// It follows from the requests of applications, from the keys that devices have, and from the relays that exist. No
/// rule of the core about records is used.
struct StatementLaw {
    /// A message as an application handed it in.
    private struct Handed {
        let device: DeviceID
        let draft: SentMessages.Draft
    }

    private let evidence: Evidence
    /// The messages by their texts, of which no two are equal.
    private var handed: [String: Handed] = [:]
    /// The messages that applications have finished on each device.
    private var finished: [DeviceID: Set<MessageID>] = [:]
    /// The message of each text in each zone.
    private var shown: [ZoneID: [String: MessageID]] = [:]

    init(_ evidence: Evidence) { self.evidence = evidence }

    // MARK: Applications

    /// Takes note that an application sends a message: it may be written, whatever the answer is.
    mutating func handsIn(_ draft: SentMessages.Draft, saying text: String, on node: SimulatedNode) {
        handed[text] = Handed(device: node.device, draft: draft)
    }

    /// Takes note that an application finishes a message.
    mutating func finishes(_ message: MessageID, on node: SimulatedNode) {
        finished[node.device, default: []].insert(message)
    }

    // MARK: Checks

    /// Checks a message that is delivered to an application.
    func checkDelivered(_ row: MessageRow, on node: SimulatedNode, _ store: MemoryStore) throws {
        guard let committer = node.process?.committer(), !evidence.byzantine.contains(node.device),
            let message = try MessageRecords(committer).message(of: row, in: store)
        else { return }
        _ = try text(of: message, row, on: node, committer)
    }

    /// Checks all messages and receipts that a node believes.
    /// - Parameters:
    ///   - node: The node.
    ///   - strictly: Whether copies of messages, early receipts, prekeys and relays are checked as well, which only
    ///     histories allow whose disks and clocks keep what they have.
    /// - Throws: ``Violation``, or errors of the store.
    mutating func check(_ node: SimulatedNode, strictly: Bool = false) throws {
        guard let process = node.process, let store = node.store, !evidence.byzantine.contains(node.device) else {
            return
        }
        evidence.checkCount += 1
        let committer = process.committer()
        for zone in try store.zones()
        where zone.state == .live && !zone.isInternal && zone.role != .unknown && committer.isCurrent(zone) {
            let author = try MessageRecords(committer).authors(in: zone.id, store)
            for row in try store.messages(zone: zone.id, after: 0, limit: .max) {
                if row.state == .finished, !hasFinished(row.id, on: node.device) {
                    throw violation(node, "\(row.id.text) is finished here, and no application has finished it")
                }
                guard let message = try MessageRecords(committer).message(of: row, by: author, in: store) else {
                    continue
                }
                let text = try text(of: message, row, on: node, committer)
                if strictly, let text { try checkShownOnce(text, row, on: node) }
                guard row.state == .sent else { continue }
                try checkDeliveries(of: row, message, on: node, store, strictly: strictly)
                if strictly { try checkPrekeys(of: message, row, on: node) }
            }
        }
        if strictly { try checkRelays(of: process, on: node) }
    }

    /// Checks that a message is as an application of its sender has handed it in.
    /// - Returns: Its text; `nil` for that of a liar, for one that cannot be opened here, and for a payload, which is
    ///   compared with the upload elsewhere.
    private func text(
        of message: Message,
        _ row: MessageRow,
        on node: SimulatedNode,
        _ committer: Committer
    ) throws -> String? {
        guard !evidence.byzantine.contains(message.sender), message.payload == nil,
            let bytes = MessageRecords(committer).content(of: message, row)
        else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let handed = handed[text], handed.device == message.sender, handed.draft.isSaid(by: message) else {
            throw violation(
                node,
                "\(row.id.text) says \"\(text)\" in the name of \(message.sender.shortText), which has not sent that"
            )
        }
        return text
    }

    private mutating func checkShownOnce(_ text: String, _ row: MessageRow, on node: SimulatedNode) throws {
        let first = shown[row.zone, default: [:]][text]
        guard first == nil || first == row.id else {
            throw violation(node, "\"\(text)\" was sent once, and is a message twice: \(row.id.text) is a copy")
        }
        shown[row.zone, default: [:]][text] = row.id
    }

    private func checkDeliveries(
        of row: MessageRow,
        _ message: Message,
        on node: SimulatedNode,
        _ store: MemoryStore,
        strictly: Bool
    ) throws {
        guard let committer = node.process?.committer() else { return }
        for delivery in try SentMessages(committer).deliveries(of: row, message, in: store)
        where !evidence.byzantine.contains(delivery.device) {
            let place = "\(row.id.text) is shown as \(delivery.state.rawValue) on \(delivery.device.shortText)"
            switch delivery.state {
            case .read:
                guard !hasFinished(row.id, on: delivery.device) else { continue }
                throw violation(node, "\(place), where no application has finished it")
            case .delivered:
                guard strictly, try !hasReceived(row, on: delivery.device) else { continue }
                throw violation(node, "\(place), which does not have it")
            case .queued, .relayed, .failed, .unconfirmed: continue
            }
        }
    }

    private func hasFinished(_ message: MessageID, on device: DeviceID) -> Bool {
        finished[device]?.contains(message) ?? false
    }

    /// Whether a device has a message, or may have had it.
    private func hasReceived(_ row: MessageRow, on device: DeviceID) throws -> Bool {
        guard row.expires == nil, !evidence.disturbedDevices.contains(device),
            let store = evidence.durableStore(of: device)
        else { return true }
        switch try store.message(row.id)?.state {
        case .waiting, .finished, .hidden: return true
        case .sent, .forOthers, .failed, .earlier, .fetching, nil: return false
        }
    }

    /// Checks that a message is sealed to keys that their devices have made.
    private func checkPrekeys(of message: Message, _ row: MessageRow, on node: SimulatedNode) throws {
        for (device, prekey) in message.prekeys.sorted(by: { $0.key < $1.key })
        where !evidence.byzantine.contains(device) && !evidence.disturbedDevices.contains(device) {
            guard let store = evidence.durableStore(of: device), try store.prekey(prekey) == nil else { continue }
            throw violation(node, "\(row.id.text) is sealed to a prekey that \(device.shortText) has not made")
        }
    }

    /// Checks that a node leaves parcels with no relay but those of an account.
    private func checkRelays(of process: NodeProcess, on node: SimulatedNode) throws {
        let genuine = node.simulation.mailRelays.map(\.link)
        for link in process.mail.relayStates.flatMap(\.relay.links) {
            let isGenuine = genuine.contains {
                $0.relay == link.relay && $0.channelSecret == link.channelSecret && $0.addresses == link.addresses
            }
            guard !isGenuine else { continue }
            throw violation(node, "parcels are left at \(link.relay.shortText), which no account has announced")
        }
    }

    private func violation(_ node: SimulatedNode, _ text: String) -> Violation {
        Violation(.statements, at: node, text)
    }
}

extension SentMessages.Draft {
    /// Whether a message says what the draft does, apart from its text.
    fileprivate func isSaid(by message: Message) -> Bool {
        contentType == message.contentType && Set(recipients) == Set(message.recipients)
            && reference == message.reference && expires == message.expires
    }
}
