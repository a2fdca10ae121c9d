import Wire

// Operations that an author wrote above the cut of its log, and uploads for others to decide about.
extension RunReceiver {
    /// Stores the run, which lies above its log's cut; it has no effect.
    ///
    /// The run changes no digest and no announced size, so that everything that peers compare stays the same. Only
    /// one history of a log is kept above the cut: the first that arrives. Operations that the author has pruned from
    /// the run, under a checkpoint that no other replica adopts, are a gap here as well; this store never raises the
    /// cut above that gap.
    /// - Returns: Nil when the run exceeds the room for such runs, or contains nothing that could be kept.
    func keep(
        _ row: LogRow,
        logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> AppliedOperations? {
        let size = run.signedHead.head.size
        let limit = logs.limit(row)
        guard row.key.lane == .data, row.cut != nil, !row.isForked, size > row.size,
            keeps.hasRoom(size, above: limit), logs.hasRoomAboveCuts(row, keeps)
        else { return nil }
        // Some of the operations that the author has pruned may be kept here: then the run begins before them.
        let gap = run.gap(over: row.size)
        guard
            let edge = try gap.map({ try StoredLog(row).frontier(at: $0.firstLeaf, in: transaction) })
                ?? row.frontier,
            edge.size >= limit
        else { return nil }
        let verifier = try verifier(
            of: row,
            from: edge,
            gapLimit: keeps.mayHaveGaps ? try gapLimit(row.key, logs: logs, in: transaction) : 0,
            end: limit,
            zone: logs.zone
        )
        let verified: VerifiedRun
        do {
            verified = try verifier.verify(run)
        } catch {
            // Whatever is wrong with it: the effective part is held, and nothing of this run is needed.
            return nil
        }
        let base = try transaction.head(row.key, atOrBelow: limit)?.byteCount ?? 0
        let held = try transaction.head(row.key, atOrBelow: edge.size)?.byteCount ?? 0
        guard held &- base &+ verified.byteCount <= keeps.byteCountMax else { return nil }
        if gap == nil {
            return try store(verified, row: row, logs: logs, in: &transaction)
        }
        return try replace(row, from: edge, by: verified, logs: logs, in: &transaction)
    }

    /// Stores a run in place of the operations kept above a cut, if the run supersedes each operation that it lacks.
    ///
    /// Both cannot be kept: one hash stands for all operations that the author has pruned together. So a thief of the
    /// device can write over a record and replace the writes that the device's person made there before, and no
    /// others.
    /// - Returns: Nil if an operation would be lost.
    private func replace(
        _ row: LogRow,
        from edge: TreeFrontier,
        by run: VerifiedRun,
        logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> AppliedOperations? {
        let removed = try StoredLog(row).operations(from: edge.size, in: transaction)
        var successors: [RecordTag: Domination] = [:]
        for (first, item) in run.items {
            guard case .record(let operation, _) = item else { continue }
            let dot = Dot(actor: row.key.actor, counter: first &+ 1)
            successors[operation.header.tag, default: Domination()].add(dot, vector: operation.header.vector)
        }
        let isSuperseded = removed.allSatisfy { successors[$0.operation.header.tag]?.isCovered($0.dot) ?? false }
        guard isSuperseded else { return nil }
        var logs = logs
        let shortened = try StoredLog(row).rollBack(to: edge, in: &transaction)
        logs[row.key] = shortened
        return try store(run, row: shortened, logs: logs, in: &transaction)
    }
}

extension ZoneLogs {
    /// Whether something may be kept above the cut of a log.
    fileprivate func hasRoomAboveCuts(_ row: LogRow, _ kept: KeptAboveCut) -> Bool {
        if row.size > limit(row) { return true }
        return kept.hasPlace(for: row, beside: rows.filter { $0.key.lane == .data && $0.size > limit($0) })
    }
}
