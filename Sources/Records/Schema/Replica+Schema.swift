package import Wire

extension Replica {
    /// Takes over the schema in force in a zone, and counts anew what it may break.
    ///
    /// What breaks it and was written with a promotion in view stops to count and is quarantined; what was quarantined and is
    /// allowed now counts. Taking over the same one again changes nothing.
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
