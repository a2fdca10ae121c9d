package import Wire

/// A held control operation, with its log.
package struct HeldControl: Sendable {
    /// The log.
    package let row: LogRow
    /// The operation.
    package let operation: Operation
    /// The operation's content.
    package let body: ControlBody
    /// Whether it is sent to peers that lack it: it does not lie above the end of its log.
    package var isHandedOn = true

    /// Describes an operation.
    package init(row: LogRow, operation: Operation, body: ControlBody, isHandedOn: Bool = true) {
        (self.row, self.operation, self.body, self.isHandedOn) = (row, operation, body, isHandedOn)
    }
}

/// The control operations of a zone that are applied here: those whose causes are held.
///
/// A held control operation may wait for its causes. Its statement is known then, but not its author's reasons.
package struct AppliedControls {
    private let logs: ZoneLogs

    /// Reads how far the logs are held and applied.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    /// - Complexity: O(logs).
    package init(_ zone: ZoneRow, in transaction: some ReplicaTransaction) throws {
        logs = try ZoneLogs(zone: zone, in: transaction)
    }

    /// Whether everything that an operation's author had seen is applied, including the operation itself if the
    /// vector names it.
    ///
    /// Operations above the end of a log that was cut or forked are not waited for.
    /// - Complexity: O(entries · log logs).
    package func cover(_ vector: VersionVector) -> Bool {
        logs.isApplied(vector, .control)
    }
}

extension Replica {
    /// Returns all control operations of a zone that are held, whether effective or pending, up to the forks of logs.
    ///
    /// Their combined effect is resolved outside of the replica, from the set of operations.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The operations, by log and place.
    /// - Throws: `.unknownZone`, or any error of the store.
    /// - Complexity: O(control operations).
    package static func controlOperations(
        zone: ZoneID,
        in transaction: some ReplicaTransaction
    ) throws -> [HeldControl] {
        let zoneRow = try knownZone(zone, in: transaction)
        var held: [HeldControl] = []
        for row in try transaction.logs(zone: zone) where row.key.lane == .control {
            let limit = controlLimit(row, zone: zoneRow, in: transaction)
            try readControls(of: row, from: 0, in: transaction) { operation, body in
                let isHandedOn = operation.header.counter <= limit
                held.append(HeldControl(row: row, operation: operation, body: body, isHandedOn: isHandedOn))
            }
        }
        return held
    }

    /// The size up to which a control log is read: its fork point, or its bound.
    package static func controlEnd(_ row: LogRow, in transaction: some ReplicaTransaction) -> UInt64 {
        min(row.size, row.forkProof?.forkPoint ?? .max, row.budgetLimit(transaction.controlBounds))
    }

    /// The size up to which a control log is sent to peers that lack it.
    package static func controlLimit(
        _ row: LogRow,
        zone: ZoneRow,
        in transaction: some ReplicaTransaction
    ) -> UInt64 {
        effectiveLimit(row, zone: zone, transaction.controlBounds)
    }

    /// Reads a control log, which has no gaps.
    /// - Parameters:
    ///   - row: The log.
    ///   - start: The number of its operations to skip.
    ///   - transaction: The store.
    ///   - body: Takes each operation, in order.
    /// - Throws: Any error of the store or of `body`.
    /// - Complexity: O(operations read).
    package static func readControls(
        of row: LogRow,
        from start: UInt64,
        in transaction: some ReplicaTransaction,
        _ body: (Operation, ControlBody) throws -> Void
    ) throws {
        let end = controlEnd(row, in: transaction)
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
