import Records
import Sync
import Wire

/// Visible records.
extension SQLiteTransaction {
    func record(zone: ZoneID, tag: RecordTag) throws -> RecordRow? {
        if let known = context.rows.record(tag, in: zone) { return known }
        guard let zone = try number(zone.digest), let number = try number(tag, zone: zone) else { return nil }
        let row = try recordColumns(number).map { try record($0) }
        if let row { context.rows.note(row) }
        return row
    }

    /// One record by its row id.
    func recordColumns(_ number: Int64) throws -> RecordColumns? {
        try sql(
            """
            SELECT record.zone, tag.tag, deleted, name, type, version, record.detail, coalesce(record.body, item.body),
                position, by_sync, coalesce(checksum, substr(item.detail, 1, 32)), retyped + 2 * locked,
                item.tag = record.id, item.first, state_checksum
            FROM record JOIN tag ON tag.id = record.id LEFT JOIN item ON item.id = record.item
            WHERE record.id = ?
            """
        ).first(number) { try RecordColumns($0) }
    }

    func records(zone: ZoneID, tags: [RecordTag]) throws -> [RecordRow] {
        var rows: [RecordRow] = []
        for tag in Set(tags).sorted() {
            if let row = try record(zone: zone, tag: tag) { rows.append(row) }
        }
        return rows
    }

    func lockedRecords(zone: ZoneID, after: RecordTag?, limit: Int) throws -> [RecordTag] {
        guard let zone = try number(zone.digest) else { return [] }
        return try sql(
            """
            SELECT tag.tag FROM record JOIN tag ON tag.id = record.id
            WHERE record.zone = ? AND locked = 1 AND tag.tag > ? ORDER BY tag.tag LIMIT ?
            """
            // Every tag sorts behind the empty one.
        ).all(zone, after?.bytes ?? [], limit) { RecordTag(try $0.digest(0)) }
    }

    func anchoredRecords(zone: ZoneID, to name: String, after: RecordTag?, limit: Int) throws -> [RecordTag] {
        guard let zone = try number(zone.digest) else { return [] }
        return try sql(
            """
            SELECT tag.tag FROM anchor JOIN tag ON tag.id = anchor.record
            WHERE anchor.zone = ? AND anchor.target = ? AND tag.tag > ? ORDER BY tag.tag LIMIT ?
            """
            // Every tag sorts behind the empty one.
        ).all(zone, name, after?.bytes ?? [], limit) { RecordTag(try $0.digest(0)) }
    }

    mutating func save(_ records: [RecordRow], bySync: Bool) throws {
        try requireWritable()
        guard !records.isEmpty else { return }
        for record in records { try record.requireStorable() }
        var ledger = try ledger()
        // Also when a later record fails: a position that was given is never given again.
        defer { setLedger(ledger) }
        for record in records {
            ledger.changePosition += 1
            try write(record, position: ledger.changePosition, bySync: bySync)
        }
    }

    mutating func saveUnchanged(_ records: [RecordRow]) throws {
        try requireWritable()
        for record in records { try record.requireStorable() }
        for record in records {
            let zone = try intern(record.zone.digest)
            let number = try intern(record.tag, zone: zone)
            let place = try sql("SELECT position, by_sync FROM record WHERE id = ?")
                .first(number) { ($0.isNull(0) ? nil : try $0.unsigned(0), $0.integer(1) != 0) }
            // A record that is first heard of as deleted was never in the feed and does not enter it.
            try write(record, position: place?.0, bySync: place?.1 ?? true)
        }
    }

