import Records
import Wire

// The round: new references, marks, and the end of content that no record names.
extension Assets {
    /// References that one transaction looks at.
    package static let referenceCount = 64
    /// Further references of the last one's record that the same transaction looks at: else a record with thousands of them would be decoded
    /// again for each few.
    package static let furtherReferenceCount = 1_024
    /// Payloads that one transaction marks.
    package static let markedCount = 64

    /// The result of a round.
    package struct Round: Sendable {
        /// The notice; without a number when nothing was due.
        package var notice = CommitNotice()
        /// Whether payloads are wanted now that were not before.
        package var hasWants = false
        /// Whether there may be more to do.
        package var hasMore = false

        /// Describes a transaction in which nothing was done.
        package init() {}
    }

    /// Looks at some new references, marks payloads that are not named any more or named again, drops some content whose time is over,
    /// removes promises to keep some that have ended, and forgets statements of devices that were removed.
    /// - Parameter transaction: The store.
    /// - Returns: The result.
    /// - Throws: Any error of the store.
    /// - Complexity: O(``referenceCount`` records + ``furtherReferenceCount`` references + ``markedCount`` payloads), and once O(wanted
    ///   payloads) where a policy fetches more.
    package func round(in transaction: inout some NodeTransaction) throws -> Round {
        var look = AssetLook(self)
        if try hasRoomAgain(in: transaction) { try lookAgain(in: &transaction, &look) }
        let references = try transaction.unseenAssetReferences(limit: Self.referenceCount)
        for reference in references {
            try look.take(reference, in: &transaction)
            try transaction.markSeen(reference)
        }
        if references.count == Self.referenceCount, let last = references.last {
            try lookOn(at: last, in: &transaction, &look)
        }
        // Behind the references: one that has just been looked at names its payload already.
        let marked = try transaction.payloadsToMark(limit: Self.markedCount)
        for row in marked { try mark(row, in: &transaction) }
        try look.finish(in: &transaction)
        var round = Round()
        round.notice = look.notice
        round.hasWants = look.notice.hasWants
        if !references.isEmpty || !marked.isEmpty || look.hasChanged {
            round.notice.number = try transaction.nextCommitNumber()
        }
        let dropped = try Payloads(committer).drop(in: &transaction)
        round.notice.merge(dropped)
        let hasMorePromises = try Evictions(committer).endPromises(in: &transaction)
        let hasMoreStatements = try Holders(committer).forgetGone(in: &transaction)
        let hasMoreRelays = try Custody(committer).forgetGone(in: &transaction)
        round.hasMore =
            references.count == Self.referenceCount || marked.count == Self.markedCount || dropped.number != nil
            || hasMorePromises || hasMoreStatements || hasMoreRelays
        return round
    }

    /// Looks at further new references of a record, which follow in the order of the store.
    private func lookOn(
        at last: AssetReference,
        in transaction: inout some NodeTransaction,
        _ look: inout AssetLook
    ) throws {
        func isOfRecord(_ reference: AssetReference) -> Bool {
            reference.zone == last.zone && reference.tag == last.tag
        }
        // Mostly another record follows.
        guard try transaction.unseenAssetReferences(limit: 1).contains(where: isOfRecord) else { return }
        let further = try transaction.unseenAssetReferences(limit: Self.furtherReferenceCount)
        for reference in further.prefix(while: isOfRecord) {
            try look.take(reference, in: &transaction)
            try transaction.markSeen(reference)
        }
    }

    /// Whether a round has something to do.
    /// - Parameter transaction: The store.
    /// - Returns: Whether a reference is new, a payload is to be marked or dropped, there is room again, a promise has ended, or a device
    ///   that was removed has made statements or promises.
    /// - Throws: Any error of the store.
    package func isDue(in transaction: some NodeTransaction) throws -> Bool {
        try !transaction.unseenAssetReferences(limit: 1).isEmpty || !transaction.payloadsToMark(limit: 1).isEmpty
            || Payloads(committer).hasToDrop(in: transaction) || hasRoomAgain(in: transaction)
            || Evictions(committer).hasEndedPromises(in: transaction) || Holders(committer).hasGone(in: transaction)
            || Custody(committer).hasGone(in: transaction)
    }

    private func mark(_ row: PayloadRow, in transaction: inout some NodeTransaction) throws {
        var row = row
        // The later one of two clocks, so that a clock that is years behind does not shorten the time.
        row.unnamedSince = row.unnamedSince == nil ? committer.sinceMilliseconds : nil
        try transaction.save(row)
    }

    // MARK: Room

    /// Whether assets that the policy of a zone fetches are left out, or are not fetched at present, for want of room.
    /// - Parameter transaction: The store.
    /// - Returns: Whether people should make room.
    /// - Throws: Any error of the store.
    package func lacksRoom(in transaction: some NodeTransaction) throws -> Bool {
        if try leftOutAt(in: transaction) != nil { return true }
        guard room.isShort else { return false }
        return try transaction.wantedPayloads(limit: Self.referenceCount).contains {
            try $0.isAsset && !rows.isDemanded($0, in: transaction)
        }
    }

    /// Whether assets were left out, and there is enough more room by now to look at them again.
    private func hasRoomAgain(in transaction: some NodeTransaction) throws -> Bool {
        guard let before = try leftOutAt(in: transaction) else { return false }
        guard let now = room.byteCount else { return true }
        return now > before && now - before >= room.stepByteCount
    }

    /// Looks at the references of all zones again; those that still find no room are noted as left out again.
    private func lookAgain(in transaction: inout some NodeTransaction, _ look: inout AssetLook) throws {
        for zone in try transaction.zones() where zone.state == .live {
            try transaction.markAssetReferencesUnseen(zone: zone.id)
        }
        try transaction.setValue(nil, named: Self.leftOutName)
        look.hasChanged = true
    }

    /// The room there was when an asset was left out last; `nil` where none is.
    private func leftOutAt(in transaction: some NodeTransaction) throws -> UInt64? {
        guard let value = try transaction.value(named: Self.leftOutName) else { return nil }
        var reader = WireReader(value)
        // A damaged value only causes another look.
        return (try? reader.readUInt64()) ?? 0
    }

    /// Notes that an asset was left out.
    func noteLeftOut(in transaction: inout some NodeTransaction) throws {
        var writer = WireWriter()
        writer.writeUInt64(room.byteCount ?? 0)
        try transaction.setValue(writer.bytes, named: Self.leftOutName)
    }

    private static let leftOutName = "assets-left-out"

    // MARK: Senders

    /// The device that is asked first for the payload of a reference: the author of the record's operation, where there is one, else the
    /// record's creator.
    func sender(of reference: AssetReference, in transaction: some NodeTransaction) throws -> DeviceID {
        guard let record = try transaction.record(zone: reference.zone, tag: reference.tag) else {
            return committer.device
        }
        return try sender(of: record, in: transaction)
    }

    func sender(of record: RecordRow, in transaction: some NodeTransaction) throws -> DeviceID {
        let dot = record.live.count == 1 ? record.live.first : nil
        let key = LogKey(zone: record.zone, actor: (dot ?? record.creation).actor, lane: .data)
        return try transaction.log(key)?.device ?? committer.device
    }
}
