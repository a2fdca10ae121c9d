import Records
import Sync
import Wire

/// Records of programs whose concurrent writes disagree.
extension SQLiteTransaction {
    func conflictedRecords(zone: ZoneID?, limit: Int) throws -> [RecordRow] {
        var wanted: Int64?
        if let zone {
            guard let number = try number(zone.digest) else { return [] }
            wanted = number
        }
        return try sql(
            """
            SELECT record.zone, tag.tag, deleted, name, type, version, record.detail, coalesce(record.body, item.body),
                position, by_sync, coalesce(checksum, substr(item.detail, 1, 32)), retyped + 2 * locked,
                item.tag = record.id, item.first, state_checksum
            FROM record INDEXED BY record_by_conflict
                JOIN tag ON tag.id = record.id LEFT JOIN item ON item.id = record.item
            WHERE conflicts > 0 AND (?1 IS NULL OR record.zone = ?1) AND NOT (type >= 'kairan.' AND type < 'kairan/')
            ORDER BY record.zone, record.id LIMIT ?2
            """
        ).all(wanted, limit) { try RecordColumns($0) }.map { try record($0) }
    }

    func conflictedRecords(zone: ZoneID, after tag: RecordTag, limit: Int) throws -> [RecordRow] {
        guard let zone = try number(zone.digest) else { return [] }
        return try sql(
            """
            SELECT record.zone, tag.tag, deleted, name, type, version, record.detail, coalesce(record.body, item.body),
                position, by_sync, coalesce(checksum, substr(item.detail, 1, 32)), retyped + 2 * locked,
                item.tag = record.id, item.first, state_checksum
            FROM record INDEXED BY record_by_conflict
                JOIN tag ON tag.id = record.id LEFT JOIN item ON item.id = record.item
            WHERE conflicts > 0 AND record.zone = ?1 AND record.id > ?2 AND NOT (type >= 'kairan.' AND type < 'kairan/')
            ORDER BY record.id LIMIT ?3
            """
        ).all(zone, try number(tag, zone: zone) ?? 0, limit) { try RecordColumns($0) }.map { try record($0) }
    }
}
