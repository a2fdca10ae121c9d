package import Wire

/// A control operation that is held, with the log it stands in.
package struct HeldControl: Sendable {
    /// The log.
    package let row: LogRow
    /// The operation.
    package let operation: Operation
    /// What it says.
    package let body: ControlBody
    /// Whether it is handed on to who lacks it: it does not lie above the end of its log.
    package var isHandedOn = true
}

extension Replica {
    /// All control operations of a zone that are held, whether they count or wait, up to where histories part.
    ///
    /// What they say together is decided outside of the replica, from their set.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The operations, by log and place.
    /// - Throws: `.unknownZone`, or what the store throws.
    /// - Complexity: O(control operations).
    package static func controlOperations(
        zone: ZoneID,
        in transaction: some ReplicaTransaction
    ) throws -> [HeldControl] {
        let zoneRow = try knownZone(zone, in: transaction)
        var held: [HeldControl] = []
        for row in try transaction.logs(zone: zone) where row.key.lane == .control {
            let limit = effectiveLimit(row, zone: zoneRow)
            let end = min(row.size, row.forkProof?.forkPoint ?? .max)
            var from: UInt64 = 0
            while from < end {
                let to = min(end, from &+ UInt64(ReplicaLimits.pageRowCount))
                for item in try transaction.items(row.key, from: from, to: to) {
                    guard case .operation(let stored) = item.content,
                        case .control(let operation, let body) = try stored.verified(.control)
                    else { continue }
                    let isHandedOn = item.first < limit
                    held.append(HeldControl(row: row, operation: operation, body: body, isHandedOn: isHandedOn))
                }
                from = to
            }
        }
        return held
    }
}
