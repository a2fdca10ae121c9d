package import Wire

extension Replica {
    /// Reads locked operations again, after keys of a zone were opened.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The records whose visible state changed.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(operations of the locked records).
    package static func unlock(
        zone: ZoneID,
        in transaction: inout some ReplicaTransaction
    ) throws -> [RecordRow] {
        let logs = try ZoneLogs(zone: try knownZone(zone, in: transaction), in: transaction)
        var changed: [RecordRow] = []
        var last: RecordTag?
        while true {
            let page = try transaction.lockedRecords(zone: zone, after: last, limit: ReplicaLimits.pageRowCount)
            if !page.isEmpty { changed += try recount(page, logs: logs, in: &transaction) }
            guard page.count == ReplicaLimits.pageRowCount, let end = page.last else { return changed }
            last = end
        }
    }
}
