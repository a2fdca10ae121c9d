import Sync
import Wire

/// The table of chunks.
struct ChunkTable {
    private let transaction: SQLiteTransaction

    init(_ transaction: SQLiteTransaction) {
        self.transaction = transaction
    }

    func chunk(of payload: UInt64, at position: UInt64) throws -> ChunkRow? {
        let columns = try transaction.sql(
            """
            SELECT hash, bytes, held, chunk_size FROM chunk LEFT JOIN payload ON payload.number = chunk.payload
            WHERE chunk.payload = ? AND position = ?
            """
        ).first(Int64(clamping: payload), Int64(clamping: position)) { try ChunkColumns($0) }
        guard let columns else { return nil }
        return ChunkRow(position: position, hash: columns.hash, bytes: columns.bytes)
    }

    func save(_ chunk: ChunkRow, of payload: UInt64) throws {
        let size = try chunkByteCount(of: payload)
        try chunk.requireStorable(of: payload, chunkByteCount: size)
        try transaction.sql(
            """
            INSERT INTO chunk (payload, position, hash, held, bytes) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (payload, position) DO UPDATE SET
                hash = excluded.hash, held = excluded.held, bytes = excluded.bytes
            """
        ).run(
            payload,
            chunk.position,
            chunk.hash.bytes,
            chunk.bytes.map(\.count),
            chunk.bytes
        )
    }

    /// Forgets the first of a payload's chunks.
    func remove(of payload: UInt64, limit: Int) throws -> Bool {
        let number = Int64(clamping: payload)
        let positions = try transaction.sql("SELECT position FROM chunk WHERE payload = ? ORDER BY position LIMIT ?")
            .all(number, limit) { $0.integer(0) }
        guard let last = positions.last else { return false }
        try transaction.sql("DELETE FROM chunk WHERE payload = ? AND position <= ?").run(number, last)
        return true
    }

    /// Plain bytes of each chunk of a payload but its last.
    private func chunkByteCount(of payload: UInt64) throws -> Int {
        let found = try transaction.sql("SELECT chunk_size FROM payload WHERE number = ?")
            .first(Int64(clamping: payload)) { (row: ResultRow) throws -> Int in
                let size = Int(row.integer(0))
                guard PayloadOutline.chunkByteCounts.contains(size) else { throw row.damage(0) }
                return size
            }
        return found ?? Limits.chunkByteCount
    }
}

/// A row of the table of chunks, with the size of its payload's chunks.
private struct ChunkColumns {
    let hash: Hash
    /// Its bytes; `nil` while it is not here.
    let bytes: [UInt8]?
    /// Sealed bytes that are here; `nil` while the chunk is not.
    let heldByteCount: Int?
    /// Plain bytes of each chunk of the payload but its last.
    let chunkByteCount: Int

    /// Reads the columns 0 to 3: `hash, bytes, held, payload.chunk_size`.
    init(_ row: ResultRow) throws {
        hash = Hash(try row.digest(0))
        bytes = row.isNull(1) ? nil : row.bytes(1)
        heldByteCount = row.isNull(2) ? nil : Int(row.integer(2))
        chunkByteCount = row.isNull(3) ? Limits.chunkByteCount : Int(row.integer(3))
        guard PayloadOutline.chunkByteCounts.contains(chunkByteCount) else { throw row.damage(3) }
        let most = chunkByteCount + Limits.chunkTagByteCount
        guard (0...most).contains(heldByteCount ?? 0) else { throw row.damage(2) }
    }
}
