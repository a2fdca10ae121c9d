import Wire

// Runs of a forked log of which a checkpoint covers one history. The replica that made the checkpoint had not learned of
// the fork.
extension RunReceiver {
    /// Takes the run of a forked log if a checkpoint covers more of the log than the part that both histories share, and
    /// this replica holds another history of it, or has not proven yet that it holds the covered one.
    ///
    /// The operations held behind the fork stay until such a run is there: the heads of this replica that are needed to
    /// serve what lies before the fork are signed over them. They are replaced once all of them are restated. The covered
    /// history arrives in several runs if it is long. A run that continues the held history instead is stored behind it and
    /// waits to be restated, until the root at the covered size shows that this is the covered history.
    /// - Parameters:
    ///   - row: The log, which is held up to its end.
    ///   - logs: The zone's logs.
    ///   - transaction: The store.
    /// - Returns: Nil when the run is not taken; nothing has then changed.
    /// - Throws: As ``receive(in:)``.
    func takeCovered(
        _ row: LogRow,
        logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> ReceivedRun? {
        guard row.key.lane == .data, let proof = row.forkProof, row.size > proof.forkPoint, row.hole == nil,
            logs.limit(row) <= proof.forkPoint, run.from <= row.size
        else { return nil }
        let positions = try KnownCheckpoints(logs).covering(row.key, in: transaction)
            .compactMap { $0.position(row.key.actorLane) }
        guard let covered = positions.map(\.size).max(), covered > proof.forkPoint else { return nil }
        let gapLimit = try gapLimit(row.key, logs: logs, in: transaction)
        if row.size < covered {
            let verifier = try verifier(of: row, from: row.frontier, gapLimit: gapLimit, zone: logs.zone)
            if let verified = try? verifier.verify(run) {
                var applied = try store(verified, row: row, logs: logs, in: &transaction)
                applied.changed += try prove(row.key, positions, in: &transaction)
                return .stored(applied)
            }
        }
        let head = run.signedHead.head
        let isHeld = try head.size <= row.size && StoredLog(row).root(at: head.size, in: transaction) == head.root
        guard !isHeld, try StoredLog(row).isRestated(behind: proof.forkPoint, in: transaction),
            let edge = try StoredLog(row).frontier(at: proof.forkPoint, in: transaction)
        else { return nil }
        let verifier = try verifier(of: row, from: edge, gapLimit: gapLimit, zone: logs.zone)
        let verified: VerifiedRun?
        do {
            verified = try verifier.verify(run)
        } catch .forgotten {
            verified = nil
        } catch {
            return nil
        }
        let short = try StoredLog(row).rollBack(to: edge, in: &transaction)
        var zone = logs.zone
        zone.watermark.merge(Dot(actor: row.key.actor, counter: covered))
        try transaction.save(zone)
        let after = try ZoneLogs(zone: zone, in: transaction)
        let changed = try LimitChange(from: logs, to: after).recount(in: &transaction).changed
        var applied: AppliedOperations
        if let verified {
            applied = try store(verified, row: short, logs: after, in: &transaction)
        } else {
            guard let rejoined = try rejoin(short, logs: after, in: &transaction) else {
                throw ReplicaError.invalidRun(row.key, .forgotten(held: short.size))
            }
            applied = rejoined
        }
        applied.changed = changed + applied.changed
        return .stored(applied)
    }

    /// Makes a forked log effective up to the furthest position of a checkpoint that has the root of the log held here.
    private func prove(
        _ key: LogKey,
        _ positions: [LogPosition],
        in transaction: inout some ReplicaTransaction
    ) throws -> [RecordRow] {
        let before = try ZoneLogs(zone: try transaction.knownZone(key.zone), in: transaction)
        guard let row = before[key] else { return [] }
        let proven = try positions.sorted { $0.size > $1.size }
            .first { try StoredLog(row).reaches(($0.size, $0.root), in: transaction) }
        guard let proven, proven.size > before.zone.watermark[key.actor] else { return [] }
        var after = before
        after.zone.watermark[key.actor] = proven.size
        try transaction.save(after.zone)
        return try LimitChange(from: before, to: after).recount(in: &transaction).changed
    }

    /// Ends a forked log at its fork again if it was being continued as a checkpoint covers it, and another run shows that
    /// the operations which have arrived may belong to the other history.
    ///
    /// They are restated then, since no replica that has them may be able to, and replaced afterwards.
    /// - Returns: The records whose visible state has changed; nil where it was not being continued.
    func stopContinuing(_ row: LogRow, in transaction: inout some ReplicaTransaction) throws -> [RecordRow]? {
        let zone = try transaction.knownZone(row.key.zone)
        guard row.key.lane == .data, let proof = row.forkProof, row.size > proof.forkPoint,
            row.size < zone.watermark[row.key.actor]
        else { return nil }
        let before = try ZoneLogs(zone: zone, in: transaction)
        let isProven = try KnownCheckpoints(before).covering(row.key, in: transaction)
            .compactMap { $0.position(row.key.actorLane) }
            .contains { try $0.size > proof.forkPoint && StoredLog(row).reaches(($0.size, $0.root), in: transaction) }
        guard !isProven else { return nil }
        var after = before
        after.zone.watermark[row.key.actor] = proof.forkPoint
        try transaction.save(after.zone)
        let changed = try LimitChange(from: before, to: after).recount(in: &transaction).changed
        // Operations that waited for more of the log wait no longer.
        let freed = try RulingApplier(of: zone.id, wallMilliseconds: wallMilliseconds).retryPending(in: &transaction)
        return changed + freed.changed
    }
}
