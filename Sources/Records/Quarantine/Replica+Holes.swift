import Wire

// Operations that were purged above a cut, and are effective since the cut was raised.
extension Replica {
    /// Marks holes in logs that are effective further than before but lack purged operations.
    ///
    /// The log is announced up to its hole, so that peers send the operations that follow. The tree, the heads and
    /// all operations that were not purged stay, since this may be their only copy. Operations behind the hole are
    /// not effective yet.
    /// - Parameters:
    ///   - after: The logs with their new ends.
    ///   - before: The logs with their former ones.
    ///   - transaction: The store.
    /// - Returns: The logs with their holes.
    /// - Throws: Any error of the store.
    /// - Complexity: O(leaves that become effective).
    static func withHoles(
        _ after: ZoneLogs,
        before: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> ZoneLogs {
        var after = after
        for var row in after.sorted(.data) {
            guard let old = before[row.key], old.cut != nil || old.hole != nil else { continue }
            let start = min(old.hole ?? .max, before.limit(old))
            let hole = try hole(in: row, from: start, logs: after, in: transaction)
            guard hole != row.hole else { continue }
            row.hole = hole
            try wait(&row, from: min(row.appliedSize, hole ?? .max), in: &transaction)
            after[row.key] = row
        }
        return after
    }

    /// The place of the first purged and effective leaf from a place on; nil when there is none.
    static func hole(
        in row: LogRow,
        from start: UInt64,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> UInt64? {
        var from = start
        // In the history of a forked log that a checkpoint covers, missing operations were pruned.
        if row.isForked { from = max(from, logs.zone.watermark[row.key.actor]) }
        let end = min(row.size, logs.limit(row))
        while from < end {
            let to = min(end, from &+ UInt64(ReplicaLimits.pageRowCount))
            for item in try transaction.items(row.key, from: from, to: to) {
                guard case .gap = item.content else { continue }
                return max(try batchStart(row.key, at: item.first, in: transaction), start)
            }
            from = to
        }
        return nil
    }

    /// The beginning of a leaf's batch, as far as the leaf before it shows it: a run never begins inside a batch.
    private static func batchStart(
        _ key: LogKey,
        at leaf: UInt64,
        in transaction: some ReplicaTransaction
    ) throws -> UInt64 {
        guard leaf > 0,
            case .operation(let stored) = try transaction.items(key, from: leaf &- 1, to: leaf).first?.content
        else { return leaf }
        let place = stored.operation.header.batch
        return place.index &+ 1 == place.count ? leaf : leaf &- 1 &- UInt64(place.index)
    }

    /// Makes operations that become effective wait for the operations that their author had seen, as any others do.
    ///
    /// Above the cut this was not checked. Otherwise they would be effective here, and wait on replicas that receive
    /// them only now.
    /// - Returns: The logs with the waiting operations.
    static func waiting(
        _ after: ZoneLogs,
        before: ZoneLogs,
        in transaction: inout some ReplicaTransaction
    ) throws -> ZoneLogs {
        var (after, tried) = (after, after)
        var raised: [LogKey] = []
        for var row in after.sorted(.data) {
            guard let old = before[row.key] else { continue }
            let start = before.recordLimit(old)
            guard start < after.recordLimit(row), start < row.appliedSize else { continue }
            raised.append(row.key)
            row.appliedSize = start
            tried[row.key] = row
        }
        var isMoving = !raised.isEmpty
        while isMoving {
            isMoving = false
            let reach = try WaitingHeads(tried, .data, in: transaction).reach()
            for key in raised {
                guard var row = tried[key] else { continue }
                var end = reach[key] ?? row.appliedSize
                if let whole = after[key]?.appliedSize,
                    try isFree(row, from: end, to: whole, logs: tried, in: transaction)
                {
                    end = whole
                }
                guard end > row.appliedSize else { continue }
                row.appliedSize = end
                tried[key] = row
                isMoving = true
            }
        }
        for key in raised {
            guard var row = after[key], let end = tried[key]?.appliedSize, end < row.appliedSize else { continue }
            try wait(&row, from: end, in: &transaction)
            after[key] = row
        }
        return after
    }

    /// Whether the effective rest of a log lies under a head that reaches over the log's end, and waits for nothing.
    ///
    /// Such a head states what ineffective operations had seen, perhaps operations that no peer will ever send. A
    /// replica that receives the log now gets it under a head that ends there, and does not wait; here the
    /// operations' own vectors are checked.
    private static func isFree(
        _ row: LogRow,
        from: UInt64,
        to whole: UInt64,
        logs: ZoneLogs,
        in transaction: some ReplicaTransaction
    ) throws -> Bool {
        let end = logs.recordLimit(row)
        guard from < end, end < whole, row.hole == nil,
            let next = try transaction.heads(row.key, above: from, limit: 1).first, next.size > end
        else { return false }
        return try transaction.items(row.key, from: from, to: end).allSatisfy { item in
            guard case .operation(let stored) = item.content else { return true }
            var vector = stored.operation.header.vector
            vector[row.key.actor] = 0
            return logs.isApplied(vector, .data)
        }
    }

    /// Makes the applied operations of a log wait again, from a place on.
    private static func wait(
        _ row: inout LogRow,
        from end: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws {
        var from = end
        while from < row.appliedSize {
            let to = min(row.appliedSize, from &+ UInt64(ReplicaLimits.pageRowCount))
            let changes = try transaction.items(row.key, from: from, to: to).compactMap { item -> StateChange? in
                guard case .operation(let stored) = item.content else { return nil }
                return StateChange(key: row.key, counter: stored.dot.counter, state: .pending)
            }
            if !changes.isEmpty { try transaction.setStates(changes) }
            from = to
        }
        row.appliedSize = min(row.appliedSize, end)
        try transaction.save(row)
    }
}
