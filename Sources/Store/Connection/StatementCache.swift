import GRDBSQLite
import Sync

/// The compiled statements of one connection.
///
/// The key is the address of the SQL literal, which costs a few nanoseconds to look up where hashing the text would
/// cost as much as a small statement. Two literals of equal text at most compile twice.
///
/// SAFETY: unchecked because a cache belongs to one connection and is used only on that connection's serial queue,
/// or when the pool's barrier guarantees that no queue uses it.
final class StatementCache: @unchecked Sendable {
    private let connection: OpaquePointer
    /// The first failure of the storage itself since this was last set to `nil`, kept even when a caller swallows it.
    var failure: StorageError?
    private var statements: [UnsafePointer<UInt8>: PreparedStatement] = [:]

    /// Makes an empty cache.
    /// - Parameter connection: Must outlive the cache, or be closed with `sqlite3_close_v2`.
    init(connection: OpaquePointer) {
        self.connection = connection
    }

    deinit {
        finalizeAll()
    }

    /// The statement for an SQL text, compiled on first use.
    /// - Parameter sql: A literal; its text is the program's, never a person's or a peer's.
    /// - Returns: A statement that is not running.
    /// - Throws: Any error of SQLite.
    func statement(_ sql: StaticString) throws(StorageError) -> PreparedStatement {
        if let statement = statements[sql.utf8Start] { return statement }
        var handle: OpaquePointer?
        let code = sql.withUTF8Buffer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_prepare_v3(
                    connection,
                    characters.baseAddress,
                    Int32(characters.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT),
                    &handle,
                    nil
                )
            }
        }
        guard code == SQLITE_OK, let handle else { throw StorageError(connection: connection, code: code) }
        let statement = PreparedStatement(handle: handle, owner: self)
        statements[sql.utf8Start] = statement
        return statement
    }

    /// The row id of the newest row that this connection inserted.
    var lastRowID: Int64 { sqlite3_last_insert_rowid(connection) }

    /// The number of rows that the newest INSERT, UPDATE or DELETE changed.
    var changedCount: Int { Int(sqlite3_changes(connection)) }

    /// Whether a transaction is open; SQLite ends one by itself after some failures.
    var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

    /// Frees all statements; a connection cannot be closed while one is left.
    func finalizeAll() {
        for statement in statements.values {
            sqlite3_finalize(statement.handle)
        }
        statements.removeAll()
    }
}
