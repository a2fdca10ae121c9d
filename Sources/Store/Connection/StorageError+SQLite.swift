import GRDB
import GRDBSQLite
import Sync

extension StorageError {
    /// Translates a result code of SQLite, <https://www.sqlite.org/rescode.html>.
    /// - Parameters:
    ///   - code: Primary or extended; not `SQLITE_OK`, `SQLITE_ROW` or `SQLITE_DONE`.
    ///   - detail: SQLite's own words.
    init(sqlite code: Int32, detail: String) {
        let kind: Code =
            switch code & 0xFF {
            case SQLITE_FULL: .diskFull
            case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_NOMEM: .inputOutput
            case SQLITE_READONLY, SQLITE_PERM: .inaccessible
            case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
            case SQLITE_BUSY, SQLITE_LOCKED: .locked
            // Constraints, wrong SQL, a value too large, an interrupted statement: ours, not the disk's.
            default: .misuse
            }
        // The library's text of a code, not that of a connection, which may have SQL and values in it.
        let words = String(cString: sqlite3_errstr(code))
        let extended = code == code & 0xFF ? "" : " (extended code \(code))"
        self.init(
            code: kind,
            message: "SQLite reports \(Self.resultName(code))\(extended), \(words)",
            detail: detail == words ? nil : detail
        )
    }

    /// Returns the name of a primary result code, <https://www.sqlite.org/rescode.html#primary_result_code_list>.
    /// - Parameter code: Primary or extended.
    /// - Returns: The name, or for a code without one its number.
    static func resultName(_ code: Int32) -> String {
        switch code & 0xFF {
        case SQLITE_ERROR: "SQLITE_ERROR"
        case SQLITE_INTERNAL: "SQLITE_INTERNAL"
        case SQLITE_PERM: "SQLITE_PERM"
        case SQLITE_ABORT: "SQLITE_ABORT"
        case SQLITE_BUSY: "SQLITE_BUSY"
        case SQLITE_LOCKED: "SQLITE_LOCKED"
        case SQLITE_NOMEM: "SQLITE_NOMEM"
        case SQLITE_READONLY: "SQLITE_READONLY"
        case SQLITE_INTERRUPT: "SQLITE_INTERRUPT"
        case SQLITE_IOERR: "SQLITE_IOERR"
        case SQLITE_CORRUPT: "SQLITE_CORRUPT"
        case SQLITE_NOTFOUND: "SQLITE_NOTFOUND"
        case SQLITE_FULL: "SQLITE_FULL"
        case SQLITE_CANTOPEN: "SQLITE_CANTOPEN"
        case SQLITE_PROTOCOL: "SQLITE_PROTOCOL"
        case SQLITE_EMPTY: "SQLITE_EMPTY"
        case SQLITE_SCHEMA: "SQLITE_SCHEMA"
        case SQLITE_TOOBIG: "SQLITE_TOOBIG"
        case SQLITE_CONSTRAINT: "SQLITE_CONSTRAINT"
        case SQLITE_MISMATCH: "SQLITE_MISMATCH"
        case SQLITE_MISUSE: "SQLITE_MISUSE"
        case SQLITE_NOLFS: "SQLITE_NOLFS"
        case SQLITE_AUTH: "SQLITE_AUTH"
        case SQLITE_FORMAT: "SQLITE_FORMAT"
        case SQLITE_RANGE: "SQLITE_RANGE"
        case SQLITE_NOTADB: "SQLITE_NOTADB"
        default: "result code \(code & 0xFF)"
        }
    }

    /// Translates the last error of a connection.
    init(connection: OpaquePointer?, code: Int32) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
        let detail = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        self.init(sqlite: extended & 0xFF == code & 0xFF ? extended : code, detail: detail)
    }

    /// Translates any error that came out of GRDB; one that is already a `StorageError` stays as it is.
    init(_ error: any Error) {
        switch error {
        case let error as StorageError:
            self = error
        case let error as DatabaseError:
            self.init(sqlite: error.extendedResultCode.rawValue, detail: error.message ?? error.description)
        default:
            self.init(
                code: .misuse,
                message: "the store's work ended with an error that is not from SQLite",
                detail: String(describing: error)
            )
        }
    }

    /// The database file was removed, moved away or replaced since it was opened.
    /// - Parameter path: The path of the database file.
    init(displaced path: String) {
        self.init(code: .displaced, message: "\(path) is no longer the file that was opened")
    }

    /// Whether the storage itself failed, so that what a transaction did so far cannot be trusted to be complete.
    ///
    /// A job that meets such an error takes its whole group with it, even when it swallows the error.
    var endsTransaction: Bool {
        switch code {
        case .diskFull, .inputOutput, .inaccessible, .displaced, .payloadsMissing, .corrupt, .locked: true
        case .otherFormat, .closed, .misuse: false
        }
    }
}
