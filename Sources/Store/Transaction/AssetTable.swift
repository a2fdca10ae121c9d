import Records
import Sync
import Wire

/// The tables of assets: the references of records, and the rules of zones.
struct AssetTable {
    private let transaction: SQLiteTransaction

    init(_ transaction: SQLiteTransaction) {
        self.transaction = transaction
    }

    // MARK: References

    func references(to payload: PayloadID, limit: Int) throws -> [AssetReference] {
        try transaction.sql(
            """
            SELECT payload, zone, tag FROM asset_reference INDEXED BY asset_reference_by_payload
            WHERE payload = ? ORDER BY zone, tag LIMIT ?
            """
        ).all(payload, limit) { try ReferenceColumns($0) }.map { try reference($0) }
    }

    func references(to payload: PayloadID, zone: ZoneID, limit: Int) throws -> [AssetReference] {
        guard let number = try transaction.number(zone.digest) else { return [] }
        return try transaction.sql(
            """
            SELECT payload, zone, tag FROM asset_reference INDEXED BY asset_reference_by_payload
            WHERE payload = ? AND zone = ? ORDER BY tag LIMIT ?
            """
        ).all(payload, number, limit) { try ReferenceColumns($0) }.map { try reference($0) }
    }

    func zones(of payload: PayloadID, limit: Int) throws -> [ZoneID] {
        var zones: [ZoneID] = []
        var last: Int64 = -1
        // One step for each zone: one of them may have very many records that name it.
        while zones.count < limit,
            let next = try transaction.sql(
                """
                SELECT zone FROM asset_reference INDEXED BY asset_reference_by_payload
                WHERE payload = ? AND zone > ? ORDER BY zone LIMIT 1
                """
            ).first(payload, last, read: { $0.integer(0) })
        {
            zones.append(ZoneID(try transaction.digest(next)))
            last = next
        }
        return zones
    }

    func references(zone: ZoneID, after: AssetReference?, limit: Int) throws -> [AssetReference] {
        guard let number = try transaction.number(zone.digest) else { return [] }
        // A place in a later zone is behind all of this one, and one in an earlier zone before all.
        if let after, zone < after.zone { return [] }
        let place = after.flatMap { $0.zone == zone ? $0 : nil }
        return try transaction.sql(
            """
            SELECT payload, zone, tag FROM asset_reference
            WHERE zone = ? AND (tag, payload) > (?, ?) ORDER BY tag, payload LIMIT ?
            """
            // Every tag sorts behind the empty one.
        ).all(number, place?.tag.bytes ?? [], place?.payload.bytes ?? [], limit) { try ReferenceColumns($0) }
            .map { try reference($0) }
    }

    func isNamed(_ payload: PayloadID) throws -> Bool {
        try transaction.sql(
            """
            SELECT 1 FROM asset_reference INDEXED BY asset_reference_by_payload
            CROSS JOIN zone ON zone.id = asset_reference.zone
            WHERE asset_reference.payload = ? AND zone.state = 0 LIMIT 1
            """
        ).first(payload) { _ in true } ?? false
    }

    func isNamed(_ payload: PayloadID, zone: ZoneID) throws -> Bool {
        guard let number = try transaction.number(zone.digest) else { return false }
        return try transaction.sql(
            """
            SELECT 1 FROM asset_reference INDEXED BY asset_reference_by_payload
            WHERE payload = ? AND zone = ? LIMIT 1
            """
        ).first(payload, number) { _ in true } ?? false
    }

    func unseenReferences(limit: Int) throws -> [AssetReference] {
        try transaction.sql(
            """
            SELECT payload, zone, tag FROM asset_reference INDEXED BY asset_reference_unseen
            WHERE seen = 0 ORDER BY zone, tag, payload LIMIT ?
            """
        ).all(limit) { try ReferenceColumns($0) }.map { try reference($0) }
    }

    func markSeen(_ reference: AssetReference) throws {
        guard let zone = try transaction.number(reference.zone.digest) else { return }
        try transaction.sql("UPDATE asset_reference SET seen = 1 WHERE zone = ? AND tag = ? AND payload = ?")
            .run(zone, reference.tag, reference.payload)
    }

    func markUnseen(zone: ZoneID) throws {
        guard let zone = try transaction.number(zone.digest) else { return }
        try transaction.sql("UPDATE asset_reference SET seen = 0 WHERE zone = ? AND seen = 1").run(zone)
    }

    func markUnseen(to payload: PayloadID) throws {
        try transaction.sql("UPDATE asset_reference SET seen = 0 WHERE payload = ? AND seen = 1").run(payload)
    }

    /// Notes that a zone has ended, or is live again: then its records keep content again, and all of its references are unseen.
    func zoneChanged(_ zone: Int64, isLive: Bool) throws {
        if isLive { try transaction.sql("UPDATE asset_reference SET seen = 0 WHERE zone = ? AND seen = 1").run(zone) }
        try transaction.sql(
            """
            UPDATE payload SET to_mark = (unnamed_since IS NOT NULL) = EXISTS (
                SELECT 1 FROM asset_reference INDEXED BY asset_reference_by_payload
                CROSS JOIN zone ON zone.id = asset_reference.zone
                WHERE asset_reference.payload = payload.id AND zone.state = 0
            ) WHERE is_asset = 1 AND id IN (SELECT named.payload FROM asset_reference AS named WHERE named.zone = ?)
            """
        ).run(zone)
    }

