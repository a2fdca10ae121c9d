import Foundation
import GRDBSQLite
import Identity
import Mailbox
import ParcelStorageBehaviour
import Records
import ReplicaBehaviour
import Store
import Sync
import Testing
import Wire

@Suite("Lost, replaced and damaged files of a store")
struct LostStoreTests {
    @Test func `a crash within a change of the format is followed by a check`() async throws {
        var fixture = try await StoreFixture(settings: StoreSettings())
        let version = try await fixture.store.report().schemaVersion
        try await fixture.store.close()
        #expect(FileManager.default.fileExists(atPath: fixture.directory.state.cleanMarkerPath))
        // The tables are there already when they are made, which fails like a program that is killed half-way.
        var database: OpaquePointer?
        try #require(sqlite3_open(fixture.directory.state.databasePath, &database) == SQLITE_OK)
        let none = "PRAGMA user_version = 0; PRAGMA application_id = 0"
        try #require(sqlite3_exec(database, none, nil, nil, nil) == SQLITE_OK)
        sqlite3_close(database)
        await #expect(throws: StorageError.self) { try await SQLiteStore.open(fixture.directory.state) }
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.state.cleanMarkerPath))
        try #require(sqlite3_open(fixture.directory.state.databasePath, &database) == SQLITE_OK)
        let format = "PRAGMA user_version = \(version); PRAGMA application_id = 0x4B414952"
        try #require(sqlite3_exec(database, format, nil, nil, nil) == SQLITE_OK)
        sqlite3_close(database)
        fixture.store = try await SQLiteStore.open(fixture.directory.state)
        #expect(fixture.store.origin == .unclean)
        try await fixture.store.close()
    }

    @Test(arguments: [false, true])
    func `a store is not written to once its path leads elsewhere`(isReplaced: Bool) async throws {
        let fixture = try await StoreFixture(settings: StoreSettings())
        let path = fixture.directory.path
        _ = try await fixture.write { try $0.nextCommitNumber() }
        let copy = try fixture.directory.copy()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        if isReplaced { try FileManager.default.copyItem(atPath: copy.path, toPath: path) }
        let refused = await #expect(throws: StorageError.self) { try await fixture.write { try $0.nextCommitNumber() } }
        #expect(refused?.code == .displaced && refused?.message.contains(path) == true)
        let idle = await #expect(throws: StorageError.self) { try await fixture.store.checkpoint() }
        #expect(idle?.code == .displaced)
        #expect(try await fixture.store.read { try $0.commitNumber() } == 1)
        if isReplaced { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        #expect(try await fixture.write { try $0.nextCommitNumber() } == 2)
        try await fixture.store.close()
    }

    @Test(arguments: [false, true])
    func `a connection that opens late reads no other database at the path of the store`(isReplaced: Bool) async throws
    {
        let fixture = try await StoreFixture(settings: StoreSettings(readerOpeningSeconds: 0))
        let path = fixture.directory.path
        _ = try await fixture.write { try $0.nextCommitNumber() }
        let copy = try fixture.directory.copy()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        if isReplaced { try FileManager.default.copyItem(atPath: copy.path, toPath: path) }
        let refused = await #expect(throws: StorageError.self) {
            try await fixture.store.read { try $0.commitNumber() }
        }
        #expect(refused?.code == .displaced && refused?.message.contains(path) == true)
        if isReplaced { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        #expect(try await fixture.store.read { try $0.commitNumber() } == 1)
        try await fixture.store.close()
    }

    @Test func `damage that an open connection finds is called damage, wherever the path of the store leads`()
        async throws
    {
        let fixture = try await StoreFixture(settings: StoreSettings())
        let path = fixture.directory.path
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        let found = await #expect(throws: StorageError.self) {
            try await fixture.store.read { _ in throw StorageError(code: .corrupt, message: "a page is damaged") }
        }
        #expect(found?.code == .corrupt && found?.message == "a page is damaged")
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        try await fixture.store.close()
    }

    @Test func `an unusable store is named file by file`() async throws {
        let fixture = try await StoreFixture(settings: StoreSettings())
        try await fixture.store.close()
        let state = fixture.directory.state
        #expect(try state.unusableStoreFiles(hasKey: true).isEmpty)
        #expect(try state.unusableStoreFiles(hasKey: false).contains("store/kairan.db"))
        try fixture.directory.write([], to: state.databasePath)
        #expect(try state.unusableStoreFiles(hasKey: true).contains("store/kairan.db-wal"))
    }

    @Test func `parcels are distinguished from a database that cannot be opened, and from none`() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await SQLiteParcelStorage.found(in: directory.state) == .missing)
        #expect(!FileManager.default.fileExists(atPath: directory.state.relayDatabasePath))
        var storage = try await SQLiteParcelStorage.open(directory.state)
        try storage.close()
        #expect(try await SQLiteParcelStorage.found(in: directory.state) == .unused)
        storage = try await SQLiteParcelStorage.open(directory.state)
        let id = try #require(AdmissionID([UInt8](repeating: 7, count: 32)))
        try await storage.admit(Admission(id: id, name: "lap", quota: 1_000, since: 1))
        try storage.close()
        #expect(try await SQLiteParcelStorage.found(in: directory.state) == .used)
        try directory.write([], to: directory.state.relayDatabasePath)
        #expect(try await SQLiteParcelStorage.found(in: directory.state) == .missing)
    }

    @Test func `passing failures are distinguished from those that another start cannot change`() {
        let outlooks: [(StorageError.Code, StorageError.Outlook)] = [
            (.diskFull, .waits), (.inputOutput, .passes), (.locked, .passes), (.displaced, .passes), (.closed, .passes),
            (.payloadsMissing, .passes), (.corrupt, .stays), (.otherFormat, .stays), (.inaccessible, .stays),
            (.misuse, .stays),
        ]
        for (code, outlook) in outlooks { #expect(StorageError(code: code, message: "").outlook == outlook) }
    }
}
