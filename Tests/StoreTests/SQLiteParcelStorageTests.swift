import GRDB
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

    @Test func `has slots and passes in a database of the first version, too, and all that it had`() async throws {
        let directory = try TemporaryDirectory()
        let state = StateDirectory(path: directory.path)
        var storage = try await SQLiteParcelStorage.open(state)
        let admission = Admission(id: .zero, name: "a", quota: 1_000, since: 1)
        try await storage.admit(admission)
        try storage.close()
        // As the first version left it.
        let database = try DatabaseQueue(path: state.relayDatabasePath)
        try await database.write { database in
            for name in ["slot_in", "slot_out"] { try database.execute(sql: "DROP TRIGGER \(name)") }
            try database.execute(sql: "DROP TABLE slot")
            try database.execute(sql: "DROP INDEX admission_giver")
            for name in ["giver", "until"] { try database.execute(sql: "ALTER TABLE admission DROP COLUMN \(name)") }
            try database.execute(sql: "PRAGMA user_version = 1")
        }
        try database.close()
        for round in 0..<2 {
            storage = try await SQLiteParcelStorage.open(state)
            let value = Hash(Digest32(word0: UInt64(round), word1: 0, word2: 0, word3: 0))
            let room = ParcelRoom(total: 1 << 20)
            let claim = SlotClaim(admission: admission.id, slot: .zero, value: value, until: 9, room: room)
            #expect(try await storage.claim(claim) == .held(.zero))
            let pass = AdmissionID(Digest32(word0: 5, word1: 0, word2: 0, word3: 0))
            #expect(try await storage.give([pass], under: admission.id, at: 1, until: 9) == [pass])
            #expect(try await storage.admission(admission.id)?.byteCount == SlotClaim.byteCount)
            try storage.close()
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
