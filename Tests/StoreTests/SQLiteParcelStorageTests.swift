import Mailbox
import ParcelStorageBehaviour
import Store
import Sync
import Testing
import Wire

@Suite("What a relay keeps in SQLite")
struct SQLiteParcelStorageTests {
    @Test(arguments: ParcelStorageBehaviour.allCases)
    func `keeps the promise that`(behaviour: ParcelStorageBehaviour) async throws {
        let directory = try TemporaryDirectory()
        let state = StateDirectory(path: directory.path)
        let storage = try await SQLiteParcelStorage.open(state)
        try await behaviour.check(in: storage) { open in
            try (open as? SQLiteParcelStorage)?.close()
            return try await SQLiteParcelStorage.open(state)
        }
    }

    @Test func `is not opened over another program's database`() async throws {
        let directory = try TemporaryDirectory()
        let state = StateDirectory(path: directory.path)
        let store = try await SQLiteStore.open(state)
        try await store.close()
        try directory.write(try directory.bytes(state.databasePath), to: state.relayDatabasePath)
        await #expect(throws: StorageError.self) { _ = try await SQLiteParcelStorage.open(state) }
    }

    @Test func `is not handed out as something else when its database is damaged`() async throws {
        let directory = try TemporaryDirectory()
        let state = StateDirectory(path: directory.path)
        let storage = try await SQLiteParcelStorage.open(state)
        try storage.close()
        try directory.write([UInt8](repeating: 7, count: 8_192), to: state.relayDatabasePath)
        await #expect(throws: StorageError.self) { _ = try await SQLiteParcelStorage.open(state) }
    }
}
