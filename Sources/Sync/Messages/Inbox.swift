import Identity
package import Records
import Wire

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
        /// Whether a message that was sent makes a prekey of this device due.
        package var makesPrekeyDue = false
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
            makesPrekeyDue = makesPrekeyDue || later.makesPrekeyDue
            messageCount += later.messageCount
            notice.merge(later.notice)
        }
    }

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    var records: MessageRecords { MessageRecords(committer) }

    /// Whether the inbox has to look at a change of a record: at messages and receipts, and at records with names of
    /// such.
    ///
    /// A record may lose its type: another member has given it another one, or no operation on it is effective any
    /// more. Then its name alone shows that a message is gone, or that receipts have to be stated again.
    package static func takes(_ record: RecordRow) -> Bool {
        record.type == ReservedType.message || record.type == ReservedType.receipt
            || record.name.utf8.starts(with: Message.namePrefix.utf8)
    }

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
            if try isOwnStatement(change, in: transaction) { continue }
            var zone = try zones.removeValue(forKey: record.zone) ?? InboxZone(record.zone, in: transaction)
            defer { zones[record.zone] = zone }
            if record.type == ReservedType.receipt || record.name.utf8.starts(with: ReceiptName.prefix.utf8) {
                if try takeReceipts(record, &zone, in: &transaction) { intake.hasCustodyChanges = true }
                continue
            }
            if record.isDeleted {
                guard let row = try transaction.message(MessageID(zone: record.zone, tag: record.tag)) else { continue }
                let unwanted = try end(row, with: record, in: &transaction)
                if !unwanted.isEmpty { intake.hasCustodyChanges = true }
                intake.notice.noteUnwanted(unwanted, by: committer.account.account)
                continue
            }
            switch try takeMessage(record, &zone, in: &transaction) {
            case .waiting:
                intake.hasArrivals = true
                intake.messageCount += 1
            case .fetching:
                intake.hasWants = true
                intake.messageCount += 1
            case .sent, .finished, .forOthers, .failed, .earlier, .hidden, nil: break
            }
        }
        try transaction.setInboxPosition(last.position)
        intake.notice.number = try transaction.nextCommitNumber()
        intake.notice.hasEnteredMessages = !intake.hasMore
        return intake
    }

    /// Removes a message whose record was deleted.
    ///
    /// A record looks deleted as well where no operation on it is effective any more. Then the message is hidden: it
    /// may be shown again, and its secret could not be opened a second time.
    /// - Returns: The payloads that are no longer fetched.
    private func end(
        _ row: MessageRow,
        with record: RecordRow,
        in transaction: inout some NodeTransaction
    ) throws -> [PayloadID] {
        guard !record.vector.isEmpty || (!record.isLocked && record.context.covers(row.place)) else {
            try hide(row, in: &transaction)
            return []
        }
        try transaction.removeMessage(row.id)
        return try [Payloads(committer).giveUp(of: row, in: &transaction)].compactMap(\.self)
    }

    /// Hides a message that waits or is being fetched, since its record is no message any more.
    ///
    /// Its secret and its payload stay. When it is shown again it gets another number, so that a program that has seen
    /// later messages meanwhile learns of it.
    private func hide(_ known: MessageRow, in transaction: inout some NodeTransaction) throws {
        guard known.state == .waiting || known.state == .fetching else { return }
        var row = known
        (row.state, row.owesAnswer) = (.hidden, false)
        row.assertValid()
        try transaction.save(row)
    }

    /// - Returns: The message's new state, if it changed.
    private func takeMessage(
        _ record: RecordRow,
        _ zone: inout InboxZone,
        in transaction: inout some NodeTransaction
    ) throws -> MessageRow.State? {
        let stored = try transaction.message(MessageID(zone: record.zone, tag: record.tag))
        switch stored?.state {
        // Nothing of it would change, so it need not be read.
        case .sent, .finished, .forOthers, .earlier: if stored?.place == record.creation { return nil }
        case .waiting, .fetching, .failed, .hidden, nil: break
        }
        guard let message = try Message(record, device: zone.receipts.author) else {
            if let stored { try hide(stored, in: &transaction) }
            return nil
        }
        let known = try moved(stored, to: record.creation, &zone.receipts, in: &transaction)
        let mayChange = known == nil || known?.state == .failed || known?.state == .hidden
        guard mayChange, !message.isOver(at: committer.settledMilliseconds ?? 0) else { return nil }
        // A hidden one has passed this before. Where it does not now, its record need not change when it passes again.
        if known?.state != .hidden {
            let members = try zone.members(of: committer, in: transaction)
            guard members.account(message.sender) != nil,
                try isLawful(message, zone.id, members, in: transaction)
            else { return nil }
        }
        var row = try row(of: message, record, known, &zone, in: &transaction)
        guard row != known else { return nil }
        // A message that can be opened, or is shown, only now gets a number behind those delivered meanwhile.
        if known == nil || row.state == .waiting { row.number = try records.nextNumber(in: &transaction) }
        row.assertValid()
        try transaction.save(row)
        return row.state
    }

    /// Notes the write that has made the record of a known message: another one than before, where the sender has
    /// written its message again under another name.
    private func moved(
        _ known: MessageRow?,
        to place: Dot,
        _ receipts: inout ReceiptReading,
        in transaction: inout some NodeTransaction
    ) throws -> MessageRow? {
        guard var row = known, row.place != place else { return known }
        row.place = place
        row.takeOver(try receipts.state(of: committer.device, about: row.id, madeBy: place, in: transaction))
        try transaction.save(row)
        return row
    }

    /// Makes the row of a message, with its secret where this device can open it.
    private func row(
        of message: Message,
        _ record: RecordRow,
        _ known: MessageRow?,
        _ zone: inout InboxZone,
        in transaction: inout some NodeTransaction
    ) throws -> MessageRow {
        var row = MessageRow(
            id: MessageID(zone: record.zone, tag: record.tag),
            number: known?.number ?? 0,
            zone: record.zone,
            tag: record.tag,
            place: record.creation,
            state: .waiting,
            expires: message.expires
        )
        if case .sealed(let sealed) = message.content {
            // Everything that can be opened is, including content for siblings: its prekey is not kept for ever.
            row.secret =
                try known?.secret
                ?? Prekeys(committer).openEnvelope(of: sealed, at: SealedContent.Place(row, message), in: &transaction)
        }
        let said = try zone.receipts.state(of: committer.device, about: row.id, madeBy: row.place, in: transaction)
        let members = try zone.members(of: committer, in: transaction)
        row.state = state(of: message, row, isNew: known == nil, try Message.time(of: record), said, members)
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
        isNew: Bool,
        _ time: HybridTime,
        _ said: MessageReceipts.State?,
        _ members: InboxZone.Members
    ) -> MessageRow.State {
        if message.sender == committer.device { return .sent }
        guard message.isFor(committer.account.account) else { return .forOthers }
        if said == .read { return .finished }
        // A sender that names this device has seen its admission, whatever the sender's clock shows.
        guard
            !isNew || said != nil || message.names(committer.device)
                || members.membership.isSince(time, device: committer.device, account: committer.account.account)
        else { return .earlier }
        return records.content(of: message, row) == nil ? .failed : .waiting
    }

    /// Whether a message may edit the one that it refers to: only the account that sent that one may.
    private func isLawful(
        _ message: Message,
        _ zone: ZoneID,
        _ members: InboxZone.Members,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        guard let reference = message.reference, reference.relation == .edit,
            let row = try transaction.message(reference.id), row.zone == zone,
            let other = try records.message(of: row, in: transaction)
        else { return true }
        return members.account(message.sender) == members.account(other.sender)
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
            case .sent, .forOthers, .failed, .earlier, .hidden: refusals[id] = .unknown(id)
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
    /// The records of those that were sent from here are deleted, as far as that is allowed; with the records that are
    /// anchored to them, or alone where the right of this device does not cover these. A message that has expired by
    /// this machine's clock alone is hidden and stays.
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

    /// Deletes messages: those that cannot be deleted with all that is anchored to them, alone.
    ///
    /// Any member may anchor a record to a message, and so could keep the message from being deleted.
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
