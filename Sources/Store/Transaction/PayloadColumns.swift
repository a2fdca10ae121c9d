import Sync
import Wire

extension SQLiteTransaction {
    func arrivingByteCounts() throws -> [ZoneID: UInt64] {
        let sums = try sql(
            """
            SELECT zone, sum(size) FROM payload INDEXED BY payload_wanted
            WHERE state = 2 AND EXISTS (SELECT 1 FROM chunk WHERE chunk.payload = payload.number) GROUP BY zone
            """
        ).all { (zone: $0.integer(0), sum: try $0.unsigned(1)) }
        return try sums.reduce(into: [:]) { $0[ZoneID(try digest($1.zone))] = $1.sum }
    }
}

/// A row of the table of payloads, before the identifiers that it names are looked up.
struct PayloadColumns {
    let number: UInt64
    let id: PayloadID?
    let zone: Int64
    let state: PayloadRow.State
    let byteCount: UInt64
    let secret: [UInt8]
    let begun: UInt64
    let sender: Int64?
    let keptUntil: UInt64?
    let isAsset: Bool
    let unnamedSince: UInt64?
    let chunkByteCount: Int
    let keeping: PayloadRow.Keeping

    /// Reads the columns 0 to 12: `number, id, zone, state, size, secret, begun, sender, kept_until, is_asset, unnamed_since, chunk_size,
    /// kept_for`.
    init(_ row: ResultRow) throws {
        guard let keeping = PayloadRow.Keeping(rawValue: Int(row.integer(12))) else { throw row.damage(12) }
        guard let state = PayloadRow.State(rawValue: Int(row.integer(3))) else { throw row.damage(3) }
        number = try row.unsigned(0)
        id = row.isNull(1) ? nil : PayloadID(try row.digest(1))
        zone = row.integer(2)
        self.state = state
        byteCount = try row.unsigned(4)
        secret = row.bytes(5)
        begun = try row.unsigned(6)
        sender = row.isNull(7) ? nil : row.integer(7)
        keptUntil = row.isNull(8) ? nil : try row.unsigned(8)
        isAsset = row.integer(9) != 0
        unnamedSince = row.isNull(10) ? nil : try row.unsigned(10)
        chunkByteCount = Int(row.integer(11))
        self.keeping = keeping
    }
}