    /// Inserts or replaces a row and keeps the totals of the zone's records.
    private func write(_ record: RecordRow, position: UInt64?, bySync: Bool) throws {
        let zone = try intern(record.zone.digest)
        let number = try intern(record.tag, zone: zone)
        // Also without a change the zone gets its row, by which the feed of all zones finds it.
        var change = context.recordChanges[zone] ?? RecordTotals()
        let isNew = context.newTags.remove(number) != nil
        if !isNew { try sql("DELETE FROM anchor WHERE record = ?").run(number) }
        for name in record.anchors {
            try sql("INSERT INTO anchor (zone, target, record) VALUES (?, ?, ?)").run(zone, name, number)
        }
        try assets.save(record, zone: zone, isNew: isNew)
        if !isNew, let (kind, byteCount) = try visibleSize(number) { change.add(kind, byteCount: byteCount, times: -1) }
        if !record.isDeleted {
            change.add(RecordTotals.Kind(type: record.type), byteCount: Int64(record.visibleByteCount), times: 1)
        }
        context.recordChanges[zone] = change
        let item = try itemWithBody(of: record, tag: number, zone: zone)
        try sql(
            """
            INSERT INTO record
                (id, zone, position, by_sync, deleted, conflicts, item, name, type, version, detail, body, checksum,
                locked, state_checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET position = excluded.position, by_sync = excluded.by_sync,
                deleted = excluded.deleted, conflicts = excluded.conflicts, item = excluded.item,
                name = excluded.name, type = excluded.type, version = excluded.version, detail = excluded.detail,
                body = excluded.body, checksum = excluded.checksum, locked = excluded.locked,
                state_checksum = excluded.state_checksum, retyped = retyped OR type <> excluded.type
            """
        ).run(
            number,
            zone,
            position,
            bySync,
            record.isDeleted,
            try conflictCount(record),
            item,
            record.name,
            record.type,
            record.version.bytes,
            try detail(record),
            item == nil ? record.body : nil,
            item == nil ? Operation.bodyHash(record.body).bytes : nil,
            record.isLocked,
            record.checksum
        )
        try indexRecord(record, number: number, zone: zone)
        context.rows.note(record)
    }

    /// The kind and the size that a record adds to its zone's totals; `nil` when it is not stored or deleted.
    private func visibleSize(_ number: Int64) throws -> (RecordTotals.Kind, Int64)? {
        try sql(
            """
            SELECT length(CAST(name AS BLOB)) + coalesce(length(record.body), length(item.body), 0),
                (type >= 'kairan.' AND type < 'kairan/') + (type = 'kairan.message')
            FROM record LEFT JOIN item ON item.id = record.item WHERE record.id = ? AND deleted = 0
            """
        ).first(number) { (RecordTotals.Kind(rawValue: $0.integer(1)) ?? .ofPrograms, $0.integer(0)) }
    }

    /// The row of the operation whose body is the record's, byte for byte.
    private func itemWithBody(of record: RecordRow, tag: Int64, zone: Int64) throws -> Int64? {
        guard record.live.count == 1, let dot = record.live.first, dot.counter > 0,
            let actor = try number(dot.actor.digest),
            let log = try number(LogPlace(zone: zone, actor: actor, lane: Lane.data.rawValue))
        else { return nil }
        if let appended = context.appended[ItemPlace(log: log, first: dot.counter - 1)] {
            return appended.body == record.body && appended.tag == tag ? appended.id : nil
        }
        let stored = try sql("SELECT id FROM item WHERE log = ? AND first = ? AND tag = ? AND body = ?")
            .first(log, dot.counter - 1, tag, record.body) { $0.integer(0) }
        return stored
    }

    /// Gives a record its own copy of a body that is about to be deleted with its operation.
    func detachRecord(_ number: Int64, from item: Int64) throws {
        try sql(
            """
            UPDATE record SET body = (SELECT body FROM item WHERE id = ?2),
                checksum = (SELECT substr(detail, 1, 32) FROM item WHERE id = ?2), item = NULL
            WHERE id = ?1 AND item = ?2
            """
        ).run(number, item)
    }
}

extension RecordTotals.Kind {
    /// The kind of a record of a type.
    fileprivate init(type: String) {
        self =
            !ReservedType.isReserved(type)
            ? .ofPrograms : type.isBytewiseEqual(to: ReservedType.message) ? .message : .ofDaemons
    }
}
