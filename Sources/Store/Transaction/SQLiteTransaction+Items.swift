import Records
import Sync
import Wire

/// The leaves of logs.
extension SQLiteTransaction {
    mutating func append(_ items: [StoredItem], key: LogKey) throws {
        try requireWritable()
        guard !items.isEmpty else { return }
        for item in items { try item.requireStorable(in: key) }
        let log = try intern(key)
        let zone = try intern(key.zone.digest)
        var end = try context.ends[log] ?? end(of: log, actor: key.actor)
        // A failure on the way leaves some of the items stored.
        context.ends[log] = nil
        for item in items {
            guard item.first == end else {
                throw StorageError(code: .misuse, message: "items do not continue the log")
            }
            end = item.first &+ item.leafCount
            switch item.content {
            case .operation(let stored): try insert(stored, first: item.first, log: log, zone: zone, lane: key.lane)
            case .gap(let gap): try insert(gap, first: item.first, log: log)
            }
        }
        context.ends[log] = end
    }

    /// The leaf behind the last stored item of a log.
    private func end(of log: Int64, actor: ActorID) throws -> UInt64 {
        let last = try sql(
            """
            SELECT first, state, tombstone, detail, NULL, NULL FROM item WHERE log = ? ORDER BY first DESC LIMIT 1
            """
        ).first(log) { try ItemColumns($0) }
        guard let last else { return 0 }
        guard last.state == ItemState.gap else { return last.first &+ 1 }
        return last.first &+ (try item(last, actor: actor)).leafCount
    }

    func items(_ key: LogKey, from: UInt64, to: UInt64) throws -> [StoredItem] {
        guard let log = try number(key), from < to else { return [] }
        // The item at or before `from` may be a gap that reaches over it.
        let columns = try sql(
            """
            SELECT item.first, state, tombstone, detail, body, tag.tag FROM item LEFT JOIN tag ON tag.id = item.tag
            WHERE log = ?1 AND item.first < ?3
                AND item.first >= coalesce((SELECT max(first) FROM item WHERE log = ?1 AND first <= ?2), ?2)
            ORDER BY item.first
            """
        ).all(log, Int64(clamping: from), Int64(clamping: to)) { try ItemColumns($0) }
        return try columns.map { try undamaged(try item($0, actor: key.actor), in: key) }
            // Behind the log's end the item before `from` does not reach it.
            .filter { $0.first >= from || from - $0.first < $0.leafCount }
    }

    mutating func replace(_ key: LogKey, first: [UInt64], with gaps: [SubtreeGap]) throws {
        try requireWritable()
        guard let log = try number(key) else { return }
        context.ends[log] = nil
        for place in first {
            let row = try sql("SELECT id, tag FROM item WHERE log = ? AND first = ?")
                .first(log, place) { ($0.integer(0), $0.isNull(1) ? nil : $0.integer(1)) }
            guard let (id, tag) = row else { continue }
            if let tag { try detachRecord(tag, from: id) }
            try sql("DELETE FROM item WHERE id = ?").run(id)
            context.appended[ItemPlace(log: log, first: place)] = nil
        }
        for gap in gaps {
            try insert(gap, first: gap.firstLeaf, log: log)
        }
    }

    mutating func setStates(_ changes: [StateChange]) throws {
        try requireWritable()
        for change in changes {
            guard change.counter > 0, let log = try number(change.key) else {
                throw StorageError(code: .misuse, message: "the operation to change is not stored")
            }
            try sql("UPDATE item SET state = ? WHERE log = ? AND first = ? AND state NOT IN (4, 5)")
                .run(Int64(change.state.rawValue), log, change.counter - 1)
            guard context.statements.changedCount == 1 else {
                throw StorageError(code: .misuse, message: "the operation to change is not stored")
            }
        }
    }

    private func insert(_ stored: StoredOperation, first: UInt64, log: Int64, zone: Int64, lane: Lane) throws {
        let header = stored.operation.header
        let tag = lane == .data ? try intern(header.tag, zone: zone) : nil
        let body = stored.operation.body
        try sql("INSERT INTO item (log, first, tag, state, tombstone, detail, body) VALUES (?, ?, ?, ?, ?, ?, ?)")
            .run(
                log,
                first,
                tag,
                Int64(stored.state.rawValue),
                stored.isTombstone,
                try detail(header, lane: lane),
                body
            )
        if let tag {
            context.appended[ItemPlace(log: log, first: first)] =
                AppendedItem(id: context.statements.lastRowID, tag: tag, body: body)
        }
    }

    private func insert(_ gap: SubtreeGap, first: UInt64, log: Int64) throws {
        try sql("INSERT INTO item (log, first, tag, state, tombstone, detail, body) VALUES (?, ?, NULL, ?, 0, ?, NULL)")
            .run(log, first, ItemState.gap, gap.encoded)
    }
}
