import Records
import Sync
import Wire

/// The prekeys of this device.
extension SQLiteTransaction {
    func prekey(_ id: PrekeyID) throws -> PrekeyRow? {
        try sql("SELECT id, zone, seed, begun, stated, superseded, state FROM prekey WHERE id = ?")
            .first(id.bytes) { try PrekeyColumns($0) }.map { try prekey($0) }
    }

    func presentPrekey(zone: ZoneID) throws -> PrekeyRow? {
        guard let zone = try number(zone.digest) else { return nil }
        return try sql(
            """
            SELECT id, zone, seed, begun, stated, superseded, state FROM prekey INDEXED BY prekey_present
            WHERE superseded IS NULL AND zone = ?
            """
        ).first(zone) { try PrekeyColumns($0) }.map { try prekey($0) }
    }

    func prekeys(supersededBy milliseconds: UInt64, limit: Int) throws -> [PrekeyRow] {
        try sql(
            """
            SELECT id, zone, seed, begun, stated, superseded, state FROM prekey INDEXED BY prekey_superseded
            WHERE superseded <= ? ORDER BY superseded, id LIMIT ?
            """
        ).all(Int64(clamping: milliseconds), limit) { try PrekeyColumns($0) }.map { try prekey($0) }
    }

    mutating func save(_ prekey: PrekeyRow) throws {
        try requireWritable()
        let prekey = prekey.storable
        try sql(
            """
            INSERT INTO prekey (id, zone, seed, begun, stated, superseded, state) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                stated = excluded.stated, superseded = excluded.superseded, state = excluded.state
            """
        ).run(
            prekey.id.bytes,
            try intern(prekey.zone.digest),
            context.secrets.sealed(prekey.seed.bytes, for: Self.place(prekey.id)),
            prekey.begun,
            prekey.stated,
            prekey.superseded,
            Int64(prekey.state.rawValue)
        )
    }

    mutating func removePrekey(_ id: PrekeyID) throws {
        try requireWritable()
        try sql("DELETE FROM prekey WHERE id = ?").run(id.bytes)
    }

    /// The bytes that bind a seed to its prekey.
    private static func place(_ id: PrekeyID) -> [UInt8] { Array("prekey".utf8) + id.bytes }

    private func prekey(_ columns: PrekeyColumns) throws -> PrekeyRow {
        guard let seed = StoredSecret(try context.secrets.opened(columns.seed, for: Self.place(columns.id))) else {
            throw StorageError(code: .corrupt, message: "the seed of a prekey has another length")
        }
        return PrekeyRow(
            id: columns.id,
            zone: ZoneID(try digest(columns.zone)),
            seed: seed,
            begun: columns.begun,
            stated: columns.stated,
            superseded: columns.superseded,
            state: columns.state
        )
    }
}

/// A row of the table, before its zone is looked up.
private struct PrekeyColumns {
    let id: PrekeyID
    let zone: Int64
    let seed: [UInt8]
    let begun: UInt64
    let stated: UInt64
    let superseded: UInt64?
    let state: PrekeyRow.State

    init(_ row: ResultRow) throws {
        guard let id = PrekeyID(row.bytes(0)) else { throw row.damage(0) }
        guard let state = PrekeyRow.State(rawValue: Int(row.integer(6))) else { throw row.damage(6) }
        self.id = id
        zone = row.integer(1)
        seed = row.bytes(2)
        begun = try row.unsigned(3)
        stated = try row.unsigned(4)
        superseded = row.isNull(5) ? nil : try row.unsigned(5)
        self.state = state
    }
}