    /// Takes the references of a record to its new state.
    /// - Parameters:
    ///   - record: The new state.
    ///   - zone: The row id of its zone.
    ///   - isNew: Whether the record had no row before.
    /// - Throws: Any error of SQLite.
    func save(_ record: RecordRow, zone: Int64, isNew: Bool) throws {
        let former = isNew ? [] : try payloads(zone: zone, tag: record.tag)
        guard former != record.assets else { return }
        let (old, new) = (Set(former), Set(record.assets))
        for payload in old.subtracting(new) {
            try transaction.sql("DELETE FROM asset_reference WHERE zone = ? AND tag = ? AND payload = ?")
                .run(zone, record.tag, payload)
            try noteMark(payload)
        }
        for payload in new.subtracting(old) {
            try transaction.sql("INSERT INTO asset_reference (zone, tag, payload, seen) VALUES (?, ?, ?, 0)")
                .run(zone, record.tag, payload)
            try noteMark(payload)
        }
    }

    private func payloads(zone: Int64, tag: RecordTag) throws -> [PayloadID] {
        try transaction.sql("SELECT payload FROM asset_reference WHERE zone = ? AND tag = ? ORDER BY payload")
            .all(zone, tag) { PayloadID(try $0.digest(0)) }
    }

    /// Notes of an asset whether its row says wrongly that a record names it, or that none does.
    func noteMark(_ payload: PayloadID) throws {
        try transaction.sql(
            """
            UPDATE payload SET to_mark = (unnamed_since IS NOT NULL) = EXISTS (
                SELECT 1 FROM asset_reference INDEXED BY asset_reference_by_payload
                CROSS JOIN zone ON zone.id = asset_reference.zone
                WHERE asset_reference.payload = payload.id AND zone.state = 0
            ) WHERE id = ? AND is_asset = 1
            """
        ).run(payload)
    }

    private func reference(_ columns: ReferenceColumns) throws -> AssetReference {
        let zone = ZoneID(try transaction.digest(columns.zone))
        return AssetReference(payload: columns.payload, zone: zone, tag: columns.tag)
    }

    // MARK: Rules

    func policy(zone: ZoneID) throws -> AssetPolicy? {
        guard let zone = try transaction.number(zone.digest) else { return nil }
        return try transaction.sql("SELECT kind, size FROM asset_policy WHERE zone = ? AND kind <> 0")
            .first(zone) { (row: ResultRow) throws -> AssetPolicy in
                switch row.integer(0) {
                case 1: return .never
                case 2: return .onDemand
                case 3: return .upTo(try row.unsigned(1))
                case 4: return .always
                default: throw row.damage(0)
                }
            }
    }

    func setPolicy(_ policy: AssetPolicy?, zone: ZoneID) throws {
        guard let policy = policy?.storable else {
            guard let zone = try transaction.number(zone.digest) else { return }
            try transaction.sql("UPDATE asset_policy SET kind = 0, size = 0 WHERE zone = ?").run(zone)
            return try removeDefaults(zone)
        }
        var size: UInt64 = 0
        if case .upTo(let byteCount) = policy { size = byteCount }
        let kind: Int64 =
            switch policy {
            case .never: 1
            case .onDemand: 2
            case .upTo: 3
            case .always: 4
            }
        try transaction.sql(
            """
            INSERT INTO asset_policy (zone, kind, size) VALUES (?, ?, ?)
            ON CONFLICT (zone) DO UPDATE SET kind = excluded.kind, size = excluded.size
            """
        ).run(try transaction.intern(zone.digest), kind, size)
    }

    func isKeptAtRelays(zone: ZoneID) throws -> Bool {
        guard let zone = try transaction.number(zone.digest) else { return true }
        return try transaction.sql("SELECT relays FROM asset_policy WHERE zone = ?")
            .first(zone) { $0.integer(0) != 0 } ?? true
    }

    func setKeptAtRelays(_ isKept: Bool, zone: ZoneID) throws {
        let number = try transaction.intern(zone.digest)
        try transaction.sql(
            """
            INSERT INTO asset_policy (zone, relays) VALUES (?, ?)
            ON CONFLICT (zone) DO UPDATE SET relays = excluded.relays
            """
        ).run(number, isKept)
        try removeDefaults(number)
    }

    /// Removes the row of a zone that has no rule of its own.
    private func removeDefaults(_ zone: Int64) throws {
        try transaction.sql("DELETE FROM asset_policy WHERE zone = ? AND kind = 0 AND relays = 1").run(zone)
    }
}

/// A row of the table of references, before its zone is looked up.
private struct ReferenceColumns {
    let payload: PayloadID
    let zone: Int64
    let tag: RecordTag

    init(_ row: ResultRow) throws {
        payload = PayloadID(try row.digest(0))
        zone = row.integer(1)
        tag = RecordTag(try row.digest(2))
    }
}
