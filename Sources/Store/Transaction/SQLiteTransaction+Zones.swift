import Records
import Sync
import Wire

/// Zones.
extension SQLiteTransaction {
    func zone(_ id: ZoneID) throws -> ZoneRow? {
        if let known = context.rows.zone(id) { return known }
        guard let number = try number(id.digest) else { return nil }
        let zone = try sql(
            """
            SELECT genesis, tag_key, state, reason, adopted, candidates, watermark, unverified, "right", role,
                production, sealing, needs_keys, keys_due, keys_stamp
            FROM zone WHERE id = ? AND genesis IS NOT NULL
            """
        ).first(number) { try zoneRow(id, $0) }
        if let zone { context.rows.note(zone) }
        return zone
    }

    func zones() throws -> [ZoneRow] {
        try sql(
            """
            SELECT genesis, tag_key, state, reason, adopted, candidates, watermark, unverified, "right", role,
                production, sealing, needs_keys, keys_due, keys_stamp, identifier.bytes
            FROM zone JOIN identifier USING (id) WHERE genesis IS NOT NULL ORDER BY identifier.bytes
            """
        ).all { row in try zoneRow(ZoneID(try row.digest(15)), row) }
    }

    func zones(named name: String) throws -> [ZoneRow] {
        try sql("SELECT bytes FROM zone JOIN identifier USING (id) WHERE zone.name = ? ORDER BY bytes")
            .all(Array(name.utf8)) { row in ZoneID(try row.digest(0)) }
            .compactMap { try zone($0) }
    }

    func zones(in range: ClosedRange<ZoneID>) throws -> [ZoneRow] {
        try sql(
            """
            SELECT bytes FROM identifier JOIN zone USING (id)
            WHERE bytes BETWEEN ? AND ? AND genesis IS NOT NULL ORDER BY bytes
            """
        )
        .all(range.lowerBound.bytes, range.upperBound.bytes) { row in ZoneID(try row.digest(0)) }
        .compactMap { try zone($0) }
    }

    mutating func save(_ zone: ZoneRow) throws {
        try requireWritable()
        try zone.requireStorable()
        var reason: String?
        let state: Int64
        switch zone.state {
        case .live: state = 0
        case .sealed: state = 1
        case .deleted(let why): (state, reason) = (2, why)
        }
        var candidates = WireWriter()
        candidates.writeList(zone.candidates)
        let number = try intern(zone.id.digest)
        let before = try sql("SELECT state FROM zone WHERE id = ? AND genesis IS NOT NULL").first(number) {
            $0.integer(0)
        }
        try sql(
            """
            INSERT INTO zone (id, genesis, tag_key, state, reason, adopted, candidates, watermark, unverified, "right",
                role, production, sealing, needs_keys, keys_due, keys_stamp, name)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET genesis = excluded.genesis, tag_key = excluded.tag_key,
                state = excluded.state, reason = excluded.reason, adopted = excluded.adopted,
                candidates = excluded.candidates, watermark = excluded.watermark, unverified = excluded.unverified,
                "right" = excluded."right", role = excluded.role,
                production = excluded.production, sealing = excluded.sealing, needs_keys = excluded.needs_keys,
                keys_due = excluded.keys_due, keys_stamp = excluded.keys_stamp, name = excluded.name
            """
        ).run(
            number,
            zone.genesis.encoded,
            context.secrets.sealed(zone.tagKey, for: zone.id.bytes),
            state,
            reason,
            zone.adopted?.encoded,
            candidates.bytes,
            zone.watermark.encoded,
            zone.isUnverified,
            zone.right.isZero ? nil : try intern(zone.right.digest),
            zone.role == .owner ? nil : zone.role.encoded,
            zone.production.isEmpty ? nil : zone.production,
            zone.sealing == .waiting ? nil : zone.sealing.encoded,
            zone.needsKeys,
            zone.keysDue == .max ? nil : zone.keysDue,
            zone.keysStamp.isZero ? nil : zone.keysStamp.bytes,
            Array(zone.genesis.name.utf8)
        )
        context.rows.note(zone)
        if let before, (before == 0) != (state == 0) { try assets.zoneChanged(number, isLive: state == 0) }
        if before != state { try zoneChanged(number, zone, wasIndexed: before != nil && before != 2) }
    }

    private func zoneRow(_ id: ZoneID, _ row: ResultRow) throws -> ZoneRow {
        let state: Records.ZoneState
        switch row.integer(2) {
        case 0: state = .live
        case 1: state = .sealed
        case 2: state = .deleted(reason: row.text(3))
        default: throw row.damage(2)
        }
        let right = row.isNull(8) ? Hash.zero : Hash(try digest(row.integer(8)))
        let role = row.bytes(9)
        let production = row.bytes(10)
        let tagKey = try context.secrets.opened(row.bytes(1), for: id.bytes)
        let sealing = row.bytes(11)
        let stamp = row.isNull(14) ? Hash.zero : Hash(try row.digest(14))
        let keysDue = row.isNull(13) ? UInt64.max : UInt64(clamping: row.integer(13))
        let zone = try decoding("zone") { () throws(WireError) in
            var candidates = WireReader(row.bytes(5))
            // Several checkpoints together may cover more logs than a vector on the wire may name.
            var watermark = WireReader(row.bytes(6))
            return ZoneRow(
                id: id,
                genesis: try ZoneGenesis(decoding: row.bytes(0)),
                tagKey: tagKey,
                state: state,
                adopted: row.isNull(4) ? nil : try Checkpoint(decoding: row.bytes(4)),
                candidates: try candidates.readList(
                    maximum: StorableLimits.candidateCountMax,
                    itemByteCountMin: 1
                ),
                watermark: VersionVector(
                    covering: try watermark.readList(
                        maximum: StorableLimits.listCountMax,
                        itemByteCountMin: 33
                    ) as [Dot]
                ),
                right: right,
                role: role.isEmpty ? .owner : try LogRole(decoding: role),
                production: production,
                isUnverified: row.integer(7) != 0,
                sealing: sealing.isEmpty ? .waiting : try ZoneSealing(decoding: sealing),
                needsKeys: row.integer(12) != 0,
                keysDue: keysDue,
                keysStamp: stamp
            )
        }
        return try undamaged(zone, "zone", "the zone \(id.shortText)")
    }

    /// Seals the tag keys that are not sealed, and makes sure that the others can be opened.
    /// - Returns: The number of sealed keys.
    /// - Throws: `.corrupt` when one is sealed under another key.
    func sealTagKeys() throws -> Int {
        try requireWritable()
        let rows = try sql(
            "SELECT zone.id, identifier.bytes, tag_key FROM zone JOIN identifier USING (id) WHERE genesis IS NOT NULL"
        ).all { row in (number: row.integer(0), zone: row.bytes(1), stored: row.bytes(2)) }
        var count = 0
        for row in rows {
            let tagKey = try context.secrets.opened(row.stored, for: row.zone)
            guard row.stored.count == StoredSecrets.byteCount else { continue }
            try sql("UPDATE zone SET tag_key = ? WHERE id = ?").run(
                context.secrets.sealed(tagKey, for: row.zone),
                row.number
            )
            count += 1
        }
        return count
    }
}
