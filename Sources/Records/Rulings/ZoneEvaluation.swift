package import Wire

/// Evaluates the records of a zone again, after a change that is not one of its logs.
package struct ZoneEvaluation {
    private let zone: ZoneID

    /// Evaluates records of a zone.
    package init(of zone: ZoneID) {
        self.zone = zone
    }

    /// Applies the schema in force in a zone, and evaluates again the operations that may break it.
    ///
    /// Operations that break the schema and name an effective promotion become void; void ones that are
    /// allowed now become effective. Applying the same schema again changes nothing.
    /// - Parameters:
    ///   - production: The schema; nil in development.
    ///   - transaction: The store.
    /// - Returns: The records whose visible state changed; nil when it was in force already.
    /// - Throws: `.unknownZone`, `.damaged`.
    /// - Complexity: O(retained operations of the zone) when it changes, a page of records at a time.
    package func enforce(
        _ production: ProductionSchema?,
        in transaction: inout some ReplicaTransaction
    ) throws -> [RecordRow]? {
        var row = try transaction.knownZone(zone)
        let bytes = production?.encoded ?? []
        guard row.production != bytes else { return nil }
        row.production = bytes
        try transaction.save(row)
        let logs = try ZoneLogs(zone: row, in: transaction)
        var changed: [RecordRow] = []
        var last: RecordTag?
        while true {
            let page = try transaction.summaries(zone: zone, after: last, limit: ReplicaLimits.pageRowCount)
            guard let tag = page.last?.tag else { return changed }
            last = tag
            changed += try RecordEvaluation(logs).recount(Set(page.map(\.tag)).sorted(), in: &transaction)
        }
    }

    /// Reads locked operations again, after keys of the zone were opened.
    /// - Parameter transaction: The store.
    /// - Returns: The records whose visible state changed.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(operations of the locked records).
    package func unlock(in transaction: inout some ReplicaTransaction) throws -> [RecordRow] {
        let logs = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        var changed: [RecordRow] = []
        var last: RecordTag?
        while true {
            let page = try transaction.lockedRecords(zone: zone, after: last, limit: ReplicaLimits.pageRowCount)
            if !page.isEmpty { changed += try RecordEvaluation(logs).recount(page, in: &transaction) }
            guard page.count == ReplicaLimits.pageRowCount, let end = page.last else { return changed }
            last = end
        }
    }
}
