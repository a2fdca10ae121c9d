package import Wire

extension Replica {
    /// Returns the operations of a zone that are held but have no effect, ascending by log and place.
    ///
    /// It leaves out operations that an effective operation has seen: the author of the latter has adopted their
    /// content, or replaced it. So an adopted operation disappears from the list on every device that receives the
    /// adoption.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - after: The place after which to begin; nil: the beginning.
    ///   - limit: The maximum number of entries.
    ///   - transaction: The store.
    /// - Returns: The entries; fewer than the limit only at the end.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs), O(operations behind the ends of logs), O(operations of participants).
    package static func quarantine(
        zone: ZoneID,
        after: Dot? = nil,
        limit: Int,
        in transaction: some ReplicaTransaction
    ) throws -> [QuarantineEntry] {
        let logs = try ZoneLogs(zone: try knownZone(zone, in: transaction), in: transaction)
        var found: [QuarantineEntry] = []
        for row in logs.sorted(.data) {
            if let after, row.key.actor < after.actor { continue }
            var from = logs.firstUncounted(row)
            if let after, row.key.actor == after.actor { from = max(from, after.counter) }
            let left = limit - found.count
            found += try quarantine(of: row, from: from, limit: left, logs: logs, in: transaction)
        }
        return found
    }

    /// Whether operations that can be adopted or purged stand above the cuts of others' logs.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - device: The local device, which decides nothing about logs of its own.
    ///   - transaction: The store.
    /// - Returns: True when there are such operations.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(logs), and O(operations above cuts).
    package static func hasQuarantine(
        zone: ZoneID,
        except device: DeviceID,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        let logs = try ZoneLogs(zone: try knownZone(zone, in: transaction), in: transaction)
        return try logs.sorted(.data).contains { row in
            guard row.cut != nil, !row.isForked, row.device != device else { return false }
            let from = logs.recordLimit(row)
            return try !quarantine(of: row, from: from, limit: 1, logs: logs, in: transaction).isEmpty
        }
    }

