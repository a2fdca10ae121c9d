import GRDB
import Mailbox
import ParcelStorageBehaviour
import Store
import Sync
import TestSupport
import Testing
import Wire

@Suite("The SQLite storage of parcels")
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

    private func digest(_ number: Int) -> Digest32 {
        Digest32(word0: UInt64(number), word1: 0, word2: 0, word3: 0)
    }

    private func deposit(
        _ parcel: Int,
        in mailbox: Int,
        under admission: Int,
        until: UInt64 = 9,
        room: ParcelRoom = ParcelRoom(total: 1 << 40, mailboxShare: 2)
    ) -> ParcelDeposit {
        ParcelDeposit(
            admission: AdmissionID(digest(admission)),
            mailbox: MailboxID(digest(mailbox)),
            parcel: SealedParcel(bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: parcel), count: 100 + parcel)),
            until: until,
            room: room
        )
    }

    @Test(arguments: [1, 2, 4])
    func `refuses a database of another version and leaves it as it is`(version: Int) async throws {
        let directory = try TemporaryDirectory()
        let state = StateDirectory(path: directory.path)
        let storage = try await SQLiteParcelStorage.open(state)
        try storage.close()
        let database = try DatabaseQueue(path: state.relayDatabasePath)
        try await database.write { try $0.execute(sql: "PRAGMA user_version = \(version)") }
        try database.close()
        await expectStorageError(.otherFormat) { _ = try await SQLiteParcelStorage.open(state) }
        let again = try DatabaseQueue(path: state.relayDatabasePath)
        #expect(try await again.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == version)
        try again.close()
    }

    @Test func `knows the content of each mailbox after any changes`() async throws {
        let directory = try TemporaryDirectory()
        let state = StateDirectory(path: directory.path)
        let storage = try await SQLiteParcelStorage.open(state)
        var generator = SeededGenerator(seed: 7)
        for admission in 0..<3 {
            let id = AdmissionID(digest(admission))
            try await storage.admit(Admission(id: id, name: "a", quota: 1 << 30, since: 1))
        }
        for step in 0..<300 {
            let some = deposit(
                Int.random(in: 0..<9, using: &generator),
                in: Int.random(in: 0..<4, using: &generator),
                under: Int.random(in: 0..<3, using: &generator),
                until: UInt64(step + 50)
            )
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<12: _ = try await storage.put(some)
            case 12..<17: try await storage.remove([some.parcel.id], from: some.mailbox)
            case 17..<19: _ = try await storage.expire(at: UInt64(step), limit: 3)
            default:
                if try await storage.dismiss(some.admission) {
                    try await storage.admit(Admission(id: some.admission, name: "a", quota: 1 << 30, since: 1))
                }
            }
        }
        try storage.close()
        let database = try DatabaseQueue(path: state.relayDatabasePath)
        let (known, counted) = try database.inDatabase { database in
            let known = try Row.fetchAll(database, sql: "SELECT * FROM share ORDER BY mailbox, admission")
            let sums = "SELECT mailbox, admission, sum(size) AS used FROM parcel GROUP BY 1, 2 ORDER BY 1, 2"
            return (known, try Row.fetchAll(database, sql: sums))
        }
        #expect(known == counted && !known.isEmpty)
    }

    @Test func `is not opened over another program's database`() async throws {
        let directory = try TemporaryDirectory()
        let state = StateDirectory(path: directory.path)
        let store = try await SQLiteStore.open(state)
        try await store.close()
        try directory.write(try directory.bytes(state.databasePath), to: state.relayDatabasePath)
        await #expect(throws: StorageError.self) { _ = try await SQLiteParcelStorage.open(state) }
    }

    @Test func `returns no wrong parcel when its database is damaged`() async throws {
        let directory = try TemporaryDirectory()
        let state = StateDirectory(path: directory.path)
        let storage = try await SQLiteParcelStorage.open(state)
        try storage.close()
        try directory.write([UInt8](repeating: 7, count: 8_192), to: state.relayDatabasePath)
        await #expect(throws: StorageError.self) { _ = try await SQLiteParcelStorage.open(state) }
    }
}
