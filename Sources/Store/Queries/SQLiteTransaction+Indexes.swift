import Queries
import Records
import Sync
import Wire

/// The declared indexes.
extension SQLiteTransaction {
    func fieldIndexes(container: String) throws -> [FieldIndexStatus] {
        try storedIndexes(container: container).map { FieldIndexStatus(index: $0.index, isReady: $0.isReady) }
    }

    mutating func setFieldIndexes(_ indexes: [FieldIndex], container: String) throws {
        try requireWritable()
        let stored = try storedIndexes(container: container)
        for old in stored where !indexes.contains(old.index) {
            try sql("UPDATE field_index SET state = 2 WHERE id = ?").run(old.id)
        }
        var known = Set(stored.map(\.index))
        for index in indexes where known.insert(index).inserted {
            let columns = index.columns
            try sql(
                "INSERT INTO field_index (container, type, field, is_system, kind, state) VALUES (?, ?, ?, ?, ?, 0)"
            )
            .run(container, columns.type, columns.field, columns.isSystem, columns.kind)
        }
        context.zoneIndexes.removeAll()
    }

    private func storedIndexes(container: String) throws -> [StoredIndex] {
        try sql(
            """
            SELECT id, type, field, is_system, kind, state FROM field_index WHERE container = ? AND state < 2 ORDER BY id
            """
        ).all(container) { try StoredIndex($0) }
    }

    /// The indexes that a zone's records are in; none for a deleted zone.
    func indexes(ofZone zone: Int64) throws -> [StoredIndex] {
        if let known = context.zoneIndexes[zone] { return known }
        let genesis = try sql("SELECT genesis FROM zone WHERE id = ? AND genesis IS NOT NULL AND state <> 2")
            .first(zone) { $0.bytes(0) }
        var indexes: [StoredIndex] = []
        if let genesis {
            let container = try decoding("zone") { () throws(WireError) in
                try ZoneGenesis(decoding: genesis).container
            }
            indexes = try storedIndexes(container: container)
        }
        context.zoneIndexes[zone] = indexes
        return indexes
    }

    /// A zone was saved: it may be deleted now, be back, or be of a container for the first time.
    func zoneChanged(_ zone: Int64, _ row: ZoneRow, wasIndexed: Bool) throws {
        context.zoneIndexes[zone] = nil
        if row.isDeleted {
            try sql("INSERT OR IGNORE INTO index_sweep (zone) VALUES (?)").run(zone)
        } else if !wasIndexed {
            try sql("DELETE FROM index_sweep WHERE zone = ?").run(zone)
            // Records that came before their zone, or while it was gone, are in no index: those of the container begin again.
            let hasRecords = try sql("SELECT 1 FROM record WHERE zone = ? LIMIT 1").first(zone) { _ in true } ?? false
            guard hasRecords else { return }
            try sql("UPDATE field_index SET state = 0, built = 0 WHERE container = ? AND state < 2")
                .run(row.genesis.container)
            context.zoneIndexes.removeAll()
        }
    }
}
