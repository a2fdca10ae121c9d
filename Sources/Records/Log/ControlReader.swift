package import Wire

/// Reads a control log, which has no gaps.
package struct ControlReader {
    private let row: LogRow

    /// Reads a log.
    package init(_ row: LogRow) {
        self.row = row
    }

    /// The size up to which the log is read: its fork point, or its bound.
    package func end(in transaction: some ReplicaTransaction) -> UInt64 {
        min(row.size, row.forkProof?.forkPoint ?? .max, row.budgetLimit(transaction.controlBounds))
    }

    /// Reads the log.
    /// - Parameters:
    ///   - start: The number of its operations to skip.
    ///   - transaction: The store.
    ///   - body: Takes each operation, in order.
    /// - Throws: Any error of the store or of `body`.
    /// - Complexity: O(operations read).
    package func read(
        from start: UInt64,
        in transaction: some ReplicaTransaction,
        _ body: (Operation, ControlBody) throws -> Void
    ) throws {
        let end = end(in: transaction)
        var from = start
        while from < end {
            let to = min(end, from &+ UInt64(ReplicaLimits.pageRowCount))
            for item in try transaction.items(row.key, from: from, to: to) {
                guard case .operation(let stored) = item.content,
                    case .control(let operation, let said) = try stored.verified(.control)
                else { continue }
                try body(operation, said)
            }
            from = to
        }
    }
}
