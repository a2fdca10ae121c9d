import GRDBSQLite

/// SQLite's own thorough check.
enum IntegrityCheck {
    /// Checks every page and index of a database, through a connection of its own.
    /// - Throws: `Finding` with SQLite's findings.
    static func run(_ path: String) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
            throw Finding("the database cannot be opened for the check")
        }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, "PRAGMA integrity_check", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
        else { throw Finding("integrity_check: \(String(cString: sqlite3_errmsg(connection)))") }
        let answer = String(cString: text)
        guard answer == "ok" else { throw Finding("integrity_check: \(answer)") }
    }
}
