import GRDBSQLite
import Node
import Records
import Store
import Sync
import Testing
import Wire

extension StoreSettings {
    /// Settings with which reading connections open at their first use.
    ///
    /// A hundred tests that wait for a processor hold as few descriptors as they need: Foundation's `Process`, which other tests
    /// run, reads beyond its buffer where a process has some thousand.
    static let ofTests = StoreSettings(readerOpeningSeconds: 0)
}

/// A store in a directory of its own, with shorthands for single jobs.
struct StoreFixture {
    var directory: TemporaryDirectory
    var store: SQLiteStore

    init(settings: StoreSettings = .ofTests) async throws {
        directory = try TemporaryDirectory()
        store = try await SQLiteStore.open(directory.state, settings: settings)
    }

    /// Closes and opens again.
    mutating func reopen(settings: StoreSettings = .ofTests) async throws {
        try await store.close()
        store = try await SQLiteStore.open(directory.state, settings: settings)
    }

    /// Closes, changes the database past the store, and opens again.
    mutating func change(_ sql: String) async throws {
        try await store.close()
        var database: OpaquePointer?
        try #require(sqlite3_open(directory.state.databasePath, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
        store = try await SQLiteStore.open(directory.state, settings: .ofTests)
    }

    /// One job in a transaction of its own.
    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping StorageJob<Value>
    ) async throws -> Value {
        try await store.write(body)
    }
}

/// A job without a result.
func job(_ body: @escaping StorageJob<Void>) -> StorageJob<Void> { body }

extension SQLiteStore {
    /// One job in a transaction of its own.
    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping StorageJob<Value>
    ) async throws -> Value {
        try await commit(body)
    }

    /// Stores the rows that one run brings.
    func apply(_ stretch: SampleWriter.Stretch, bySync: Bool = true) async throws {
        try await write { try $0.apply(stretch, bySync: bySync) }
    }

    /// All changes of all zones.
    func allChanges() async throws -> [ChangeRow] {
        try await read { try $0.changes(zone: nil, after: 0, limit: 100_000) }
    }
}

extension NodeTransaction {
    /// Stores the rows that one run brings.
    mutating func apply(_ stretch: SampleWriter.Stretch, bySync: Bool = true) throws {
        try append(stretch.items, key: stretch.log.key)
        try save(stretch.records, bySync: bySync)
        try save(stretch.log)
        try insert(stretch.head, key: stretch.log.key)
        _ = try nextCommitNumber()
    }
}
