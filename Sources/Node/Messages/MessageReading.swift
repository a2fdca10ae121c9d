import struct KairanInterface.MessagePayload
import Sync
import Wire

/// Makes the views of messages for programs, and looks each zone up once.
struct MessageReading {
    private struct Zone {
        let author: (ActorID) -> DeviceID?
        let account: (DeviceID) -> AccountID?
    }

    private let committer: Committer
    private var zones: [ZoneID: Zone] = [:]

    init(_ committer: Committer) {
        self.committer = committer
    }

    /// Returns the view of a message for programs.
    /// - Parameters:
    ///   - row: The message.
    ///   - withDeliveries: Whether the view includes the delivery to each device.
    ///   - transaction: The store.
    /// - Returns: `nil` for a message that is gone or hidden, in which another device wrote, or whose account is not
    ///   known any more.
    /// - Throws: The errors of the store.
    mutating func view(
        of row: MessageRow,
        withDeliveries: Bool = false,
        in transaction: any NodeTransaction
    ) throws -> MessageView? {
        guard let (message, account) = try shown(row, in: transaction), let state = row.state.word else { return nil }
        let deliveries =
            withDeliveries ? try SentMessages(committer).deliveries(of: row, message, in: transaction) : nil
        return MessageView(
            id: row.id.text,
            zone: row.zone,
            number: row.number,
            account: account,
            device: message.sender,
            sentAt: message.sentAt,
            expiresAt: message.expires,
            byteCount: message.byteCount,
            contentType: message.contentType,
            content: message.payload == nil ? MessageRecords(committer).content(of: message, row) : nil,
            payload: try message.payload.map { try progress(of: $0, row, in: transaction) },
            recipients: message.recipients,
            about: message.reference.map { MessageReference(kind: .init($0.relation), message: $0.id.text) },
            state: state,
            deliveries: deliveries?.map {
                DeliveryView(account: $0.account, device: $0.device, state: .init($0.state))
            }
        )
    }

    /// Whether programs see a message: as long as it has a view.
    mutating func isShown(_ row: MessageRow, in transaction: any NodeTransaction) throws -> Bool {
        try shown(row, in: transaction) != nil
    }

    /// A message that programs see, and the account that it is from.
    private mutating func shown(
        _ row: MessageRow,
        in transaction: any NodeTransaction
    ) throws -> (message: Message, account: AccountID)? {
        // Its record may be a message again; the inbox shows it when it has entered that.
        guard row.state != .hidden else { return nil }
        let zone =
            try zones[row.zone]
            ?? Zone(
                author: MessageRecords(committer).authors(in: row.zone, transaction),
                account: MessageRecords(committer).accounts(writingIn: row.zone, transaction)
            )
        zones[row.zone] = zone
        guard let message = try MessageRecords(committer).message(of: row, by: zone.author, in: transaction),
            !message.isOver(at: committer.wallMilliseconds), let account = zone.account(message.sender)
        else { return nil }
        return (message, account)
    }

    private func progress(
        of payload: Message.Payload,
        _ row: MessageRow,
        in transaction: any NodeTransaction
    ) throws -> PayloadProgress {
        guard row.needsPayload, let held = try transaction.payload(payload.id) else {
            return PayloadProgress(id: payload.id, state: .absent, percent: 0)
        }
        switch held.state {
        case .present, .linked: return PayloadProgress(id: payload.id, state: .present, percent: 100)
        case .uploading, .released, .remote, .evicted:
            return PayloadProgress(id: payload.id, state: .absent, percent: 0)
        case .wanted: break
        }
        let (present, all) = try transaction.chunkCounts(of: held.number)
        return PayloadProgress(id: payload.id, state: .fetching, percent: all == 0 ? 0 : 100 * present / all)
    }
}

extension MessageReference.Kind {
    fileprivate init(_ relation: Message.Relation) {
        switch relation {
        case .reply: self = .reply
        case .edit: self = .edit
        case .reaction: self = .reaction
        }
    }
}

extension Message.Relation {
    init(_ kind: MessageReference.Kind) {
        switch kind {
        case .reply: self = .reply
        case .edit: self = .edit
        case .reaction: self = .reaction
        }
    }
}
