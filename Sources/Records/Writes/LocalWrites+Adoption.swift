package import Wire

extension LocalWrites {
    /// Restates a quarantined operation as an operation of the local author.
    ///
    /// The new operation equals a write that changes nothing, made on top of the record's live operations and the
    /// quarantined one: it replaces the operations that the quarantined one had seen, is merged with the others, and
    /// keeps the dots and clocks of all values. Its vector names the quarantined operation, and that alone makes it
    /// an adoption: a device that finds an effective operation naming it adopts nothing. If two adoptions are written
    /// concurrently, their values are the same ones, so they do not conflict and no counter counts twice.
    /// - Parameters:
    ///   - dot: The operation, as the list names it.
    ///   - transaction: The store.
    /// - Returns: The written operation; nothing when the operation was adopted before.
    /// - Throws: `QuarantineRefusal`; `ReplicaError` `.unknownZone`, `.zoneClosed`, `.ownLogClosed`.
    /// - Complexity: O(operations of the record), one signature.
    package func adopt(
        _ dot: Dot,
        in transaction: inout some ReplicaTransaction
    ) throws -> AdoptedOperation {
        let zone = try transaction.knownZone(self.zone)
        guard zone.state == .live else { throw ReplicaError.zoneClosed(zone.id) }
        let logs = try ZoneLogs(zone: zone, in: transaction)
        let (stored, row, reason) = try Quarantine.entry(dot, logs: logs, in: transaction)
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
}
