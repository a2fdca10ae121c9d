import Wire

extension RunReceiver {
    /// Takes the run, which closes a hole of its log.
    ///
    /// Where the log goes on behind the hole, only the missing part is taken from the run: the operations held behind
    /// the hole may be the only copy. Gaps that a checkpoint has allowed meanwhile are taken as for any log that ends
    /// at the hole, and so is a run that ends inside of a range that its author had pruned; in the latter case
    /// nothing behind is kept, since a hash of the whole range covers the operations in between.
    func fill(
        _ row: LogRow,
        from hole: UInt64,
        logs: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> ReceivedRun {
        guard let edge = try StoredLog(row).frontier(at: hole, in: transaction) else {
            throw ReplicaError.damaged("leaves before the hole of a log are missing")
        }
        let verified: VerifiedRun
        do {
            verified = try verify(row, from: edge, logs: logs, in: transaction)
        } catch let error as RunError {
            guard case .forgotten = error else {
                return try answer(error, row: row, in: &transaction)
            }
            return try replace(row, from: edge, logs: logs, in: &transaction) { short, logs, transaction in
                let rejoined = try rejoin(short, logs: logs, in: &transaction)
                guard let rejoined else { throw refusal(error, of: row.key) }
                return rejoined
            }
        }
        if try verified.hasGaps || splits(row, at: verified.size, in: transaction) {
            return try replace(row, from: edge, logs: logs, in: &transaction) {
                try store(verified, row: $0, logs: $1, in: &$2)
            }
        }
        guard try isContinued(row, by: verified, logs: logs, in: transaction) else {
            return try answer(.rootMismatch, row: row, in: &transaction)
        }
        if verified.size < row.size { try StoredLog(row).checkSeen(verified, in: transaction) }
        let closed = try close(row, by: verified, logs: logs, in: &transaction)
        var applied = try RulingApplier(of: logs.zone.id, wallMilliseconds: wallMilliseconds).retryPending(
            in: &transaction
        )
        applied.storedCount = closed.filled
        applied.size = closed.row.heldSize
        guard run.signedHead.head.size > row.size, closed.row.hole == nil else { return .stored(applied) }
        let zone = try transaction.knownZone(logs.zone.id)
        let now = try ZoneLogs(zone: zone, in: transaction)
        guard let grown = now[row.key] else { return .stored(applied) }
        let rest = try verify(grown, from: grown.frontier, logs: now, in: transaction)
        applied.add(try store(rest, row: grown, logs: now, in: &transaction))
        return .stored(applied)
    }

    /// Rolls a log back to its hole, stores the run there, and keeps the operations behind the run.
    /// - Parameters:
    ///   - row: The log.
    ///   - edge: Its edge at the hole.
    ///   - logs: The zone's logs.
    ///   - transaction: The store.
    ///   - take: Stores the run behind the log's row, which is passed to it with the zone's logs after the rollback.
    /// - Returns: The stored operations; the answer to `.rootMismatch`, with nothing done, if the operations behind
    ///   the run belong to another history.
    /// - Throws: As ``receive(in:)``.
    private func replace<Transaction: ReplicaTransaction>(
        _ row: LogRow,
        from edge: TreeFrontier,
        logs: ZoneLogs,
        in transaction: inout Transaction,
        taking take: (LogRow, ZoneLogs, inout Transaction) throws -> AppliedOperations
    ) throws -> ReceivedRun {
        guard let tail = try HeldTail(of: row, behind: run.signedHead.head, in: transaction) else {
            return try answer(.rootMismatch, row: row, in: &transaction)
        }
        var logs = logs
        let short = try StoredLog(row).rollBack(to: edge, in: &transaction)
        logs[row.key] = short
        let taken = try take(short, logs, &transaction)
        return .stored(try append(tail, to: row.key, after: taken, in: &transaction))
    }

    /// Restores the operations that were held behind a run.
    private func append(
        _ tail: HeldTail,
        to key: LogKey,
        after taken: AppliedOperations,
        in transaction: inout some ReplicaTransaction
    ) throws -> AppliedOperations {
        guard !tail.items.isEmpty, let short = try transaction.log(key), short.size == tail.start else { return taken }
        try transaction.append(tail.items, key: key)
        for head in tail.heads {
            let byteCount = short.byteCount &+ (head.byteCount &- tail.byteCount)
            try transaction.insert(
                HeadRow(signed: head.signed, byteCount: byteCount, frontier: head.frontier),
                key: key
            )
        }
        var row = short
        row.size = tail.end.size
        row.frontier = tail.end
        row.byteCount &+= tail.endByteCount &- tail.byteCount
        let logs = try ZoneLogs(zone: try transaction.knownZone(key.zone), in: transaction)
        row.hole = try logs.hole(of: row, from: tail.start, in: transaction)
        try transaction.save(row)
        var applied = taken
        applied.add(try RulingApplier(of: key.zone, wallMilliseconds: wallMilliseconds).retryPending(in: &transaction))
        applied.size = row.heldSize
        return applied
    }

    /// Whether a run that closes a hole ends inside a gap behind it.
    ///
    /// The run then replaces everything behind the hole, since only a hash of the whole gap is known.
    private func splits(
        _ row: LogRow,
        at size: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        guard size < row.size, let item = try transaction.items(row.key, from: size, to: size &+ 1).first else {
            return false
        }
        return item.first < size
    }

    private func verify(
        _ row: LogRow,
        from edge: TreeFrontier,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> VerifiedRun {
        let verifier = try verifier(
            of: row,
            from: edge,
            gapLimit: try gapLimit(row.key, logs: logs, in: transaction),
            end: row.cut == nil || row.isForked ? .max : logs.limit(row),
            zone: logs.zone
        )
        return try verifier.verify(run)
    }

    /// Whether the operations held behind a hole and the run that was verified from there belong to one history.
    private func isContinued(
        _ row: LogRow,
        by verified: VerifiedRun,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        if verified.size <= row.size {
            return try StoredLog(row).root(at: verified.size, in: transaction) == verified.frontier.root
        }
        do {
            _ = try verify(row, from: row.frontier, logs: logs, in: transaction)
            return true
        } catch let error as RunError {
            guard case .rootMismatch = error else { throw refusal(error, of: row.key) }
            return false
        }
    }

    /// Fills missing places with the operations of a run.
    /// - Returns: The log, and how many operations were put there.
    private func close(
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
            // Nothing is taken of a range that others lack in part: a hash of the whole range stands for it.
            guard UInt64(operations.count) == gap.leafCount else { return [item] }
            filled &+= gap.leafCount
            return operations
        }
        assert(items.first?.first == held.first?.first, "a hole is filled in its place")
        assert(
            zip(items, items.dropFirst()).allSatisfy { $0.first &+ $0.leafCount == $1.first },
            "a log that was filled has no place without an item"
        )
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
        row.hole = try logs.hole(of: row, from: run.from, in: transaction)
        try transaction.save(row)
        return (row, filled)
    }
}

/// The end of a log behind a run, which stays while the run replaces everything before it.
private struct HeldTail {
    /// The index of its first leaf.
    let start: UInt64
    let items: [StoredItem]
    let heads: [HeadRow]
    /// The bytes before it, as far as heads tell.
    let byteCount: UInt64
    /// The log's edge behind it.
    let end: TreeFrontier
    /// The bytes up to there.
    let endByteCount: UInt64

    /// Reads the end of a log.
    /// - Returns: Nil where the part held up to there is another history than the run's. Empty where nothing is held
    ///   behind the run, or the run ends inside a gap.
    /// - Complexity: O(leaves since a retained head, and behind the run).
    init?(of row: LogRow, behind head: TreeHead, in transaction: some ReplicaTransaction) throws {
        let root = head.size < row.size ? try StoredLog(row).root(at: head.size, in: transaction) : nil
        if let root, root != head.root { return nil }
        start = head.size
        items = root == nil ? [] : try transaction.items(row.key, from: head.size, to: row.size)
        heads = root == nil ? [] : try transaction.heads(row.key, above: head.size, limit: .max)
        byteCount = try transaction.head(row.key, atOrBelow: head.size)?.byteCount ?? 0
        (end, endByteCount) = (row.frontier, row.byteCount)
    }
}
