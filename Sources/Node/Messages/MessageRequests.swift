import CoreMetrics
import Records
import Sync
import Wire

/// Answers requests about messages.
struct MessageRequests: MessageAPI {
    let store: CallerStore
    let inbox: InboxService

    func send(_ draft: MessageDraft, zone reference: String) async throws(NodeError) -> MessageView {
        guard let view = try await send([draft], zone: reference, isBatch: false).first else { throw .messageMissing }
        return view
    }

    func send(_ drafts: [MessageDraft], zone reference: String) async throws(NodeError) -> [MessageView] {
        try Self.check(drafts.count, of: MessageBatch.sentCountMax)
        return try await send(drafts, zone: reference, isBatch: true)
    }

    private static func check(_ count: Int, of countMax: Int) throws(NodeError) {
        guard (1...countMax).contains(count) else {
            throw NodeError(
                .batchTooLarge,
                "The request is about \(count) messages; 1 to \(countMax) are expected.",
                fix: "Send several requests.",
                facts: [.limit(countMax)]
            )
        }
    }

    private func send(
        _ drafts: [MessageDraft],
        zone reference: String,
        isBatch: Bool
    ) async throws(NodeError) -> [MessageView] {
        try await DefaultZones(store).make(namedBy: reference)
        let (views, intake): ([MessageView], Inbox.Intake) = try await store.write(in: reference) { zone, transaction in
            let (zone, committer) = (zone.id, store.committer)
            let named = try ZoneViews(committer).controlState(zone, in: transaction).namedAccounts
            var prepared: [SentMessages.Draft] = []
            for (index, draft) in drafts.enumerated() {
                do {
                    prepared.append(try SentMessages.Draft(draft, named, committer, in: transaction))
                } catch let error as NodeError {
                    throw isBatch ? error.ofWrite(at: index) : error
                }
            }
            return try store.limit.keep(zone: zone, in: &transaction) { [prepared] transaction in
                let sent = try InboxRound(committer).send(prepared, zone: zone, in: &transaction)
                let rows: [MessageRow]
                switch sent.value {
                case .success(let messages): rows = messages
                case .failure(let refusal):
                    let error = NodeError(refusal.reason)
                    throw isBatch ? error.ofWrite(at: refusal.index) : error
                }
                var reading = MessageReading(committer)
                let views = try rows.compactMap { try reading.view(of: $0, in: transaction) }
                guard views.count == rows.count else { throw NodeError.messageMissing }
                return Changed((views, sent.intake), notice: sent.intake.notice)
            }
        }
        store.commitService.measures.messagesSent.increment(by: views.count)
        inbox.sent(intake)
        return views
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
        let deadline = store.commitService.clock.monotonic() + UInt64(waitMilliseconds)
        while true {
            let waiting = try await waitingMessages(after: number, limit)
            let now = store.commitService.clock.monotonic()
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
        if let refused = try await finishMessages([id]).first { throw refused.error }
    }

    func finishMessages(_ ids: [String]) async throws(NodeError) -> [UnfinishedMessage] {
        try Self.check(ids.count, of: MessageBatch.finishedCountMax)
        let finishing = try await finish { transaction in
            let zones = try store.zones.ids(in: transaction)
            let found: [MessageID] = try ids.compactMap { text in
                guard let id = MessageID(text: text), let row = try transaction.message(id), zones.contains(row.zone)
                else { return nil }
                return id
            }
            return InboxService.Selection(ids: found)
        }
        return ids.compactMap { text in
            guard let id = MessageID(text: text), finishing.found.contains(id) else {
                return UnfinishedMessage(message: text, error: .messageUnknown(text))
            }
            return finishing.refusals[id].map { UnfinishedMessage(message: text, error: NodeError($0)) }
        }
    }

    func finishMessages(through number: UInt64, zone reference: String?) async throws(NodeError) -> Int {
        var (begin, count): (UInt64?, Int) = (0, 0)
        while let after = begin {
            let finishing = try await finish { transaction in
                try waiting(after: after, through: number, zone: reference, in: transaction)
            }
            count += finishing.found.count - finishing.refusals.count
            begin = finishing.next
        }
        return count
    }

    private func finish(
        _ find: @escaping @Sendable (any NodeTransaction) throws -> InboxService.Selection
    ) async throws(NodeError) -> InboxService.Finishing {
        do {
            let finishing = try await inbox.finish(find)
            let finishedCount = finishing.found.count - finishing.refusals.count
            store.commitService.measures.messagesFinished.increment(by: finishedCount)
            return finishing
        } catch {
            store.commitService.warn(of: error)
            throw store.told(error)
        }
    }

    /// The waiting messages between two numbers that a list of the inbox shows now, as many as one transaction
    /// finishes.
    ///
    /// No application has seen a message that is hidden now: it has expired by a clock that may be wrong, or its
    /// author's account is not known.
    private func waiting(
        after begin: UInt64,
        through end: UInt64,
        zone reference: String?,
        in transaction: any NodeTransaction
    ) throws -> InboxService.Selection {
        let zones = Set(try store.zones.ids(of: reference, in: transaction))
        let limit = MessageBatch.finishedCountMax
        let rows = try transaction.waitingMessages(after: begin, limit: limit)
        var reading = MessageReading(store.committer)
        let shown = try rows.filter { row in
            guard row.number <= end, zones.contains(row.zone) else { return false }
            return try reading.isShown(row, in: transaction)
        }
        let isLast = rows.count < limit || rows.contains { $0.number >= end }
        return InboxService.Selection(ids: shown.map(\.id), next: isLast ? nil : rows.last?.number)
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
