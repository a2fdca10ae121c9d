import Queries
import Records
import Sync
import Wire

/// Building indexes over existing records, and removing indexes that are no longer wanted, a little at a time.
extension SQLiteTransaction {
    mutating func buildFieldIndexes(limit: Int) throws -> Bool {
        try requireWritable()
        if let zone = try sql("SELECT zone FROM index_sweep LIMIT 1").first(read: { $0.integer(0) }) {
            try sweep(zone: zone, limit: limit)
            return true
        }
        if let dropped = try sql("SELECT id FROM field_index WHERE state = 2 LIMIT 1").first(read: { $0.integer(0) }) {
            try remove(dropped, limit: limit)
            return true
        }
        let next = try sql(
            """
            SELECT id, type, field, is_system, kind, state, container, built FROM field_index WHERE state = 0
            ORDER BY id LIMIT 1
            """
        ).first { (try StoredIndex($0), $0.text(6), $0.integer(7)) }
        guard let (index, container, built) = next else { return false }
        try build(index, container: container, behind: built, limit: limit)
        return true
    }

    /// Enters records by row id; meanwhile writes keep the entries of entered records and of others up to date.
    private func build(_ index: StoredIndex, container: String, behind built: Int64, limit: Int) throws {
        var zones: [Int64: Bool] = [:]
        var last = built
        var count = 0
        let rows = try sql("SELECT id, zone, type FROM record WHERE id > ? ORDER BY id LIMIT ?")
            .all(built, limit) { ($0.integer(0), $0.integer(1), $0.text(2)) }
        for (number, zone, type) in rows {
            (last, count) = (number, count + 1)
            guard index.index.type.string.isBytewiseEqual(to: type) else { continue }
            let isMeant = try zones[zone] ?? indexes(ofZone: zone).contains { $0.id == index.id }
            zones[zone] = isMeant
            if isMeant { try enter(number, zone: zone, in: index) }
        }
        if count < limit {
            try sql("UPDATE field_index SET state = 1 WHERE id = ?").run(index.id)
            context.zoneIndexes.removeAll()
        } else {
            try sql("UPDATE field_index SET built = ? WHERE id = ?").run(last, index.id)
        }
    }

    private func enter(_ number: Int64, zone: Int64, in index: StoredIndex) throws {
        let record = try sql(
            """
            SELECT coalesce(record.body, item.body), record.detail
            FROM record LEFT JOIN item ON item.id = record.item WHERE record.id = ? AND deleted = 0
            """
        ).first(number) { try queryRecord($0, body: 0, detail: 1) }
        guard let record else { return }
        // All of them: those that are not named would be dropped.
        let others = try indexes(ofZone: zone).filter { $0.index.type == index.index.type }
        try indexRecord(record, in: others, number: number, zone: zone)
    }

    private func sweep(zone: Int64, limit: Int) throws {
        for index in try sql("SELECT id FROM field_index").all(read: { $0.integer(0) }) {
            guard try removeEntries(index, zone: zone, limit: limit) == 0 else { return }
        }
        try sql("DELETE FROM index_sweep WHERE zone = ?").run(zone)
    }

    private func remove(_ index: Int64, limit: Int) throws {
        let zones =
            try sql("SELECT DISTINCT zone FROM field_entry WHERE field_index = ? LIMIT 1")
            .all(index) { $0.integer(0) }
            + sql("SELECT DISTINCT zone FROM text_entry WHERE field_index = ? LIMIT 1").all(index) { $0.integer(0) }
        for zone in zones {
            guard try removeEntries(index, zone: zone, limit: limit) == 0 else { return }
        }
        if zones.isEmpty { try sql("DELETE FROM field_index WHERE id = ?").run(index) }
    }

    /// Removes some entries; none are left when it returns 0.
    private func removeEntries(_ index: Int64, zone: Int64, limit: Int) throws -> Int {
        let records = try sql("SELECT record FROM field_entry WHERE field_index = ? AND zone = ? LIMIT ?")
            .all(index, zone, limit) { $0.integer(0) }
        for record in records {
            try sql("DELETE FROM field_entry WHERE record = ? AND field_index = ?").run(record, index)
        }
        let texts = try sql("SELECT id FROM text_entry WHERE field_index = ? AND zone = ? LIMIT ?")
            .all(index, zone, limit) { $0.integer(0) }
        for id in texts { try dropWords(id) }
        return records.count + texts.count
    }
}
