import Wire

extension Replica {
    /// Takes a run that closes a hole of its log.
    ///
    /// Only what is missing is taken of it as far as the log goes on behind the hole; what is held there may be held by nobody
    /// else. What a checkpoint has let go meanwhile is taken as by any log that ends at the hole, and so is a run that ends inside
    /// of what its author had forgotten.
    static func fill(
        _ run: Run,
        row: LogRow,
        from hole: UInt64,
        logs: ZoneLogs,
        sharedSize: UInt64,
        liveSet: LiveSetComparison?,
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> Receipt {
        guard let edge = try frontier(of: row, at: hole, in: transaction) else {
            throw ReplicaError.damaged("leaves before the hole of a log are missing")
        }
        let verified: VerifiedRun
        do {
            verified = try verify(run, row: row, edge: edge, logs: logs, in: transaction)
        } catch let error as RunError {
            guard case .forgotten = error else {
                return try answer(error, to: run, row: row, wallMilliseconds: wallMilliseconds, in: &transaction)
            }
            var logs = logs
            let short = try takeBack(row, to: edge, in: &transaction)
            logs[row.key] = short
            let rejoined = try rejoin(
                run,
                row: short,
                logs: logs,
                sharedSize: sharedSize,
                liveSet: liveSet,
                wallMilliseconds: wallMilliseconds,
                in: &transaction
            )
            guard let rejoined else { throw ReplicaError.invalidRun(row.key, error) }
            return .stored(rejoined)
        }
        if try verified.hasGaps || splits(row, at: verified.size, in: transaction) {
            var logs = logs
            let short = try takeBack(row, to: edge, in: &transaction)
            logs[row.key] = short
            let wall = wallMilliseconds
            return .stored(try store(verified, row: short, logs: logs, wallMilliseconds: wall, in: &transaction))
        }
        guard try isContinued(row, by: verified, run: run, logs: logs, in: transaction) else {
            return try answer(.rootMismatch, to: run, row: row, wallMilliseconds: wallMilliseconds, in: &transaction)
        }
        let closed = try close(row, by: verified, logs: logs, in: &transaction)
        var applied = try retryPending(zone: logs.zone.id, wallMilliseconds: wallMilliseconds, in: &transaction)
        applied.storedCount = closed.filled
        applied.size = closed.row.heldSize
        guard run.signedHead.head.size > row.size, closed.row.hole == nil else { return .stored(applied) }
        let zone = try knownZone(logs.zone.id, in: transaction)
        let now = try ZoneLogs(zone: zone, in: transaction)
        guard let grown = now[row.key] else { return .stored(applied) }
        let rest = try verify(run, row: grown, edge: grown.frontier, logs: now, in: transaction)
        let wall = wallMilliseconds
        var more = try store(rest, row: grown, logs: now, wallMilliseconds: wall, in: &transaction)
        more.changed = applied.changed + more.changed
        more.storedCount &+= applied.storedCount
        more.appliedCount &+= applied.appliedCount
        return .stored(more)
    }

    /// Whether a run that closes a hole ends inside of what is missing behind it: then it takes the place of that, since what is
    /// known of it is a hash of the whole.
    private static func splits(
        _ row: LogRow,
        at size: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        guard size < row.size, let item = try transaction.items(row.key, from: size, to: size &+ 1).first else {
            return false
        }
        return item.first < size
    }

    private static func verify(
        _ run: Run,
        row: LogRow,
        edge: TreeFrontier,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> VerifiedRun {
        let verifier = RunVerifier(
            key: row.key,
            device: row.device,
            incarnation: row.incarnation,
            right: row.right,
            frontier: edge,
            gapLimit: try gapLimit(run, row.key, logs: logs, in: transaction),
            end: row.cut == nil || row.isForked ? .max : logs.limit(row),
            tagKey: try tagKey(of: logs.zone)
        )
        return try verifier.verify(run)
    }

    /// Whether what is held behind a hole and a run that was verified from there are one history.
    private static func isContinued(
        _ row: LogRow,
        by verified: VerifiedRun,
        run: Run,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        if verified.size <= row.size {
            return try root(of: row, at: verified.size, in: transaction) == verified.frontier.root
        }
        do {
            _ = try verify(run, row: row, edge: row.frontier, logs: logs, in: transaction)
            return true
        } catch let error as RunError {
            guard case .rootMismatch = error else { throw ReplicaError.invalidRun(row.key, error) }
            return false
        }
    }

    /// Puts what a run has in the places of what is missing.
    /// - Returns: The log, and how many operations were put there.
    private static func close(
        _ row: LogRow,
        by run: VerifiedRun,
        logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> (row: LogRow, filled: UInt64) {
        var given: [UInt64: StoredItem] = [:]
        for (first, item) in run.items where first < row.size {
            guard case .record(let operation, _) = item else { continue }
            let stored = StoredOperation(
                actor: row.key.actor,
                operation: operation,
                state: .pending,
                isTombstone: operation.isTombstone
            )
            given[first] = StoredItem(first: first, content: .operation(stored))
        }
        var filled: UInt64 = 0
        let held = try transaction.items(row.key, from: run.from, to: row.size)
        let items = held.flatMap { item -> [StoredItem] in
            guard case .gap(let gap) = item.content, gap.endLeaf <= run.size, gap.leafCount <= UInt64(given.count)
            else {
                return [item]
            }
            let operations = (gap.firstLeaf..<gap.endLeaf).compactMap { given[$0] }
            // Of what others lack in part nothing is taken: a hash of the whole stands for it.
            guard UInt64(operations.count) == gap.leafCount else { return [item] }
            filled &+= gap.leafCount
            return operations
        }
        try transaction.replace(row.key, first: held.map(\.first), with: [])
        try transaction.append(items, key: row.key)
        if run.size < row.size, try transaction.head(row.key, atOrBelow: run.size)?.size != run.size {
            let before = try transaction.head(row.key, atOrBelow: run.size)?.byteCount ?? 0
            let after = try transaction.heads(row.key, above: run.size, limit: 1).first?.byteCount ?? row.byteCount
            let head = HeadRow(
                signed: run.signedHead,
                byteCount: min(before &+ run.byteCount, after),
                frontier: run.frontier
            )
            try transaction.insert(head, key: row.key)
        }
        var row = row
        row.hole = try hole(in: row, from: run.from, logs: logs, in: transaction)
        try transaction.save(row)
        return (row, filled)
    }
}
