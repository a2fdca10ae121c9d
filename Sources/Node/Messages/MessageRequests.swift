import CoreMetrics
import Records
import Sync
import Wire

/// Answers requests about messages.
struct MessageRequests: MessageAPI {
    let store: CallerStore
    let inbox: InboxService

    func send(_ draft: MessageDraft, zone reference: String) async throws(NodeError) -> MessageView {
        try await DefaultZones(store).make(namedBy: reference)
        let (view, intake): (MessageView, Inbox.Intake) = try await store.write(in: reference) { zone, transaction in
            let zone = zone.id
            let committer = store.committer
            let isEntered = try !Inbox(committer).hasUnseen(in: transaction)
            let named = try ZoneViews(committer).controlState(zone, in: transaction).namedAccounts
            let draft = try SentMessages.Draft(draft, named, committer, in: transaction)
            return try store.limit.keep(zone: zone, in: &transaction) { transaction in
                let result = try SentMessages(committer).send(draft, zone: zone, in: &transaction)
                let message: MessageRow
                switch result.reply {
                case .success(let sent): message = sent
                case .failure(let refusal):
                    throw NodeError(refusal, write: RecordWrite(name: "message", type: ReservedType.message))
                }
                var reading = MessageReading(committer)
                guard let view = try reading.view(of: message, in: transaction) else {
                    throw NodeError(.internalError, "The message is not there.", fix: "Report this with the log.")
                }
                var intake = Inbox.Intake(notice: result.notice)
                // The feed reports the message that was written, and nothing else: entering it now saves a transaction.
                if isEntered { intake.add(try Inbox(committer).take(in: &transaction)) }
                intake.hasCustodyChanges = message.payload != nil
                return Changed((view, intake), notice: intake.notice)
            }
        }
        store.replica.measures.messagesSent.increment()
        inbox.sent(intake)
        return view
    }

    func list(
        zone reference: String,
        after number: UInt64?,
        limit: Int
    ) async throws(NodeError) -> MessagePage {
        try ArgumentRule.check(limit: limit, of: 1_000)
        return try await store.read { transaction in
            let zone = try store.zones.row(of: reference, in: transaction).id
            let rows = try transaction.messages(zone: zone, after: number ?? 0, limit: limit + 1)
            var reading = MessageReading(store.committer)
            let shown = rows.prefix(limit)
            let views = try shown.compactMap { try reading.view(of: $0, in: transaction) }
            return MessagePage(messages: views, next: rows.count > limit ? shown.last?.number : nil)
        }
    }

    func message(_ id: String) async throws(NodeError) -> MessageView {
        try await store.read { transaction in
            let message = try store.zones.message(id, in: transaction)
            var reading = MessageReading(store.committer)
            guard let view = try reading.view(of: message, withDeliveries: true, in: transaction) else {
                throw NodeError.messageUnknown(id)
            }
            return view
        }
    }

    func inbox(
        after number: UInt64?,
        limit: Int,
        waitMilliseconds: Int
    ) async throws(NodeError) -> [MessageView] {
        try ArgumentRule.check(limit: limit, of: 1_000)
        guard (0...60_000).contains(waitMilliseconds) else {
            throw NodeError(
                .invalidArgument,
                "A wait is 0 to 60000 milliseconds.",
                fix: "Repeat the request to wait longer."
            )
        }
        let deadline = store.replica.clock.monotonic() + UInt64(waitMilliseconds)
        while true {
            let waiting = try await waitingMessages(after: number, limit)
            let now = store.replica.clock.monotonic()
            guard waiting.isEmpty, now < deadline, !Task.isCancelled else { return waiting }
            do {
                try await inbox.waitForArrival(milliseconds: deadline - now) {
                    try await !waitingMessages(after: number, 1).isEmpty
                }
            } catch {
                throw store.told(error)
            }
        }
    }

    func finishMessage(_ id: String) async throws(NodeError) {
        do {
            try await inbox.finish { try store.zones.message(id, in: $0).id }
        } catch {
            store.replica.warn(of: error)
            throw store.told(error)
        }
        store.replica.measures.messagesFinished.increment()
    }

    private func waitingMessages(after begin: UInt64?, _ limit: Int) async throws(NodeError) -> [MessageView] {
        try await store.read { transaction in
            let zones = try store.zones.ids(in: transaction)
            var reading = MessageReading(store.committer)
            var found: [MessageView] = []
            // Receipts that returned to a rolled-back store may not be entered yet.
            let isWhole = try !Inbox(store.committer).hasUnseen(in: transaction)
            var number = begin ?? 0
            while found.count < limit {
                let rows = try transaction.waitingMessages(after: number, limit: limit)
                guard let last = rows.last else { break }
                for row in rows where zones.contains(row.zone) && found.count < limit {
                    if try !isWhole && Inbox(store.committer).hasFinished(row, in: transaction) { continue }
                    if let view = try reading.view(of: row, in: transaction) { found.append(view) }
                }
                number = last.number
            }
            return found
        }
    }
}

extension VisibleZones {
    /// The message of an id in one of the zones.
    /// - Throws: `NodeError` `messageUnknown`.
    func message(_ text: String, in transaction: any NodeTransaction) throws -> MessageRow {
        guard let id = MessageID(text: text), let message = try transaction.message(id),
            try ids(in: transaction).contains(message.zone)
        else { throw NodeError.messageUnknown(text) }
        return message
    }
}

extension SentMessages.Draft {
    /// Checks and reads a program's draft.
    fileprivate init(
        _ draft: MessageDraft,
        _ named: Set<AccountID>,
        _ committer: Committer,
        in transaction: any NodeTransaction
    ) throws {
        guard draft.recipients.count <= Message.recipientCountMax else {
            throw NodeError(
                .invalidArgument,
                "A message names at most \(Message.recipientCountMax) accounts.",
                fix: "Name no account: the message is then for all readers of the zone."
            )
        }
        guard (1...Message.contentTypeByteCountMax).contains(draft.contentType.utf8.count),
            draft.contentType.unicodeScalars.allSatisfy({ $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw NodeError(
                .invalidArgument,
                "A content type is a media type of 1 to \(Message.contentTypeByteCountMax) characters.",
                fix: "For example \"text/plain; charset=utf-8\"."
            )
        }
        var reference: Message.Reference?
        if let about = draft.about {
            guard let id = MessageID(text: about.message) else { throw NodeError.messageUnknown(about.message) }
            reference = Message.Reference(relation: Message.Relation(about.kind), id: id)
        }
        var recipients: [AccountID] = []
        for text in draft.recipients {
            recipients.append(try AccountReference(text: text).find(among: named, committer, in: transaction))
        }
        var payload: PayloadID?
        if let text = draft.payload {
            guard let id = PayloadID(text: text) else { throw NodeError.payloadUnknown(text) }
            payload = id
        }
        let isText = draft.contentType.lowercased().hasPrefix("text/")
        let text = isText ? String(validating: draft.content, as: UTF8.self) : nil
        self.init(
            content: text.map { .text($0) } ?? .bytes(draft.content),
            payload: payload,
            contentType: draft.contentType,
            recipients: recipients,
            reference: reference,
            expires: draft.lifetimeMilliseconds.map {
                committer.wallMilliseconds.addingReportingOverflow($0).overflow ? .max : committer.wallMilliseconds + $0
            }
        )
    }
}
