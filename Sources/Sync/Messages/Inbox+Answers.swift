import Identity
package import Records
package import Wire

// Answers: the receipts of a device for messages that it has, and messages that are sealed again to devices that could not open them.
extension Inbox {
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
        var receipts = try ReceiptReading(row.zone, in: transaction)
        let said = try receipts.state(of: committer.device, about: row.id, madeBy: record.creation, in: transaction)
        return said == .read
    }

    // MARK: Taking in

    /// Whether a change is a statement that this store has written: its messages have it already.
    ///
    /// A deletion is none: its statements are owed again.
    func isOwnStatement(_ change: ChangeRow, in transaction: some NodeTransaction) throws -> Bool {
        guard !change.bySync, !change.record.isDeleted, change.record.type == ReservedType.receipt,
            let name = ReceiptName(text: change.record.name)
        else { return false }
        return try name.writer == receiptWriter(in: change.record.zone, transaction)
    }

    /// The actor as which this store writes its receipts.
    private func receiptWriter(in zone: ZoneID, _ transaction: some NodeTransaction) throws -> ActorID? {
        guard let incarnation = try transaction.incarnation(), let row = try transaction.zone(zone) else { return nil }
        return ActorID(device: committer.device, incarnation: incarnation, right: row.right)
    }

    /// Takes in a record of receipts.
    ///
    /// Those of this device from before its store was lost or rolled back return this way: messages that it has
    /// finished are not delivered again. Receipts under a right that ended before this device knew are no longer
    /// effective, nor are those in which another device has written: then the device states them again.
    /// - Returns: Whether recipients of payloads have answered.
    func takeReceipts(
        _ record: RecordRow,
        _ zone: inout InboxZone,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        guard let name = ReceiptName(text: record.name), let device = zone.receipts.author(name.writer) else {
            return false
        }
        let said = try zone.receipts.states(of: device, about: name.section, in: transaction)
        let rows = try messages(of: name.section, zone: record.zone, in: transaction)
        guard device == committer.device else { return try takeAnswers(said, about: rows, &zone, in: &transaction) }
        for known in rows {
            var row = known
            row.takeOver(said[row.subject])
            if row != known { try transaction.save(row) }
        }
        return false
    }

    /// Takes in another device's answers about messages of this device, which seals those again that could not be
    /// opened.
    /// - Returns: Whether there are payloads among them of which more is known now.
    private func takeAnswers(
        _ said: [ReceiptSubject: MessageReceipts.State],
        about rows: [MessageRow],
        _ zone: inout InboxZone,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        var hasPayloads = false
        for var row in rows where row.state == .sent {
            guard let state = said[row.subject] else { continue }
            if row.payload != nil, !row.isSettled {
                try Custody(committer).noteIfAnswered(&row, &zone, in: &transaction)
                hasPayloads = true
            }
            guard state == .failed, row.secret != nil, !row.owesAnswer || row.isSettled else { continue }
            // A device that has lost its store needs the payload once more.
            if row.isSettled { hasPayloads = true }
            (row.owesAnswer, row.isSettled) = (true, false)
            try transaction.save(row)
        }
        return hasPayloads
    }

    private func messages(
        of section: ReceiptSection,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> [MessageRow] {
        // A sender that lies about the places of its messages makes no work beyond this bound.
        try transaction.messages(zone: zone, of: section, limit: MessageReceipts.statementCountMax)
    }

    // MARK: Writing

    /// Writes the answers that are owed in a zone: receipts, one record for each section in which some are owed, and
    /// envelopes of messages that were sent from here to devices that could not open them.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when none was owed.
    /// - Throws: As ``Committer/commit(_:zone:in:)``: they stay owed then.
    package func writeAnswers(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        let owing = try transaction.zone(zone).map { try answersDue(in: $0, limit: Self.chunkCount, transaction) } ?? []
        guard !owing.isEmpty else { return CommitNotice() }
        var receipts = try ReceiptReading(zone, in: transaction)
        var resealings = Resealings(at: committer.wallMilliseconds)
        var requests: [WriteRequest] = []
        var sections: Set<ReceiptSection> = []
        for row in owing {
            if row.state != .sent {
                sections.insert(ReceiptSection(of: row.place))
            } else if let write = try sealedAgain(row, &receipts, &resealings, in: transaction) {
                requests.append(WriteRequest([write]))
            }
        }
        // A write that is refused now would be refused the next time too.
        for var row in owing {
            row.owesAnswer = false
            row.heldSince = resealings.heldBack.contains(row.id) ? committer.wallMilliseconds : nil
            try transaction.save(row)
        }
        try resealings.save(in: &transaction)
        for section in sections.sorted() {
            if let write = try statement(about: section, &receipts, in: &transaction) {
                requests.append(WriteRequest([write]))
            }
        }
        guard !requests.isEmpty else { return CommitNotice(number: try transaction.nextCommitNumber()) }
        return try committer.commit(requests, zone: zone, in: &transaction).notice
    }

    /// Makes the write that states how the messages of a section stand here, and notes that it is owed no more.
    ///
    /// It takes over all that this store has stated about the section. It does not undo a statement of an earlier
    /// lifetime, which may not be entered yet: a message that was finished then is finished.
    /// - Returns: `nil` where all is stated.
    private func statement(
        about section: ReceiptSection,
        _ receipts: inout ReceiptReading,
        in transaction: inout some NodeTransaction
    ) throws -> RecordWrite? {
        guard let writer = try receiptWriter(in: receipts.zone, transaction) else { return nil }
        let name = ReceiptName(writer: writer, section: section)
        let said = try receipts.states(of: committer.device, about: section, in: transaction)
        let tag = try RecordTag(of: name.text, zone: receipts.zone, in: transaction)
        var states: [ReceiptSubject: MessageReceipts.State] = [:]
        if let record = try transaction.record(zone: receipts.zone, tag: tag),
            let own = try MessageReceipts(record, device: receipts.author)
        {
            states = own.states
        }
        var isOwed = false
        for known in try messages(of: section, zone: receipts.zone, in: transaction) {
            var row = known
            row.takeOver(said[row.subject])
            if let state = row.receiptState, row.owesAnswer {
                assert(said[row.subject] != .read || state == .read, "a message that was finished stays so")
                states[row.subject] = state
                row.owesAnswer = false
                isOwed = true
            }
            if row != known { try transaction.save(row) }
        }
        guard isOwed else { return nil }
        let place = StatementPlace(zone: receipts.zone, tag: tag)
        return MessageReceipts.write(states, named: name, in: place, signedBy: committer.keys)
    }

    /// Returns the message with envelopes for devices that could not open it, and have another key now or had no
    /// envelope, as far as these have not had their share of the hour.
    ///
    /// The sealed content stays unchanged, and so does the write that made the record: receipts remain valid.
    /// - Returns: `nil` when it would not change anything for any device.
    private func sealedAgain(
        _ row: MessageRow,
        _ receipts: inout ReceiptReading,
        _ resealings: inout Resealings,
        in transaction: some NodeTransaction
    ) throws -> RecordWrite? {
        guard row.state == .sent, let secret = row.secret,
            let record = try transaction.record(zone: row.zone, tag: row.tag),
            let message = try Message(record, device: receipts.author),
            case .sealed(var sealed) = message.content
        else { return nil }
        let place = SealedContent.Place(row, message)
        let readers = try ZoneRights(row.zone, of: committer, in: transaction).readers
        var hasChanged = false
        for (reader, account) in readers where message.isFor(account) {
            let before = sealed.envelope(for: reader)
            let said = try receipts.state(of: reader, about: row.id, madeBy: record.creation, in: transaction)
            guard said == .failed, sealed.envelopes.count < Limits.envelopeCountMax || before != nil,
                let envelope = try Prekeys(committer).sealAgain(
                    secret,
                    at: place,
                    to: reader,
                    readers,
                    instead: before,
                    by: receipts.author,
                    in: transaction,
                    if: { try resealings.take(row.id, for: reader, in: transaction) }
                )
            else { continue }
            sealed.insert(envelope)
            hasChanged = true
        }
        guard hasChanged else { return nil }
        return RecordWrite(
            name: record.name,
            type: ReservedType.message,
            set: [.init(field: "envelopes", value: .bytes(sealed.encodedEnvelopes))]
        )
    }

    // MARK: Sealing that waits

    /// Whether ``resumeSealing(in:)`` has something to do.
    package func hasToResume(in transaction: some NodeTransaction) throws -> Bool {
        try !heldBack(limit: 1, in: transaction).isEmpty
    }

    /// Makes messages due again that have waited for an hour to be sealed again, at most ``chunkCount`` of them.
    /// - Parameter transaction: The store.
    /// - Returns: The notice; without a number when there were none.
    /// - Throws: Any error of the store.
    package func resumeSealing(in transaction: inout some NodeTransaction) throws -> CommitNotice {
        let rows = try heldBack(limit: Self.chunkCount, in: transaction)
        guard !rows.isEmpty else { return CommitNotice() }
        for var row in rows {
            (row.owesAnswer, row.heldSince) = (true, nil)
            try transaction.save(row)
        }
        return CommitNotice(number: try transaction.nextCommitNumber())
    }

    private func heldBack(limit: Int, in transaction: some NodeTransaction) throws -> [MessageRow] {
        let (wall, hour) = (committer.wallMilliseconds, Resealings.hourMilliseconds)
        let over = wall < hour ? [] : try transaction.heldMessages(since: 0...(wall - hour), limit: limit)
        // A time that lies ahead was noted before the clock was turned back.
        guard over.count < limit, wall < .max else { return over }
        return try over + transaction.heldMessages(since: (wall + 1)...UInt64.max, limit: limit - over.count)
    }

    /// The zones in which answers are owed and may be written.
    /// - Parameter transaction: The store.
    /// - Returns: Their ids.
    /// - Throws: Any error of the store.
    /// - Complexity: O(zones in which answers are owed).
    package func zonesOwingAnswers(in transaction: some NodeTransaction) throws -> [ZoneID] {
        try transaction.zonesOwingAnswers().filter { zone in
            guard let row = try transaction.zone(zone), committer.isCurrent(row) else { return false }
            return try !answersDue(in: row, limit: 1, transaction).isEmpty
        }
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
    package func mayAnswer(in zone: ZoneRow) -> Bool {
        mayWrite(ReservedType.receipt, named: ReceiptName.prefix, in: zone)
    }

    /// Whether this device may write messages in a zone now, and so seal again and delete those that it has sent.
    /// - Parameter zone: The zone.
    /// - Returns: False for one that only reads, or whose right leaves messages out or has run out.
    package func mayRewrite(in zone: ZoneRow) -> Bool {
        mayWrite(ReservedType.message, named: Message.namePrefix, in: zone)
    }

    private func mayWrite(_ type: String, named prefix: String, in zone: ZoneRow) -> Bool {
        guard committer.mayWrite, zone.state == .live else { return false }
        switch zone.role {
        case .owner: return true
        case .participant(let scope):
            return MessageReceipts.isAllowed(
                scope.level,
                scope.caveats,
                type: type,
                named: prefix,
                at: committer.wallMilliseconds
            )
        case .unknown, .ended: return false
        }
    }
}

extension MessageRow {
    /// The state to report in a receipt; `nil` for a message that needs none.
    var receiptState: MessageReceipts.State? {
        switch state {
        case .waiting: .delivered
        case .finished: .read
        case .failed: .failed
        case .sent, .forOthers, .earlier, .fetching, .hidden: nil
        }
    }

    /// The message as receipts name it.
    var subject: ReceiptSubject { ReceiptSubject(id, madeBy: place) }

    /// Takes over a statement of this device about a message for it: one that was finished is finished, and any other
    /// statement than the present one is owed.
    /// - Parameter said: The statement in force; `nil` where there is none.
    mutating func takeOver(_ said: MessageReceipts.State?) {
        switch state {
        case .sent, .forOthers, .earlier: return
        case .waiting, .fetching, .failed, .finished, .hidden: break
        }
        if said == .read { state = .finished }
        owesAnswer = receiptState.map { $0 != said } ?? false
    }
}
