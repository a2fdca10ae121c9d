import Sync
import Wire

/// The table of chunks, and the files with their bytes.
///
/// The chunks of a payload lie one behind the other in the file of the payload, each at its position times the sealed bytes of a chunk. A
/// payload of one small chunk has no file: its bytes are in the row.
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
        var chunk = ChunkRow(position: position, hash: columns.hash, bytes: columns.bytes)
        if chunk.bytes == nil, let count = columns.heldByteCount,
            let offset = Self.offset(of: position, chunkByteCount: columns.chunkByteCount)
        {
            chunk.bytes = try transaction.context.payloads.read(payload, from: offset, count: count)
        }
        return chunk
    }

    fileprivate func unheldBytes(of payload: UInt64, at position: UInt64, count: Int) throws -> [UInt8]? {
        let size = try chunkByteCount(of: payload)
        guard let offset = Self.offset(of: position, chunkByteCount: size) else { return nil }
        return try transaction.context.payloads.read(payload, from: offset, count: count)
    }

    func save(_ chunk: ChunkRow, of payload: UInt64) throws {
        let size = try chunkByteCount(of: payload)
        try chunk.requireStorable(of: payload, chunkByteCount: size)
        let isKeptInRow = chunk.isKeptInRow
        if let bytes = chunk.bytes, !isKeptInRow,
            let offset = Self.offset(of: chunk.position, chunkByteCount: size)
        {
            if Assertions.areActive {
                let isFree = try holdsNoOther(chunk, payload)
                assert(isFree, "no other bytes take the place of a chunk that is here")
            }
            try write(bytes, at: offset, of: payload)
        }
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
            isKeptInRow ? chunk.bytes : nil
        )
    }

    /// Forgets the first of a payload's chunks, and with the last of them its file.
    func remove(of payload: UInt64, limit: Int) throws -> Bool {
        let number = Int64(clamping: payload)
        let positions = try transaction.sql("SELECT position FROM chunk WHERE payload = ? ORDER BY position LIMIT ?")
            .all(number, limit) { $0.integer(0) }
        guard let last = positions.last else { return false }
        try transaction.sql("DELETE FROM chunk WHERE payload = ? AND position <= ?").run(number, last)
        let rest = try transaction.sql("SELECT 1 FROM chunk WHERE payload = ? LIMIT 1").first(number) { _ in true }
        if rest == nil { transaction.context.payloadFiles?.remove(payload) }
        return true
    }

    // MARK: Files

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

    /// The offset of a chunk in the file of its payload; `nil` where there can be no chunk.
    private static func offset(of position: UInt64, chunkByteCount: Int) -> UInt64? {
        guard position < UInt64(Limits.payloadChunkCountMax) else { return nil }
        return position * UInt64(chunkByteCount + Limits.chunkTagByteCount)
    }

    private func write(_ bytes: [UInt8], at offset: UInt64, of payload: UInt64) throws {
        guard let files = transaction.context.payloadFiles else {
            throw StorageError(code: .misuse, message: "a reading transaction cannot write")
        }
        do throws(StorageError) {
            try files.write(bytes, at: offset, of: payload)
        } catch {
            // Also of a job that goes on as if the chunk were here.
            let statements = transaction.context.statements
            if error.endsTransaction, statements.failure == nil { statements.failure = error }
            throw error
        }
    }

    /// Whether the place of a chunk is free, or has the same chunk.
    private func holdsNoOther(_ chunk: ChunkRow, _ payload: UInt64) throws -> Bool {
        let held = try transaction.sql(
            "SELECT hash FROM chunk WHERE payload = ? AND position = ? AND held IS NOT NULL"
        ).first(payload, chunk.position) { Hash(try $0.digest(0)) }
        return held.map { $0 == chunk.hash } ?? true
    }
}

extension SQLiteTransaction {
    func unheldBytes(of payload: UInt64, at position: UInt64, count: Int) throws -> [UInt8]? {
        try ChunkTable(self).unheldBytes(of: payload, at: position, count: count)
    }
}

/// A row of the table of chunks, with the size of its payload's chunks.
private struct ChunkColumns {
    let hash: Hash
    /// The bytes of a chunk that is kept in its row.
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

extension ChunkRow {
    /// The most sealed bytes of a chunk that is kept in its row: for as many a file of its own would cost more than the bytes do.
    private static let rowByteCountMax = 16_384

    /// Whether its bytes are kept in its row.
    ///
    /// A first chunk of fewer bytes than chunks have is the only one of its payload.
    fileprivate var isKeptInRow: Bool { position == 0 && bytes?.count ?? 0 <= Self.rowByteCountMax }
}
