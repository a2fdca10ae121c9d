import Records
import Sync
import Wire

/// Operations by record.
extension SQLiteTransaction {
    func operations(zone: ZoneID, tags: [RecordTag], states: Set<OperationState>) throws -> [StoredOperation] {
        let id = zone
        guard let zone = try number(zone.digest) else { return [] }
        let wanted = Set(states.map { Int64($0.rawValue) })
        var found: [StoredOperation] = []
        for tag in Set(tags).sorted() {
            guard let number = try number(tag, zone: zone) else { continue }
            let rows = try sql(
                """
                SELECT first, state, tombstone, detail, body, NULL, log.actor FROM item JOIN log ON log.id = item.log
                WHERE tag = ? AND state <> 4
                """
            ).all(number) { row -> (ItemColumns, Int64)? in
                // Bodies of operations in other states than the requested ones are not copied.
                guard wanted.contains(row.integer(1)) else { return nil }
                var columns = try ItemColumns(row)
                columns.tag = tag
                return (columns, row.integer(6))
            }
            var operations: [StoredOperation] = []
            for case let (columns, actor)? in rows {
                let operation = try operation(columns, actor: ActorID(try digest(actor)))
                let item = StoredItem(first: columns.first, content: .operation(operation))
                _ = try undamaged(item, in: LogKey(zone: id, actor: operation.actor, lane: .data))
                operations.append(operation)
            }
            found += operations.sorted { $0.dot < $1.dot }
        }
        return found
    }

    func operation(zone: ZoneID, tag: RecordTag, version: RecordVersion) throws -> StoredOperation? {
        guard let zone = try number(zone.digest), let number = try number(tag, zone: zone) else { return nil }
        let states: Set<OperationState> = [.live, .superseded]
        // Bodies stay where they are until it is clear which one is wanted.
        let wanted = try summaries(of: number, tag: tag).first { summary in
            states.contains(summary.state) && RecordVersion(summary.vector) == version
        }
        guard let wanted, let actor = try self.number(wanted.dot.actor.digest),
            let log = try self.number(LogPlace(zone: zone, actor: actor, lane: Lane.data.rawValue))
        else { return nil }
        return try sql("SELECT first, state, tombstone, detail, body, NULL FROM item WHERE log = ? AND first = ?")
            .first(log, wanted.dot.counter &- 1) { row in
                var columns = try ItemColumns(row)
                columns.tag = tag
                return columns
            }
            .map { try operation($0, actor: wanted.dot.actor) }
    }

    func summaries(zone: ZoneID, after: RecordTag?, limit: Int) throws -> [OperationSummary] {
        guard let zone = try number(zone.digest) else { return [] }
        var page: [OperationSummary] = []
        // Every tag sorts behind the empty one.
        var behind = after?.bytes ?? []
        while page.count < limit {
            let tags = try sql(
                """
                SELECT id, tag FROM tag WHERE zone = ? AND tag > ?
                    AND EXISTS (SELECT 1 FROM item WHERE item.tag = tag.id)
                ORDER BY tag.tag LIMIT 256
                """
            ).all(zone, behind) { ($0.integer(0), RecordTag(try $0.digest(1))) }
            guard let (_, last) = tags.last else { break }
            behind = last.bytes
            for (number, tag) in tags {
                page += try summaries(of: number, tag: tag)
                guard page.count < limit else { break }
            }
        }
        return page
    }

    func summaries(zone: ZoneID, tags: [RecordTag]) throws -> [OperationSummary] {
        guard let zone = try number(zone.digest) else { return [] }
        return try Set(tags).sorted().flatMap { tag in
            try number(tag, zone: zone).map { try summaries(of: $0, tag: tag) } ?? []
        }
    }

    private func summaries(of number: Int64, tag: RecordTag) throws -> [OperationSummary] {
        try sql(
            """
            SELECT first, state, tombstone, detail, NULL, NULL, log.actor FROM item JOIN log ON log.id = item.log
            WHERE tag = ?
            """
        ).all(number) { row -> (ItemColumns, Int64) in
            var columns = try ItemColumns(row)
            columns.tag = tag
            return (columns, row.integer(6))
        }.map { columns, actor in
            try summary(columns, actor: ActorID(try digest(actor)))
        }.sorted { $0.dot < $1.dot }
    }
}
