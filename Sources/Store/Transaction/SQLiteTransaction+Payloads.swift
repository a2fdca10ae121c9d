import Sync
import Wire

/// Payloads and their chunks.
extension SQLiteTransaction {
    func payload(_ id: PayloadID) throws -> PayloadRow? {
        try sql(
            """
            SELECT number, id, zone, state, size, secret, begun, sender, kept_until, is_asset, unnamed_since, chunk_size,
                kept_for
            FROM payload WHERE id = ?
            """
        ).first(id.bytes) { try PayloadColumns($0) }.map { try payload($0) }
    }

    func payload(number: UInt64) throws -> PayloadRow? {
        try sql(
            """
            SELECT number, id, zone, state, size, secret, begun, sender, kept_until, is_asset, unnamed_since, chunk_size,
                kept_for
            FROM payload WHERE number = ?
            """
        ).first(Int64(clamping: number)) { try PayloadColumns($0) }.map { try payload($0) }
    }

    func wantedPayloads(after number: UInt64, limit: Int) throws -> [PayloadRow] {
        try sql(
            """
            SELECT number, id, zone, state, size, secret, begun, sender, kept_until, is_asset, unnamed_since, chunk_size,
                kept_for
            FROM payload INDEXED BY payload_wanted WHERE state = 2 AND number > ? ORDER BY number LIMIT ?
            """
        ).all(Int64(clamping: number), limit) { try PayloadColumns($0) }.map { try payload($0) }
    }

    func unneededPayloads(
        begunBefore milliseconds: UInt64,
        unnamedBefore: UInt64,
        at now: UInt64,
        limit: Int
    ) throws -> [PayloadRow] {
        let (begun, unnamed) = (Int64(clamping: milliseconds), Int64(clamping: unnamedBefore))
        // The states are those of `MessageRow.needsPayload`.
        var columns = try sql(
            """
            SELECT number, id, zone, state, size, secret, begun, sender, kept_until, is_asset, unnamed_since, chunk_size,
                kept_for
            FROM payload INDEXED BY payload_loose
            WHERE ((is_asset = 0 OR unnamed_since IS NOT NULL) AND kept_until IS NULL OR state = 4) AND (
                state = 4 OR begun < ? AND (is_asset = 0 OR unnamed_since <= ?)
                AND NOT EXISTS (
                    SELECT 1 FROM message INDEXED BY message_payload
                    WHERE message.payload = payload.id AND message.state IN (1, 2, 3, 7, 8)
                ) AND NOT EXISTS (
                    SELECT 1 FROM asset_reference INDEXED BY asset_reference_by_payload
                    CROSS JOIN zone ON zone.id = asset_reference.zone
                    WHERE asset_reference.payload = payload.id AND zone.state = 0
                )
            )
            ORDER BY number LIMIT ?
            """
        ).all(begun, unnamed, limit) { try PayloadColumns($0) }
        guard columns.count < limit else { return try columns.map { try payload($0) } }
        columns += try sql(
            """
            SELECT number, id, zone, state, size, secret, begun, sender, kept_until, is_asset, unnamed_since, chunk_size,
                kept_for
            FROM payload INDEXED BY payload_kept
            WHERE kept_until IS NOT NULL AND state <> 4 AND (is_asset = 0 OR unnamed_since IS NOT NULL)
                AND kept_until <= ? AND begun < ? AND (is_asset = 0 OR unnamed_since <= ?)
                AND NOT EXISTS (
                    SELECT 1 FROM message INDEXED BY message_payload
                    WHERE message.payload = payload.id AND message.state IN (1, 2, 3, 7, 8)
                ) AND NOT EXISTS (
                    SELECT 1 FROM asset_reference INDEXED BY asset_reference_by_payload
                    CROSS JOIN zone ON zone.id = asset_reference.zone
                    WHERE asset_reference.payload = payload.id AND zone.state = 0
                )
            ORDER BY kept_until, number LIMIT ?
            """
        ).all(Int64(clamping: now), begun, unnamed, limit - columns.count) { try PayloadColumns($0) }
        return try columns.map { try payload($0) }
    }

    func keepableAssets(after number: UInt64, limit: Int) throws -> [PayloadRow] {
        // The states are those of `PayloadRow.State`.
        try sql(
            """
            SELECT number, id, zone, state, size, secret, begun, sender, kept_until, is_asset, unnamed_since, chunk_size,
                kept_for
            FROM payload INDEXED BY payload_keepable
            WHERE is_asset = 1 AND state IN (3, 6, 7) AND number > ? ORDER BY number LIMIT ?
            """
        ).all(Int64(clamping: number), limit) { try PayloadColumns($0) }.map { try payload($0) }
    }

    func payloadsToMark(limit: Int) throws -> [PayloadRow] {
        try sql(
            """
            SELECT number, id, zone, state, size, secret, begun, sender, kept_until, is_asset, unnamed_since, chunk_size,
                kept_for
            FROM payload INDEXED BY payload_to_mark WHERE to_mark = 1 ORDER BY number LIMIT ?
            """
        ).all(limit) { try PayloadColumns($0) }.map { try payload($0) }
    }

    func assetTotals() throws -> (count: Int, heldByteCount: UInt64) {
        // The states are those of `PayloadRow.State`.
        try sql(
            """
            SELECT count(*), coalesce(sum(CASE WHEN state = 3 THEN size ELSE 0 END), 0) FROM payload
            WHERE is_asset = 1 AND state <> 4
            """
        ).first { (count: Int($0.integer(0)), heldByteCount: try $0.unsigned(1)) } ?? (count: 0, heldByteCount: 0)
    }