    private static func quarantine(
        of row: LogRow,
        from: UInt64,
        limit: Int,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> [QuarantineEntry] {
        var found: [QuarantineEntry] = []
        var from = from
        while from < row.size, found.count < limit {
            let to = min(row.size, from &+ UInt64(ReplicaLimits.pageRowCount))
            let items = try transaction.items(row.key, from: from, to: to)
            let entries = try entries(items, of: row, logs: logs, in: transaction)
            found += entries.prefix(limit - found.count)
            from = to
            // Many leaves may be missing at once.
            if case .gap(let gap) = items.last?.content { from = max(from, gap.endLeaf) }
        }
        return found
    }

    private static func entries(
        _ items: [StoredItem],
        of row: LogRow,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> [QuarantineEntry] {
        let waiting = try items.compactMap { item -> (stored: StoredOperation, reason: QuarantineEntry.Reason)? in
            guard case .operation(let stored) = item.content,
                let reason = try logs.reason(stored, in: row, transaction.keyring)
            else { return nil }
            return (stored, reason)
        }
        guard !waiting.isEmpty else { return [] }
        let tags = Set(waiting.map(\.stored.operation.header.tag)).sorted()
        let contexts = Dictionary(
            try transaction.records(zone: logs.zone.id, tags: tags).map { ($0.tag, $0.context) }
        ) { first, _ in first }
        return try waiting.compactMap { stored, reason in
            let header = stored.operation.header
            if reason != .forked, contexts[header.tag]?.covers(stored.dot) ?? false { return nil }
            // If a body does not open, nothing is known of it but its existence.
            let body = try transaction.opened(stored, zone: logs.zone.id)?.body
            return QuarantineEntry(
                zone: logs.zone.id,
                dot: stored.dot,
                device: row.device,
                reason: reason,
                name: body?.name ?? "",
                type: body?.type ?? "",
                isDeletion: stored.isTombstone,
                time: header.time,
                byteCount: stored.operation.byteCount
            )
        }
    }

    // MARK: Adopting

    /// Restates a quarantined operation as an operation of the local author.
    ///
    /// The new operation equals a write that changes nothing, made on top of the record's live operations and the
    /// quarantined one: it replaces the operations that the quarantined one had seen, is merged with the others, and
    /// keeps the dots and clocks of all values. Its vector names the quarantined operation, and that alone makes it
    /// an adoption: a device that finds an effective operation naming it adopts nothing. If two adoptions are written
    /// concurrently, their values are the same ones, so they do not conflict and no counter counts twice.
    /// - Parameters:
    ///   - dot: The operation, as the list names it.
    ///   - zone: The zone.
    ///   - author: The local author.
    ///   - wallMilliseconds: The wall clock, milliseconds since 1970.
    ///   - sign: Signs the bytes of a tree head with the device's key for the purpose of tree heads.
    ///   - transaction: The store.
    /// - Returns: The written operation; nothing when the operation was adopted before.
    /// - Throws: `QuarantineRefusal`; `ReplicaError` `.unknownZone`, `.zoneClosed`, `.ownLogClosed`.
    /// - Complexity: O(operations of the record), one signature.
    package static func adopt(
        _ dot: Dot,
        zone: ZoneID,
        author: Author,
        wallMilliseconds: UInt64,
        sign: (_ headBytes: [UInt8]) throws -> Signature64,
        in transaction: inout some ReplicaTransaction
    ) throws -> AdoptedOperation {
        let zone = try knownZone(zone, in: transaction)
        guard zone.state == .live else { throw ReplicaError.zoneClosed(zone.id) }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        let (stored, row, reason) = try quarantined(dot, logs: logs, in: transaction)
        guard reason != .forked, !row.isForked else { throw QuarantineRefusal.forked(dot) }
        let header = stored.operation.header
        var workspace = RecordWorkspace(logs)
        try workspace.load([header.tag], in: transaction)
        if workspace.row(header.tag)?.context.covers(dot) ?? false { return AdoptedOperation() }
        guard logs.isReady(header.vector, .data) else { throw QuarantineRefusal.waiting(dot) }
        var log = try OwnLog(author, .data, logs: logs, in: transaction)
        var clock = try transaction.clock()
        clock.observe(header.time, wallMilliseconds: wallMilliseconds)
        let time = clock.tick(wallMilliseconds: wallMilliseconds)

        let reading = try logs.reading(stored, in: row, transaction.keyring)
        // Restated, it would break the same rules as before, and be effective on this device alone.
        if case .unsound = reading { throw QuarantineRefusal.unsound(dot) }
        guard case .opened(let opened) = reading, try workspace.isReadable(header.tag, in: transaction) else {
            throw QuarantineRefusal.notReadable(dot)
        }
        let given = Sibling(actor: stored.actor, header: header, body: opened.body)
        let live = try workspace.live(header.tag, in: transaction)
        let kept = live.filter { !given.vector.covers($0.dot) }
        guard let merged = Merge.merge(kept + [given], forks: logs.forkPoints) else { return AdoptedOperation() }
        var seen = merged.seen
        for sibling in live { seen.merge(sibling.vector) }
        let restated = RestatedRecord(merged: merged, seen: seen, tag: header.tag, controlHeads: logs.controlHeads)
        guard let (operation, body) = restated.operation(log.dot(), time: time, author: author) else {
            throw QuarantineRefusal.tooLarge(dot)
        }
        // It names no promotion: an adopter of an operation that breaks the schema decides that it is effective
        // nevertheless.
        guard logs.allows(operation.header, body.body, in: log.row) else { throw QuarantineRefusal.notAllowed(dot) }
        workspace.apply(operation, body, actor: author.actor)
        try log.add([(operation, body.body.isDeleted)])

        try workspace.mergeAll(in: transaction)
        try transaction.setStates(workspace.changesOfStored(lane: .data))
        try log.finish(state: { workspace.state(of: $0) }, sign: sign, in: &transaction)
        var adopted = AdoptedOperation()
        adopted.changed = try workspace.save(bySync: false, in: &transaction)
        adopted.heads = log.heads
        try transaction.save(clock)
        adopted.number = try transaction.nextCommitNumber()
        return adopted
    }

    static func quarantined(
        _ dot: Dot,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> (stored: StoredOperation, row: LogRow, reason: QuarantineEntry.Reason) {
        let key = LogKey(zone: logs.zone.id, actor: dot.actor, lane: .data)
        guard let row = logs[key], dot.counter > 0, dot.counter <= row.size,
            case .operation(let stored) = try transaction.items(key, from: dot.counter &- 1, to: dot.counter).first?
                .content, let reason = try logs.reason(stored, in: row, transaction.keyring)
        else { throw QuarantineRefusal.unknown(dot) }
        return (stored, row, reason)
    }
}

extension ZoneLogs {
    /// The first leaf of a log that may have no effect.
    fileprivate func firstUncounted(_ row: LogRow) -> UInt64 {
        // Any operation of a participant may be outside of its right, and a right may turn out void. Any author may
        // break a schema, or seal bytes that are no record.
        row.role == .owner && production == nil && zone.sealing.epoch == nil ? recordLimit(row) : 0
    }

    /// The reason why a stored operation has no effect; nil if it is effective, only waits, or was restated.
    fileprivate func reason(
        _ stored: StoredOperation,
        in row: LogRow,
        _ keyring: EpochKeyring
    ) throws -> QuarantineEntry.Reason? {
        if stored.dot.counter > recordLimit(row) {
            guard stored.state != .restated else { return nil }
            return stored.dot.counter > row.forkProof?.forkPoint ?? .max ? .forked : .aboveCut
        }
        guard stored.state == .void else { return nil }
        switch try reading(stored, in: row, keyring) {
        case .opened(let opened):
            return isWithinRight(stored.operation.header, opened.body, in: row) ? .outOfSchema : .outOfRight
        case .locked: return .outOfRight
        case .unsound: return .unsound
        }
    }
}
