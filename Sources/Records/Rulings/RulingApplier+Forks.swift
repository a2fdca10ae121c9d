package import Wire

extension ForkProof {
    /// Records the proof, which a peer sent: the log ends where its histories part.
    ///
    /// The operations behind that place are quarantined; ``LocalWrites/restateForked(in:)``
    /// restates them. Of several proofs the one with the smallest fork point is effective, so that replicas which
    /// have the same ones agree.
    /// - Parameters:
    ///   - actor: The actor derived from the heads' device, incarnation and right.
    ///   - ruling: The ruling on the actor's log; used when the log is new here.
    ///   - wallMilliseconds: The wall clock, milliseconds since 1970.
    ///   - transaction: The store.
    /// - Returns: The changes, including those by operations that waited for the log's end; nil when the log ended
    ///   there, or before, already.
    /// - Throws: `.unknownZone`, `.invalidForkProof`.
    /// - Complexity: O(operations of the zone).
    package func record(
        actor: ActorID,
        ruling: LogRuling = LogRuling(),
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> AppliedOperations? {
        let head = first.head
        let zone = try transaction.knownZone(head.zone)
        let key = LogKey(zone: zone.id, actor: actor, lane: head.lane)
        let row = try transaction.log(key) ?? LogRow(head, key: key, ruling: ruling)
        if let held = row.forkProof, held.forkPoint <= forkPoint { return nil }
        guard row.isNamed(by: head), isValid else {
            throw ReplicaError.invalidForkProof
        }
        return try RulingApplier(of: zone.id, wallMilliseconds: wallMilliseconds).end(row, by: self, in: &transaction)
    }
}

extension RulingApplier {
    /// Ends a log where a valid proof says.
    @discardableResult
    func end(
        _ row: LogRow,
        by proof: ForkProof,
        in transaction: inout some ReplicaTransaction
    ) throws -> AppliedOperations {
        let zone = try transaction.knownZone(self.zone)
        let before = try ZoneLogs(zone: zone, in: transaction)
        var row = row
        let isMoved = row.forkProof != nil
        assert(row.forkProof.map { proof.forkPoint < $0.forkPoint } ?? true, "another proof ends a log earlier")
        row.forkProof = proof
        row.assertValid()
        try transaction.save(row)
        if isMoved { try StoredLog(row).forgetRestated(in: &transaction) }
        var after = before
        after[row.key] = row
        if row.key.lane == .control {
            after.zone = try after.rebuiltZone(in: transaction)
        } else {
            var trusted = zone.watermark
            trusted[row.key.actor] = 0
            after.zone.watermark = try after.effectiveWatermark(zone.watermark, trusted: trusted, in: transaction)
        }
        if after.zone != zone { try transaction.save(after.zone) }
        let changed = try LimitChange(from: before, to: after).recount(in: &transaction).changed
        var applied = try retryPending(in: &transaction)
        applied.changed = changed + applied.changed
        return applied
    }

    /// Retries the pending operations in both lanes, after a change other than a run that they may wait for.
    func retryPending(in transaction: inout some ReplicaTransaction) throws -> AppliedOperations {
        let before = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        var applier = ZoneApplier(before, transaction.keyring)
        try applier.drain(.control, in: &transaction)
        try applier.drain(.data, in: &transaction)
        var applied = try applier.finish(wallMilliseconds: wallMilliseconds, in: &transaction)
        if applied.hasControlChanges {
            try applier.logs.saveEffectiveWatermark(before: before, in: &transaction)
            applied.changed += try LimitChange(from: before, to: applier.logs).recount(in: &transaction).changed
        }
        return applied
    }
}
