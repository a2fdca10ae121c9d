import Identity
package import Records
package import Wire

/// The inbox: messages enter it from the feed of changes, are delivered until they are finished, and are answered by
/// receipts.
///
/// Entering is bookkeeping that cannot be refused; receipts are records, which can, and are owed until they are
/// written.
package struct Inbox: Sendable {
    /// The number of changes that one transaction examines.
    package static let chunkCount = 256

    /// The result of entering a part of the feed.
    package struct Intake: Sendable {
        /// Whether more may follow.
        package var hasMore = false
        /// Whether messages wait now that did not before.
        package var hasArrivals = false
        /// Whether payloads have to be fetched now that did not before.
        package var hasWants = false
        /// Whether recipients of payloads have answered, or messages with payloads are gone.
        package var hasCustodyChanges = false
        /// Messages for this device that were entered: those that wait, and those whose payload is fetched first.
        package var messageCount = 0
        /// The notice; without a number when nothing was entered.
        package var notice: CommitNotice

        /// Describes a transaction in which nothing was entered.
        package init(notice: CommitNotice = CommitNotice()) {
            self.notice = notice
        }

        /// Adds the result of a later part of the same transaction.
        package mutating func add(_ later: Intake) {
            hasMore = later.hasMore
            hasArrivals = hasArrivals || later.hasArrivals
            hasWants = hasWants || later.hasWants
            hasCustodyChanges = hasCustodyChanges || later.hasCustodyChanges
            messageCount += later.messageCount
            notice.merge(later.notice)
        }
    }

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    private var records: MessageRecords { MessageRecords(committer) }

    /// Whether records of a type are messages, or receipts of them.
    package static func takes(_ type: String) -> Bool { type == ReservedType.message || type == ReservedType.receipt }

    /// Whether the feed has messages that are not entered yet.
    /// - Parameter transaction: The store.
    /// - Returns: Whether there is one.
    /// - Throws: Any error of the store.
    package func hasUnseen(in transaction: some NodeTransaction) throws -> Bool {
        try !transaction.messageChanges(after: transaction.inboxPosition(), limit: 1).isEmpty
    }

    /// Enters the messages that the feed has reported since the last call.
    ///
    /// Each message is entered once, however often its record arrives. A message that this device has stated as
    /// finished, in any lifetime of its store, is entered as finished. A message that has expired by this machine's
    /// clock is entered too: other clocks may differ, and it is hidden only while it is expired.
    /// - Parameter transaction: The store.
    /// - Returns: The result.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func take(in transaction: inout some NodeTransaction) throws -> Intake {
        let position = try transaction.inboxPosition()
        let changes = try transaction.messageChanges(after: position, limit: Self.chunkCount)
        guard let last = changes.last else { return Intake() }
        assert(last.position > position, "each part of the feed brings the inbox forward")
        var intake = Intake()
        intake.hasMore = changes.count == Self.chunkCount
        var zones: [ZoneID: InboxZone] = [:]
        for change in changes {
            let record = change.record
            let zone = try zones[record.zone] ?? InboxZone(record.zone, of: committer, in: transaction)
            zones[record.zone] = zone
            if record.type == ReservedType.receipt {
                if try takeReceipt(record, zone, in: &transaction) { intake.hasCustodyChanges = true }
                continue
            }
            if record.isDeleted {
                let unwanted = try removeMessage(of: record, in: &transaction)
                if !unwanted.isEmpty { intake.hasCustodyChanges = true }
                intake.notice.noteUnwanted(unwanted, by: committer.account.account)
                continue
            }
            switch try takeMessage(record, zone, in: &transaction) {
            case .waiting:
                intake.hasArrivals = true
                intake.messageCount += 1
            case .fetching:
                intake.hasWants = true
                intake.messageCount += 1
            case .sent, .finished, .forOthers, .failed, .earlier, nil: break
            }
        }
        try transaction.setInboxPosition(last.position)
        intake.notice.number = try transaction.nextCommitNumber()
        intake.notice.hasEnteredMessages = !intake.hasMore
        return intake
    }

    /// - Returns: The payloads that are no longer fetched.
    private func removeMessage(of record: RecordRow, in transaction: inout some NodeTransaction) throws -> [PayloadID] {
        guard let row = try transaction.message(MessageID(zone: record.zone, tag: record.tag)) else { return [] }
        try transaction.removeMessage(row.id)
        return try [Payloads(committer).giveUp(of: row, in: &transaction)].compactMap(\.self)
    }

    /// - Returns: The message's new state, if it changed.
    private func takeMessage(
        _ record: RecordRow,
        _ zone: InboxZone,
        in transaction: inout some NodeTransaction
    ) throws -> MessageRow.State? {
        let id = MessageID(zone: record.zone, tag: record.tag)
        let known = try transaction.message(id)
        guard known == nil || known?.state == .failed,
            let message = try Message(record, device: zone.author),
            !message.isOver(at: committer.settledMilliseconds ?? 0),
            zone.account(message.sender) != nil, try isLawful(message, zone, in: transaction)
        else { return nil }
        var row = try row(of: message, record, known, zone, in: &transaction)
        guard row != known else { return nil }
        // A message that can be opened only now gets a number behind those delivered meanwhile.
        if known == nil || row.state == .waiting { row.number = try records.nextNumber(in: &transaction) }
        row.assertValid()
        try transaction.save(row)
        return row.state
    }

    /// Makes the row of a message, with its secret where this device can open it.
    private func row(
        of message: Message,
        _ record: RecordRow,
        _ known: MessageRow?,
        _ zone: InboxZone,
        in transaction: inout some NodeTransaction
    ) throws -> MessageRow {
        var row = MessageRow(
            id: MessageID(zone: record.zone, tag: record.tag),
            number: known?.number ?? 0,
            zone: record.zone,
            tag: record.tag,
            state: .waiting,
            expires: message.expires
        )
        if case .sealed(let sealed) = message.content {
            // Everything that can be opened is, including content for siblings: its prekey is not kept for ever.
            row.secret =
                try known?.secret
                ?? Prekeys(committer).openEnvelope(of: sealed, at: SealedContent.Place(row, message), in: &transaction)
        }
        let said = try records.receipt(
            of: committer.device,
            about: record.name,
            record.zone,
            zone.author,
            in: transaction
        )?.state
        row.state = state(of: message, row, try Message.time(of: record), said, zone)
        row.payload = message.payload?.id
        if row.state == .waiting, let payload = message.payload {
            row.state = try Payloads(committer).want(payload, of: message, row, in: &transaction)
        }
        row.owesAnswer = row.receiptState.map { $0 != said } ?? false
        return row
    }

    private func state(
        of message: Message,
        _ row: MessageRow,
        _ time: HybridTime,
        _ said: MessageReceipt.State?,
        _ zone: InboxZone
    ) -> MessageRow.State {
        if message.sender == committer.device { return .sent }
        guard message.isFor(committer.account.account) else { return .forOthers }
        if said == .read { return .finished }
        // A sender that names this device has seen its admission, whatever the sender's clock shows.
        guard
            said != nil || message.names(committer.device)
                || zone.membership.isSince(time, device: committer.device, account: committer.account.account)
        else { return .earlier }
        return records.content(of: message, row) == nil ? .failed : .waiting
    }

    /// Whether a message may edit the one that it refers to: only the account that sent that one may.
    private func isLawful(_ message: Message, _ zone: InboxZone, in transaction: some NodeTransaction) throws -> Bool {
        guard let reference = message.reference, reference.relation == .edit,
            let row = try transaction.message(reference.id), row.zone == zone.id,
            let other = try records.message(of: row, in: transaction)
        else { return true }
        return zone.account(message.sender) == zone.account(other.sender)
    }

    /// Takes in a receipt.
    ///
    /// One that another device wrote goes to ``takeAnswer(_:_:in:)``.
    ///
    /// Receipts of this device from before its store was lost or rolled back return this way: messages that it has finished are not
    /// delivered again. A receipt under a right that ended before this device knew is no longer effective: then the
    /// device writes it again.
    /// - Returns: Whether a recipient of a payload has answered.
    private func takeReceipt(
        _ record: RecordRow,
        _ zone: InboxZone,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        guard let message = MessageReceipt.message(named: record.name, by: committer.device) else {
            return try takeAnswer(record, zone, in: &transaction)
        }
        let tag = try RecordTag(of: message, zone: record.zone, in: transaction)
        guard let known = try transaction.message(MessageID(zone: record.zone, tag: tag)) else { return false }
        var row = known
        let said = try MessageReceipt(record, of: committer.device, about: message, author: zone.author)?.state
        if said == .read, row.state == .waiting || row.state == .fetching { row.state = .finished }
        row.owesAnswer = row.receiptState.map { $0 != said } ?? false
        if row != known { try transaction.save(row) }
        return false
    }

    /// Takes in another device's answer about a message of this device, which seals it again if it could not be
    /// opened.
    /// - Returns: Whether the message has a payload.
    private func takeAnswer(
        _ record: RecordRow,
        _ zone: InboxZone,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        guard let receipt = try MessageReceipt(record, device: zone.author) else { return false }
        let tag = try RecordTag(of: receipt.message, zone: record.zone, in: transaction)
        guard var row = try transaction.message(MessageID(zone: record.zone, tag: tag)), row.state == .sent
        else { return false }
        try Custody(committer).noteIfAnswered(&row, in: &transaction)
        if receipt.state == .failed, row.secret != nil {
            row.owesAnswer = true
            try transaction.save(row)
        }
        return row.payload != nil
    }

    // MARK: Finishing

    /// Notes that an application has finished messages: they are not delivered again.
    ///
    /// Noting it again changes nothing.
    /// - Parameters:
    ///   - ids: The messages.
    ///   - transaction: The store.
    /// - Returns: The refusals of those that are not here, not for this device, or not complete; all others are finished. The notice has no
    ///   number when nothing changed.
    /// - Throws: Any error of the store.
    /// - Complexity: O(messages).
    package func finish(
        _ ids: [MessageID],
        in transaction: inout some NodeTransaction
    ) throws -> Changed<[MessageID: MessageRefusal]> {
        var (refusals, isChanged): ([MessageID: MessageRefusal], Bool) = ([:], false)
        for id in ids {
            guard var row = try transaction.message(id) else {
                refusals[id] = .unknown(id)
                continue
            }
            switch row.state {
            case .finished: break
            case .sent, .forOthers, .failed, .earlier: refusals[id] = .unknown(id)
            case .fetching: refusals[id] = .incomplete(id)
            case .waiting:
                row.state = .finished
                row.owesAnswer = true
                try transaction.save(row)
                isChanged = true
            }
        }
        return Changed(refusals, notice: CommitNotice(number: isChanged ? try transaction.nextCommitNumber() : nil))
    }

    /// Whether this device has stated that it has finished a message, in any lifetime of its store.
    ///
    /// Receipts that returned to a rolled-back store may not be entered yet.
    /// - Parameters:
    ///   - row: The message.
    ///   - transaction: The store.
    /// - Returns: Whether it has.
    /// - Throws: Any error of the store.
    package func hasFinished(_ row: MessageRow, in transaction: some NodeTransaction) throws -> Bool {
        if row.state == .finished { return true }
        guard let record = try transaction.record(zone: row.zone, tag: row.tag) else { return false }
        let author = try records.authors(in: row.zone, transaction)
        return try records.receipt(of: committer.device, about: record.name, row.zone, author, in: transaction)?.state
            == .read
    }

    // MARK: Answers

    /// Writes the answers that are owed in a zone: receipts, and envelopes of messages that were sent from here to devices that could
    /// not open them.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when none was owed.
    /// - Throws: As ``Committer/commit(_:zone:in:)``: they stay owed then.
    package func writeAnswers(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        let owing = try transaction.zone(zone).map { try answersDue(in: $0, limit: Self.chunkCount, transaction) } ?? []
        guard !owing.isEmpty else { return CommitNotice() }
        let author = try records.authors(in: zone, transaction)
        var requests: [WriteRequest] = []
        for row in owing {
            // The answer must not undo a statement of an earlier lifetime of this store, which the feed is about to
            // bring.
            if try row.state == .waiting && hasFinished(row, in: transaction) { continue }
            guard let record = try transaction.record(zone: zone, tag: row.tag),
                let message = try Message(record, device: author)
            else { continue }
            guard let state = row.receiptState else {
                if let write = try sealedAgain(message, row, record.name, author, in: transaction) {
                    requests.append(WriteRequest([write]))
                }
                continue
            }
            let receipt = MessageReceipt(
                message: record.name,
                device: committer.device,
                state: state,
                contentHash: message.contentHash
            )
            requests.append(WriteRequest([receipt.write]))
        }
        // A write that is refused now would be refused the next time too.
        for var row in owing {
            row.owesAnswer = false
            try transaction.save(row)
        }
        guard !requests.isEmpty else { return CommitNotice(number: try transaction.nextCommitNumber()) }
        return try committer.commit(requests, zone: zone, in: &transaction).notice
    }

    /// Returns the message with envelopes for devices that could not open it, and have another key now or had no
    /// envelope.
    ///
    /// The sealed content stays unchanged, so that receipts for it remain valid.
    /// - Returns: `nil` when it would not change anything for any device.
    private func sealedAgain(
        _ message: Message,
        _ row: MessageRow,
        _ name: String,
        _ author: (ActorID) -> DeviceID?,
        in transaction: some NodeTransaction
    ) throws -> RecordWrite? {
        guard row.state == .sent, let secret = row.secret,
            case .sealed(var sealed) = message.content
        else { return nil }
        let place = SealedContent.Place(row, message)
        let readers = try ZoneRights(row.zone, of: committer, in: transaction).readers
        var hasChanged = false
        for (reader, account) in readers where message.isFor(account) {
            let before = sealed.envelope(for: reader)
            guard sealed.envelopes.count < Limits.envelopeCountMax || before != nil,
                let receipt = try records.receipt(of: reader, about: name, row.zone, author, in: transaction),
                receipt.state == .failed, receipt.contentHash == message.contentHash,
                let envelope = try Prekeys(committer).sealAgain(
                    secret,
                    at: place,
                    to: reader,
                    readers,
                    instead: before,
                    in: transaction
                )
            else { continue }
            sealed.insert(envelope)
            hasChanged = true
        }
        guard hasChanged else { return nil }
        return RecordWrite(
            name: name,
            type: ReservedType.message,
            set: [.init(field: "envelopes", value: .bytes(sealed.encodedEnvelopes))]
        )
    }

    /// The zones in which answers are owed and may be written.
    /// - Parameter transaction: The store.
    /// - Returns: Their ids.
    /// - Throws: Any error of the store.
    package func zonesOwingAnswers(in transaction: some NodeTransaction) throws -> [ZoneID] {
        try transaction.zones().filter { row in
            try committer.isCurrent(row) && !answersDue(in: row, limit: 1, transaction).isEmpty
        }.map(\.id)
    }

    /// The messages for which this device owes an answer that it may write now.
    private func answersDue(
        in zone: ZoneRow,
        limit: Int,
        _ transaction: some NodeTransaction
    ) throws -> [MessageRow] {
        let mayAnswer = mayAnswer(in: zone)
        guard mayAnswer || mayRewrite(in: zone) else { return [] }
        // Receipts stay owed until a right covers them.
        return try transaction.messagesOwingAnswers(zone: zone.id, onlySent: !mayAnswer, limit: limit)
    }

    /// Whether this device may write receipts in a zone now.
    /// - Parameter zone: The zone.
    /// - Returns: False for one that only reads, or whose right leaves them out or has run out.
    package func mayAnswer(in zone: ZoneRow) -> Bool { mayWrite(ReservedType.receipt, in: zone) }

    /// Whether this device may write messages in a zone now, and so seal again and delete those that it has sent.
    /// - Parameter zone: The zone.
    /// - Returns: False for one that only reads, or whose right leaves messages out or has run out.
    package func mayRewrite(in zone: ZoneRow) -> Bool { mayWrite(ReservedType.message, in: zone) }

    private func mayWrite(_ type: String, in zone: ZoneRow) -> Bool {
        guard committer.mayWrite, zone.state == .live else { return false }
        switch zone.role {
        case .owner: return true
        case .participant(let scope):
            return MessageReceipt.isAllowed(
                scope.level,
                scope.caveats,
                type: type,
                about: Message.namePrefix,
                at: committer.wallMilliseconds
            )
        case .unknown, .ended: return false
        }
    }

    // MARK: The end of messages

    /// Whether ``dropExpired(in:)`` has something to do.
    /// - Parameter transaction: The store.
    /// - Returns: Whether there is a message that has expired for certain.
    /// - Throws: Any error of the store.
    package func hasExpired(in transaction: some NodeTransaction) throws -> Bool {
        guard let settled = committer.settledMilliseconds else { return false }
        return try !transaction.expiredMessages(at: settled, limit: 1).isEmpty
    }

    /// Drops messages that have expired for certain, at most ``chunkCount`` of them.
    ///
    /// The records of those that were sent from here are deleted, as far as that is allowed; with their receipts, or
    /// alone where the right of this device does not cover these. A message that has expired by this machine's clock
    /// alone is hidden and stays.
    /// - Parameter transaction: The store.
    /// - Returns: The notice; without a number when there were none.
    /// - Throws: As ``Committer/commit(_:zone:in:)``.
    package func dropExpired(in transaction: inout some NodeTransaction) throws -> CommitNotice {
        let rows =
            try committer.settledMilliseconds.map { try transaction.expiredMessages(at: $0, limit: Self.chunkCount) }
            ?? []
        guard !rows.isEmpty else { return CommitNotice() }
        var deletions: [ZoneID: [RecordWrite]] = [:]
        var unwanted: [PayloadID] = []
        for row in rows {
            try transaction.removeMessage(row.id)
            unwanted += try [Payloads(committer).giveUp(of: row, in: &transaction)].compactMap(\.self)
            guard row.state == .sent, let zone = try transaction.zone(row.zone), mayRewrite(in: zone),
                let record = try transaction.record(zone: row.zone, tag: row.tag), !record.isDeleted
            else { continue }
            deletions[row.zone, default: []].append(RecordWrite(name: record.name, delete: true))
        }
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.noteUnwanted(unwanted, by: committer.account.account)
        for (zone, writes) in deletions.sorted(by: { $0.key < $1.key }) {
            notice.merge(try delete(writes, zone: zone, in: &transaction))
        }
        return notice
    }

    /// Deletes messages: those that cannot be deleted with all of their receipts, without any.
    private func delete(
        _ writes: [RecordWrite],
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let whole = try committer.commit(writes.map { WriteRequest([$0]) }, zone: zone, in: &transaction)
        var alone: [WriteRequest] = []
        for (write, results) in zip(writes, whole.reply.results) {
            guard case .failure? = results.first else { continue }
            alone.append(WriteRequest([RecordWrite(name: write.name, delete: true, leavesAnchored: true)]))
        }
        guard !alone.isEmpty else { return whole.notice }
        var notice = whole.notice
        notice.merge(try committer.commit(alone, zone: zone, in: &transaction).notice)
        return notice
    }
}
