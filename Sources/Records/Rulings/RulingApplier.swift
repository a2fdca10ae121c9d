package import Wire

/// The rulings on the logs of a zone, which are made outside of this module, and what follows from them.
package struct RulingApplier {
    let zone: ZoneID
    let wallMilliseconds: UInt64

    /// Applies rulings.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - wallMilliseconds: The wall clock, milliseconds since 1970.
    package init(of zone: ZoneID, wallMilliseconds: UInt64) {
        self.zone = zone
        self.wallMilliseconds = wallMilliseconds
    }

    /// Applies rulings made outside of the replica: the roles of logs, and the sizes at which the logs end.
    ///
    /// Operations above a cut become ineffective: they are quarantined, the operations that only they superseded are
    /// live again, and the replica takes no more of those logs. A cut never reaches below the size that a checkpoint
    /// covers. Applying the same rulings again, or changed ones, leads to the state that the last call describes.
    /// - Parameters:
    ///   - rulings: The rulings, by log; logs that are not listed stay as they are.
    ///   - transaction: The store.
    /// - Returns: The changes.
    /// - Throws: `.unknownZone`.
    /// - Complexity: O(operations of the records that are affected).
    package func rule(
        _ rulings: [LogKey: LogRuling],
        in transaction: inout some ReplicaTransaction
    ) throws -> RulingOutcome {
        let zoneRow = try transaction.knownZone(zone)
        let before = try ZoneLogs(zone: zoneRow, in: transaction)
        var after = before
        var outcome = RulingOutcome()
        for var row in before.rows {
            guard let ruling = rulings[row.key], ruling != row.ruling else { continue }
            row.ruling = ruling
            after[row.key] = row
            try transaction.save(row)
            if let cut = ruling.cut, cut.size > 0, cut.size <= row.size,
                let held = try StoredLog(row).root(at: cut.size, in: transaction), held != cut.root
            {
                outcome.mismatched.append(row.key)
            }
        }
        // A control operation that is no longer effective loses its effects on the zone.
        let isControlMoved = after.sorted(.control).contains { row in
            let old = before[row.key] ?? row
            return row.role != old.role || after.appliedSize(row) != before.appliedSize(old)
        }
        if isControlMoved {
            after.zone = try after.rebuiltZone(in: transaction)
            try transaction.save(after.zone)
        }
        let recounted = try LimitChange(from: before, to: after).recount(in: &transaction)
        assert(
            after.rows.allSatisfy { row in rulings[row.key].map { $0 == row.ruling } ?? true },
            "each log that was ruled has its ruling"
        )
        outcome.changed = recounted.changed
        outcome.quarantinedCount = recounted.quarantinedCount
        // Operations that waited for operations above the cut wait no longer.
        outcome.changed += try retryPending(in: &transaction).changed
        return outcome
    }

    /// Keeps empty rows of logs that are cut at zero and held nowhere here, as far as pending operations wait for them,
    /// and applies what is free then.
    ///
    /// Without such a row nothing says that the log ends at zero, and operations that need its operations wait for
    /// ever. Rows that nothing waits for are not kept: a peer can name any number of logs.
    /// - Parameters:
    ///   - rows: Empty rows with their cuts.
    ///   - transaction: The store.
    /// - Returns: The records that changed; `nil` when no row was kept.
    /// - Throws: `.unknownZone`.
    package func noteEmptyLogs(
        _ rows: [LogRow],
        in transaction: inout some ReplicaTransaction
    ) throws -> [RecordRow]? {
        let logs = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        let awaited = try logs.awaited(in: transaction)
        let noted = rows.filter { awaited.contains($0.key) && logs[$0.key] == nil && $0.size == 0 && $0.cut?.size == 0 }
        guard !noted.isEmpty else { return nil }
        for row in noted { try transaction.save(row) }
        return try retryPending(in: &transaction).changed
    }
}
