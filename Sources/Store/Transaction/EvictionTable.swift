import Sync
import Wire

/// The tables of evictions: the attempts of this device, and its promises to keep payloads.
struct EvictionTable {
    private let transaction: SQLiteTransaction

    init(_ transaction: SQLiteTransaction) {
        self.transaction = transaction
    }

    // MARK: Attempts

    func attempt(of payload: PayloadID) throws -> EvictionRow? {
        try transaction.sql("SELECT attempt FROM eviction WHERE payload = ?")
            .first(payload) { EvictionRow(payload: payload, attempt: try $0.unsigned(0)) }
    }

    func attempts(limit: Int) throws -> [EvictionRow] {
        try transaction.sql("SELECT payload, attempt FROM eviction ORDER BY payload LIMIT ?")
            .all(limit) { EvictionRow(payload: PayloadID(try $0.digest(0)), attempt: try $0.unsigned(1)) }
    }

    func save(_ eviction: EvictionRow) throws {
        try transaction.sql(
            """
            INSERT INTO eviction (payload, attempt) VALUES (?, ?)
            ON CONFLICT (payload) DO UPDATE SET attempt = excluded.attempt
            """
        ).run(eviction.payload, eviction.storable.attempt)
    }

    func removeAttempt(of payload: PayloadID) throws {
        try transaction.sql("DELETE FROM eviction WHERE payload = ?").run(payload)
    }

    // MARK: Promises

    func promise(of payload: PayloadID) throws -> RetentionRow? {
        try transaction.sql("SELECT until FROM retention WHERE payload = ?")
            .first(payload) { RetentionRow(payload: payload, until: try $0.unsigned(0)) }
    }

    func promises(endedBy end: UInt64, beyond: UInt64, limit: Int) throws -> [RetentionRow] {
        let ended = try transaction.sql(
            """
            SELECT payload, until FROM retention INDEXED BY retention_by_end
            WHERE until <= ? ORDER BY until, payload LIMIT ?
            """
        ).all(end.storable, limit) { try RetentionRow($0) }
        guard ended.count < limit else { return ended }
        let far = try transaction.sql(
            """
            SELECT payload, until FROM retention INDEXED BY retention_by_end
            WHERE until > ? ORDER BY until, payload LIMIT ?
            """
        ).all(max(end, beyond).storable, limit - ended.count) { try RetentionRow($0) }
        return ended + far
    }

    func save(_ retention: RetentionRow) throws {
        try transaction.sql(
            """
            INSERT INTO retention (payload, until) VALUES (?, ?)
            ON CONFLICT (payload) DO UPDATE SET until = excluded.until
            """
        ).run(retention.payload, retention.storable.until)
    }

    func removePromise(of payload: PayloadID) throws {
        try transaction.sql("DELETE FROM retention WHERE payload = ?").run(payload)
    }
}

extension RetentionRow {
    /// Reads the columns `payload, until`.
    fileprivate init(_ row: ResultRow) throws {
        self.init(payload: PayloadID(try row.digest(0)), until: try row.unsigned(1))
    }
}
