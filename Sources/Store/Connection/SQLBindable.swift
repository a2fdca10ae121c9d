import GRDBSQLite
import Sync
import Wire

/// A value that fills a `?`.
protocol SQLBindable {
    /// Hands the value to SQLite, which copies it.
    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

/// Constants of SQLite's C interface that Swift cannot import.
enum SQLValue {
    /// `SQLITE_TRANSIENT`: SQLite copies the bytes before the call returns.
    static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

extension Int64: SQLBindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self)
    }
}

extension Int: SQLBindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(self))
    }
}

extension Bool: SQLBindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }
}

/// SQLite's integers are signed, so numbers above 2^63 - 1 are refused as too big rather than turned negative.
extension UInt64: SQLBindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        guard let value = Int64(exactly: self) else { return SQLITE_TOOBIG }
        return sqlite3_bind_int64(statement, index, value)
    }
}

extension String: SQLBindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else {
                    return sqlite3_bind_text(statement, index, "", 0, SQLValue.copied)
                }
                return sqlite3_bind_text64(
                    statement,
                    index,
                    start,
                    UInt64(buffer.count),
                    SQLValue.copied,
                    UInt8(SQLITE_UTF8)
                )
            }
        }
    }
}

extension [UInt8]: SQLBindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeBytes { buffer in
            // A null pointer would bind NULL, and an empty array may have one.
            guard let start = buffer.baseAddress, !buffer.isEmpty else {
                return sqlite3_bind_zeroblob(statement, index, 0)
            }
            return sqlite3_bind_blob64(statement, index, start, UInt64(buffer.count), SQLValue.copied)
        }
    }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .some(let value): value.bind(to: statement, at: index)
        case .none: sqlite3_bind_null(statement, index)
        }
    }
}
