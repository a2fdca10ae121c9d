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

    /// Returns all control operations of a zone that are held, whether effective or pending, up to the forks of logs.
    ///
    /// Their combined effect is resolved outside of the replica, from the set of operations.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The operations, by log and place.
    /// - Throws: `.unknownZone`, or any error of the store.
    /// - Complexity: O(control operations).
    package static func all(
        zone: ZoneID,
        in transaction: some ReplicaTransaction
    ) throws -> [HeldControl] {
        let zoneRow = try transaction.knownZone(zone)
        var held: [HeldControl] = []
        for row in try transaction.logs(zone: zone) where row.key.lane == .control {
            let limit = row.effectiveLimit(in: zoneRow, transaction.controlBounds)
            try ControlReader(row).read(from: 0, in: transaction) { operation, body in
                let isHandedOn = operation.header.counter <= limit
                held.append(HeldControl(row: row, operation: operation, body: body, isHandedOn: isHandedOn))
            }
        }
        return held
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
