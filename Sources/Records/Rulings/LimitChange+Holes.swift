import Wire

// Operations that were purged above a cut, and are effective since the cut was raised.
extension LimitChange {
    /// Marks holes in logs that are effective further than before but lack purged operations.
    ///
    /// The log is announced up to its hole, so that peers send the operations that follow. The tree, the heads and
    /// all operations that were not purged stay, since this may be their only copy. Operations behind the hole are
    /// not effective yet.
    /// - Parameter transaction: The store.
    /// - Returns: The logs after the change, with their holes.
    /// - Throws: Any error of the store.
    /// - Complexity: O(leaves that become effective).
    func withHoles(in transaction: inout some ReplicaTransaction) throws -> ZoneLogs {
        var after = after
        for var row in after.sorted(.data) {
            guard let old = before[row.key], old.cut != nil || old.hole != nil else { continue }
            let start = min(old.hole ?? .max, before.limit(old))
            let hole = try after.hole(of: row, from: start, in: transaction)
            guard hole != row.hole else { continue }
            row.hole = hole
            try wait(&row, from: min(row.appliedSize, hole ?? .max), in: &transaction)
            after[row.key] = row
        }
        return after
    }

    /// Makes operations that become effective wait for the operations that their author had seen, as any others do.
    ///
    /// Above the cut this was not checked. Otherwise they would be effective here, and wait on replicas that receive
    /// them only now.
    /// - Returns: The logs with the waiting operations.
    func waiting(
        _ after: ZoneLogs,
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
            assert(
                tried[key]?.appliedSize ?? 0 <= after[key]?.appliedSize ?? 0,
                "a raised end applies nothing new by itself"
            )
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
    private func isFree(
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
    private func wait(
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
