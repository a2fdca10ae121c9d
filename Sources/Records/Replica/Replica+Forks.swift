package import Wire

extension Replica {
    /// Records a fork proof from a peer: the log ends where its histories part.
    ///
    /// The operations behind that place are quarantined; ``LocalWrites/restateForked(in:)``
    /// restates them. Of several proofs the one with the smallest fork point is effective, so that replicas which
    /// have the same ones agree.
    /// - Parameters:
    ///   - proof: The proof.
    ///   - actor: The actor derived from the heads' device and incarnation.
    ///   - ruling: The ruling on the actor's log; used when the log is new here.
    ///   - wallMilliseconds: The wall clock, milliseconds since 1970.
    ///   - transaction: The store.
    /// - Returns: The changes, including those by operations that waited for the log's end; nil when the log ended
    ///   there, or before, already.
    /// - Throws: `.unknownZone`, `.invalidForkProof`.
    /// - Complexity: O(operations of the zone).
    package static func record(
        _ proof: ForkProof,
        actor: ActorID,
        ruling: LogRuling = LogRuling(),
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Applied? {
        let head = proof.first.head
        let zone = try knownZone(head.zone, in: transaction)
        let key = LogKey(zone: zone.id, actor: actor, lane: head.lane)
        let row = try transaction.log(key) ?? LogRow(head, key: key, ruling: ruling)
        if let held = row.forkProof, held.forkPoint <= proof.forkPoint { return nil }
        guard row.isNamed(by: head), proof.isValid else {
            throw ReplicaError.invalidForkProof
        }
        return try end(row, by: proof, wallMilliseconds: wallMilliseconds, in: &transaction)
    }

    /// Ends a log where a valid proof says.
    @discardableResult
    static func end(
        _ row: LogRow,
        by proof: ForkProof,
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Applied {
        let zone = try knownZone(row.key.zone, in: transaction)
        let before = try ZoneLogs(zone: zone, in: transaction)
        var row = row
        let isMoved = row.forkProof != nil
        row.forkProof = proof
        try transaction.save(row)
        if isMoved { try forgetRestated(row, in: &transaction) }
        var after = before
        after[row.key] = row
        if row.key.lane == .control {
            after.zone = try rebuiltZone(after, in: transaction)
        } else {
            var trusted = zone.watermark
            trusted[row.key.actor] = 0
            after.zone.watermark = try settledWatermark(
                zone.watermark,
                trusted: trusted,
                logs: after,
                in: transaction
            )
        }
        if after.zone != zone { try transaction.save(after.zone) }
        let changed = try recountLogs(limitsBefore: before, after: after, in: &transaction).changed
        var applied = try retryPending(zone: zone.id, wallMilliseconds: wallMilliseconds, in: &transaction)
        applied.changed = changed + applied.changed
        return applied
    }

    /// Records with operations that name operations behind the end of a log: it is unknown by now which of them their
    /// authors had seen.
    static func tagsNaming(
        _ actor: ActorID,
        above size: UInt64,
        zone: ZoneID,
        in transaction: some ReplicaTransaction
    ) throws -> [RecordTag] {
        var tags: [RecordTag] = []
        var after: RecordTag?
        while true {
            let page = try transaction.summaries(zone: zone, after: after, limit: ReplicaLimits.pageRowCount)
            guard let last = page.last else { return tags }
            after = last.tag
            for operation in page where operation.vector[actor] > size && tags.last != operation.tag {
                tags.append(operation.tag)
            }
        }
    }

    /// Quarantines restated operations again, because the log turned out to end later than it seemed.
    static func forgetRestated(_ row: LogRow, in transaction: inout some ReplicaTransaction) throws {
        var from: UInt64 = 0
        while from < row.size {
            let to = min(row.size, from &+ UInt64(ReplicaLimits.pageRowCount))
            let changes = try transaction.items(row.key, from: from, to: to).compactMap { item -> StateChange? in
                guard case .operation(let stored) = item.content, stored.state == .restated else { return nil }
                return StateChange(key: row.key, counter: item.first &+ 1, state: .quarantined)
            }
            if !changes.isEmpty { try transaction.setStates(changes) }
            from = to
        }
    }

    /// Retries the pending operations in both lanes, after a change other than a run that they may wait for.
    static func retryPending(
        zone: ZoneID,
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Applied {
        let before = try ZoneLogs(zone: try knownZone(zone, in: transaction), in: transaction)
        var applier = ZoneApplier(before, transaction.keyring)
        try applier.drain(.control, in: &transaction)
        try applier.drain(.data, in: &transaction)
        var applied = try applier.finish(wallMilliseconds: wallMilliseconds, in: &transaction)
        if applied.hasControlChanges {
            try settle(&applier.logs, before: before, in: &transaction)
            applied.changed += try recount(limitsBefore: before, after: applier.logs, in: &transaction)
        }
        return applied
    }

    /// Settles the watermark after control operations were applied.
    static func settle(
        _ logs: inout ZoneLogs,
        before: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws {
        let settled = try settledWatermark(
            logs.zone.watermark,
            trusted: before.zone.watermark,
            logs: logs,
            in: transaction
        )
        guard settled != logs.zone.watermark else { return }
        logs.zone.watermark = settled
        try transaction.save(logs.zone)
    }

    // MARK: Checkpoints that cover one of the histories

    /// The watermark without logs of which this replica holds another history than the checkpoints cover.
    ///
    /// Such a log is effective only up to the fork. When the operations behind the fork are restated, the log is
    /// truncated to the fork and continued with the history that the checkpoint covers
    /// (``LocalWrites/restateForked(in:)``).
    /// - Parameters:
    ///   - watermark: The log sizes that the checkpoints cover.
    ///   - trusted: The watermark that was settled before.
    ///   - logs: The zone's logs.
    ///   - transaction: The store.
    /// - Returns: The watermark to use.
    /// - Throws: Any error of the store.
    static func settledWatermark(
        _ watermark: VersionVector,
        trusted: VersionVector,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> VersionVector {
        var settled = watermark
        for row in logs.sorted(.data) {
            let size = watermark[row.key.actor]
            guard let proof = row.forkProof, size > proof.forkPoint, row.size > proof.forkPoint else { continue }
            // A log that is being continued keeps its former state meanwhile.
            if row.size < size, trusted[row.key.actor] > proof.forkPoint { continue }
            let root = try row.size < size ? nil : StoredLog(row).root(at: size, in: transaction)
            let positions = try KnownCheckpoints(logs).covering(row.key, in: transaction)
                .compactMap { $0.position(row.key.actorLane) }
            if !positions.contains(where: { $0.size == size && $0.root == root }) { settled[row.key.actor] = 0 }
        }
        return settled
    }
}
