package import Wire

extension Replica {
    /// Applies the schema in force in a zone, and evaluates again the operations that may break it.
    ///
    /// Operations that break the schema and name an effective promotion become ineffective and are quarantined;
    /// quarantined ones that are allowed now become effective. Applying the same schema again changes nothing.
    /// - Parameters:
    ///   - production: The schema; nil in development.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The records whose visible state changed; nil when it was in force already.
    /// - Throws: `.unknownZone`, `.damaged`.
    /// - Complexity: O(retained operations of the zone) when it changes, a page of records at a time.
    package static func enforce(
        _ production: ProductionSchema?,
        zone: ZoneID,
        in transaction: inout some ReplicaTransaction
    ) throws -> [RecordRow]? {
        var row = try knownZone(zone, in: transaction)
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
            changed += try recount(Set(page.map(\.tag)).sorted(), logs: logs, in: &transaction)
        }
    }
}