    func handedInByteCounts() throws -> [ZoneID: UInt64] {
        // The states are those of `PayloadRow.isHandedIn`.
        let sums = try sql(
            """
            SELECT zone, sum(max(size, ?)) FROM payload
            WHERE sender IS NULL AND kept_until IS NULL AND state IN (1, 3) GROUP BY zone
            """
        ).all(Int64(clamping: Payloads.handedInByteCountMin)) { (zone: $0.integer(0), sum: try $0.unsigned(1)) }
        var counts: [ZoneID: UInt64] = [:]
        for (zone, sum) in sums { counts[ZoneID(try digest(zone))] = sum }
        return counts
    }

    mutating func save(_ payload: PayloadRow) throws {
        try requireWritable()
        let payload = try payload.storable()
        let before = try custodyTable.kept(payload.number)
        try sql(
            """
            INSERT INTO payload (number, id, zone, state, size, secret, begun, sender, kept_until, is_asset,
                unnamed_since, chunk_size, kept_for)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (number) DO UPDATE SET
                id = excluded.id, zone = excluded.zone, state = excluded.state, size = excluded.size,
                secret = excluded.secret, sender = excluded.sender, kept_until = excluded.kept_until,
                is_asset = excluded.is_asset, unnamed_since = excluded.unnamed_since,
                chunk_size = excluded.chunk_size, kept_for = excluded.kept_for,
                to_mark = 0
            """
        ).run(
            payload.number,
            payload.id?.bytes,
            try intern(payload.zone.digest),
            Int64(payload.state.rawValue),
            payload.byteCount,
            // No secret is an empty one.
            payload.secret.map { context.secrets.sealed($0.bytes, for: Self.place(payload.number)) } ?? [],
            payload.begun,
            try payload.sender.map { try intern($0.digest) },
            payload.keptUntil,
            payload.isAsset,
            payload.unnamedSince,
            payload.chunkByteCount,
            Int64(payload.keeping.rawValue)
        )
        try custodyTable.recount(before, as: payload.keptUntil == nil ? nil : custodyTable.kept(payload.number))
        if payload.isAsset, let id = payload.id { try assets.noteMark(id) }
    }

    mutating func removePayload(number: UInt64) throws {
        try requireWritable()
        try custodyTable.recount(custodyTable.kept(number), as: nil)
        try sql("DELETE FROM payload WHERE number = ?").run(Int64(clamping: number))
        context.payloadFiles?.remove(number)
    }

    // MARK: Chunks

    private var chunks: ChunkTable { ChunkTable(self) }

    func chunk(of payload: UInt64, at position: UInt64) throws -> ChunkRow? {
        try chunks.chunk(of: payload, at: position)
    }

    func chunkHashes(of payload: UInt64) throws -> [Hash] {
        try sql("SELECT hash FROM chunk WHERE payload = ? ORDER BY position")
            .all(Int64(clamping: payload)) { Hash(try $0.digest(0)) }
    }

    func missingChunks(of payload: UInt64, limit: Int) throws -> [UInt64] {
        try sql(
            """
            SELECT position FROM chunk INDEXED BY chunk_missing
            WHERE payload = ? AND held IS NULL ORDER BY position LIMIT ?
            """
        ).all(Int64(clamping: payload), limit) { try $0.unsigned(0) }
    }

    func chunkCounts(of payload: UInt64) throws -> (present: Int, all: Int) {
        let number = Int64(clamping: payload)
        let last =
            try sql("SELECT max(position) FROM chunk WHERE payload = ?")
            .first(number) { $0.isNull(0) ? -1 : $0.integer(0) } ?? -1
        let missing =
            try sql(
                "SELECT count(*) FROM chunk INDEXED BY chunk_missing WHERE payload = ? AND held IS NULL"
            ).first(number) { $0.integer(0) } ?? 0
        let all = Int(last) + 1
        return (all - Int(missing), all)
    }

    mutating func save(_ chunk: ChunkRow, of payload: UInt64) throws {
        try requireWritable()
        try chunks.save(chunk, of: payload)
    }

    mutating func removeChunks(of payload: UInt64, limit: Int) throws -> Bool {
        try requireWritable()
        return try chunks.remove(of: payload, limit: limit)
    }

    /// The bytes that bind a secret to its payload.
    private static func place(_ number: UInt64) -> [UInt8] {
        var writer = WireWriter()
        writer.writeRaw(Array("payload".utf8))
        writer.writeUInt64(number)
        return writer.bytes
    }

    private func payload(_ columns: PayloadColumns) throws -> PayloadRow {
        let row = PayloadRow(
            number: columns.number,
            id: columns.id,
            zone: ZoneID(try digest(columns.zone)),
            state: columns.state,
            byteCount: columns.byteCount,
            secret: try columns.secret.isEmpty ? nil : secret(columns),
            begun: columns.begun,
            sender: try columns.sender.map { DeviceID(try digest($0)) },
            keptUntil: columns.keptUntil,
            keeping: columns.keeping,
            isAsset: columns.isAsset,
            unnamedSince: columns.unnamedSince,
            chunkByteCount: columns.chunkByteCount
        )
        return try undamaged(row, "payload", "payload \(row.number)")
    }

    private func secret(_ columns: PayloadColumns) throws -> StoredSecret {
        let opened = try context.secrets.opened(columns.secret, for: Self.place(columns.number))
        guard let secret = StoredSecret(opened) else {
            throw StorageError(code: .corrupt, message: "the secret of a payload has another length")
        }
        return secret
    }
}
