import Records
import Sync
import Wire

/// Records as applications read them: by name, by change.
extension SQLiteTransaction {
    func records(zone: ZoneID, after name: String?, limit: Int) throws -> RecordPage {
        guard let zone = try number(zone.digest), limit > 0 else { return RecordPage(records: [], more: false) }
        let columns = try sql(
            """
            SELECT record.zone, tag.tag, deleted, name, type, version, record.detail, coalesce(record.body, item.body),
                position, by_sync, coalesce(checksum, substr(item.detail, 1, 32)), retyped + 2 * locked,
                item.tag = record.id, item.first, state_checksum
            FROM record INDEXED BY record_by_name
                JOIN tag ON tag.id = record.id LEFT JOIN item ON item.id = record.item
            WHERE record.zone = ?1 AND deleted = 0 AND name > ?2 ORDER BY name LIMIT ?3
            """
            // No name is empty, so everything is behind the empty one.
        ).all(zone, name ?? "", limit + 1) { try RecordColumns($0) }
        return RecordPage(records: try columns.prefix(limit).map { try record($0) }, more: columns.count > limit)
    }

    func recordCount(zone: ZoneID) throws -> UInt64 {
        guard let number = try number(zone.digest) else { return 0 }
        let stored = try sql("SELECT record_count FROM zone WHERE id = ?").first(number) { $0.integer(0) } ?? 0
        // The changes of this transaction are written at its end.
        return UInt64(clamping: stored + (context.recordChanges[number]?.count ?? 0))
    }

    func recordByteCount(zone: ZoneID) throws -> UInt64 {
        guard let number = try number(zone.digest) else { return 0 }
        let stored = try sql("SELECT record_bytes FROM zone WHERE id = ?").first(number) { $0.integer(0) } ?? 0
        return UInt64(clamping: stored + (context.recordChanges[number]?.byteCount ?? 0))
    }

    func reservedTotals(zone: ZoneID) throws -> ReservedTotals {
        guard let number = try number(zone.digest) else { return ReservedTotals() }
        let stored = try sql("SELECT reserved_count, reserved_bytes, message_bytes FROM zone WHERE id = ?")
            .first(number) { ($0.integer(0), $0.integer(1), $0.integer(2)) }
        let change = context.recordChanges[number] ?? RecordTotals()
        return ReservedTotals(
            count: UInt64(clamping: (stored?.0 ?? 0) + change.reservedCount),
            byteCount: UInt64(clamping: (stored?.1 ?? 0) + change.reservedByteCount),
            messageByteCount: UInt64(clamping: (stored?.2 ?? 0) + change.messageByteCount)
        )
    }

    func changes(zone: ZoneID?, after position: UInt64, limit: Int) throws -> [ChangeRow] {
        guard let zone else { return try changesOfAllZones(after: position, limit: limit) }
        guard let number = try number(zone.digest) else { return [] }
        return try changes(zone: number, after: position, limit: limit).map { try change($0) }
    }

    func changes(
        zones: [ZoneID],
        after: UInt64,
        through: UInt64,
        limit: Int,
        byteCount: Int
    ) throws -> [ChangeRow] {
        let numbers = try zones.compactMap { try number($0.digest) }
        return try changes(ofZones: numbers, after: after, through: through, limit: limit, byteCount: byteCount)
    }

    mutating func takePosition() throws -> UInt64 {
        try requireWritable()
        var ledger = try ledger()
        ledger.changePosition += 1
        setLedger(ledger)
        return ledger.changePosition
    }

    func newestPosition() throws -> UInt64 {
        try ledger().changePosition
    }

    /// The index is by zone, so the zones' next changes are merged; zones are few.
    private func changesOfAllZones(after position: UInt64, limit: Int) throws -> [ChangeRow] {
        let zones = Set(try sql("SELECT id FROM zone").all { $0.integer(0) }).union(context.recordChanges.keys)
        return try changes(ofZones: Array(zones), after: position, through: .max, limit: limit, byteCount: .max)
    }

    private func changes(
        ofZones zones: [Int64],
        after: UInt64,
        through: UInt64,
        limit: Int,
        byteCount: Int
    ) throws -> [ChangeRow] {
        var places: [(position: UInt64, id: Int64)] = []
        for zone in zones {
            places += try sql(
                """
                SELECT position, id FROM record WHERE zone = ? AND position > ? AND position <= ?
                ORDER BY position LIMIT ?
                """
            ).all(zone, Int64(clamping: after), Int64(clamping: through), limit) {
                (try $0.unsigned(0), $0.integer(1))
            }
        }
        var rows: [ChangeRow] = []
        var sum = 0
        for place in places.sorted(by: { $0.position < $1.position }).prefix(limit) {
            let row = try change(record: place.id)
            rows.append(row)
            sum += row.record.body.count
            if sum >= byteCount { break }
        }
        return rows
    }

    /// The newest change of a record.
    func change(record: Int64) throws -> ChangeRow {
        guard let columns = try recordColumns(record) else {
            throw StorageError(code: .corrupt, message: "the change feed names a record that is not there")
        }
        return try change(columns)
    }

    private func change(_ columns: RecordColumns) throws -> ChangeRow {
        ChangeRow(
            position: columns.position,
            record: try record(columns),
            bySync: columns.bySync,
            isRetyped: columns.isRetyped
        )
    }

    private func changes(zone: Int64, after position: UInt64, limit: Int) throws -> [RecordColumns] {
        try sql(
            """
            SELECT record.zone, tag.tag, deleted, name, type, version, record.detail, coalesce(record.body, item.body),
                position, by_sync, coalesce(checksum, substr(item.detail, 1, 32)), retyped + 2 * locked,
                item.tag = record.id, item.first, state_checksum
            FROM record INDEXED BY record_by_position
                JOIN tag ON tag.id = record.id LEFT JOIN item ON item.id = record.item
            WHERE record.zone = ? AND position > ? ORDER BY position LIMIT ?
            """
        ).all(zone, Int64(clamping: position), limit) { try RecordColumns($0) }
    }
}
