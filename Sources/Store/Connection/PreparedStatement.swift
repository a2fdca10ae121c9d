import GRDBSQLite
import Sync

/// A compiled statement of one connection, to be run any number of times.
///
/// It calls SQLite directly: on the paths that touch every operation, the bindings of a general library cost as much
/// as the work itself. A statement is always reset before its function returns, so that it never keeps a snapshot
/// or a lock alive.
struct PreparedStatement {
    let handle: OpaquePointer
    unowned let owner: StatementCache

    /// Runs a statement that returns no rows.
    /// - Parameter values: One for each `?`, in order.
    /// - Throws: Any error of SQLite.
    func run<each Value: SQLBindable>(_ values: repeat each Value) throws(StorageError) {
        try bind(repeat each values)
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
    }

    /// The first row, or `nil` when there is none.
    /// - Parameters:
    ///   - values: One for each `?`, in order.
    ///   - read: Makes a value of the row; must not keep the row.
    /// - Returns: The value that `read` made.
    /// - Throws: Any error of SQLite or of `read`.
    func first<each Value: SQLBindable, Element>(
        _ values: repeat each Value,
        read: (ResultRow) throws -> Element
    ) throws -> Element? {
        try bind(repeat each values)
        defer { sqlite3_reset(handle) }
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return try read(ResultRow(handle: handle))
        case SQLITE_DONE: return nil
        default: throw failure(code)
        }
    }

    /// All rows, in the statement's order.
    /// - Parameters:
    ///   - values: One for each `?`, in order.
    ///   - read: Makes a value of a row; must not keep the row, nor run this statement.
    /// - Returns: The values that `read` made.
    /// - Throws: Any error of SQLite or of `read`.
    /// - Complexity: O(rows); the caller's SQL carries the limit.
    func all<each Value: SQLBindable, Element>(
        _ values: repeat each Value,
        read: (ResultRow) throws -> Element
    ) throws -> [Element] {
        try bind(repeat each values)
        defer { sqlite3_reset(handle) }
        var elements: [Element] = []
        while true {
            let code = sqlite3_step(handle)
            switch code {
            case SQLITE_ROW: elements.append(try read(ResultRow(handle: handle)))
            case SQLITE_DONE: return elements
            default: throw failure(code)
            }
        }
    }

    /// Visits rows in the statement's order until `look` returns false.
    /// - Parameters:
    ///   - values: One for each `?`, in order.
    ///   - look: Looks at a row, which it must not keep, and returns whether it wants another one.
    /// - Throws: Any error of SQLite or of `look`.
    func visit<each Value: SQLBindable>(
        _ values: repeat each Value,
        look: (ResultRow) throws -> Bool
    ) throws {
        try bind(repeat each values)
        defer { sqlite3_reset(handle) }
        while true {
            let code = sqlite3_step(handle)
            switch code {
            case SQLITE_ROW: guard try look(ResultRow(handle: handle)) else { return }
            case SQLITE_DONE: return
            default: throw failure(code)
            }
        }
    }

    private func bind<each Value: SQLBindable>(_ values: repeat each Value) throws(StorageError) {
        var index: Int32 = 0
        var worst = SQLITE_OK
        for value in repeat each values {
            index += 1
            let code = value.bind(to: handle, at: index)
            if code != SQLITE_OK { worst = code }
        }
        // Too few values would leave those of the last run in place.
        assert(index == sqlite3_bind_parameter_count(handle), "\(index) values for \(sql)")
        guard worst == SQLITE_OK else { throw failure(worst) }
    }

    private var sql: String { String(cString: sqlite3_sql(handle)) }

    private func failure(_ code: Int32) -> StorageError {
        let error = StorageError(connection: sqlite3_db_handle(handle), code: code)
        if error.endsTransaction, owner.failure == nil { owner.failure = error }
        return error
    }
}

/// The current row of a running statement.
struct ResultRow {
    let handle: OpaquePointer

    /// An integer column; 0 for NULL.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// An integer column that never holds a negative number.
    /// - Throws: `.corrupt` for a negative one.
    func unsigned(_ column: Int32) throws(StorageError) -> UInt64 {
        guard let value = UInt64(exactly: integer(column)) else { throw damage(column) }
        return value
    }

    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// A BLOB column; empty for NULL.
    func bytes(_ column: Int32) -> [UInt8] {
        // The pointer before the length: the length is that of the form last asked for.
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A TEXT column; empty for NULL.
    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The error for a column that holds a value which was never written there.
    func damage(_ column: Int32) -> StorageError {
        let name = sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "?"
        return StorageError(code: .corrupt, message: "column \(name) holds an impossible value")
    }
}
