import GRDB

/// The state and the settings of the store, for `doctor` and for tests.
package struct StoreReport: Sendable, Equatable {
    /// SQLite's version, as in "3.40.1".
    package var libraryVersion: String
    /// The schema's version.
    package var schemaVersion: Int
    /// "wal" in every working store.
    package var journalMode: String
    /// 2 = FULL: a commit is synced before it is answered.
    ///
    /// Anything less loses answered commits with the power.
    package var synchronous: Int
    /// Frames after which SQLite would checkpoint by itself; 0 = never.
    package var automaticCheckpoint: Int
    /// Bytes of the database that are mapped into memory; 0 = none.
    package var mappedByteCount: Int
    /// Bytes of a page.
    package var pageByteCount: Int
    /// Pages of the database.
    package var pageCount: Int
    /// Pages of them that hold nothing.
    package var freePageCount: Int
    /// Bytes of the write-ahead log file.
    package var logByteCount: Int
    /// Whether references between tables are checked.
    package var checksForeignKeys: Bool
    /// Whether functions in the schema are trusted.
    package var trustsSchema: Bool
    /// Whether cells are checked when a page is read.
    package var checksCells: Bool

    /// Reads everything from the database.
    /// - Parameters:
    ///   - database: The writing connection.
    ///   - path: The database file.
    /// - Throws: Any error of SQLite.
    init(_ database: Database, path: String) throws {
        func integer(_ pragma: String) throws -> Int {
            try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? -1
        }
        libraryVersion = try String.fetchOne(database, sql: "SELECT sqlite_version()") ?? ""
        schemaVersion = try integer("user_version")
        journalMode = try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? ""
        synchronous = try integer("synchronous")
        automaticCheckpoint = try integer("wal_autocheckpoint")
        mappedByteCount = try integer("mmap_size")
        pageByteCount = try integer("page_size")
        pageCount = try integer("page_count")
        freePageCount = try integer("freelist_count")
        logByteCount = FileSystem.byteCount(path + "-wal")
        checksForeignKeys = try integer("foreign_keys") == 1
        trustsSchema = try integer("trusted_schema") == 1
        checksCells = try integer("cell_size_check") == 1
    }
}
