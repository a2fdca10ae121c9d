import Foundation
import Records
import Store
import Sync
import TestSupport
import Testing
import Wire

@Suite("A database file")
struct FormatTests {
    @Test(arguments: [1, 24, 25, 27, 99] as [UInt8])
    func `of another version is refused and left as it is`(version: UInt8) async throws {
        let fixture = try await StoreFixture()
        try await fixture.store.close()
        let path = fixture.directory.state.databasePath
        var bytes = try fixture.directory.bytes(path)
        // user_version, big-endian at offset 60.
        bytes.replaceSubrange(60..<64, with: [0, 0, 0, version])
        try fixture.directory.write(bytes, to: path)
        await expectStorageError(.otherFormat) { _ = try await SQLiteStore.open(fixture.directory.state) }
        #expect(try fixture.directory.bytes(path) == bytes)
    }

    @Test func `of another program is refused`() async throws {
        let fixture = try await StoreFixture()
        try await fixture.store.close()
        let path = fixture.directory.state.databasePath
        var bytes = try fixture.directory.bytes(path)
        bytes.replaceSubrange(68..<72, with: [1, 2, 3, 4])
        try fixture.directory.write(bytes, to: path)
        await expectStorageError(.corrupt) { _ = try await SQLiteStore.open(fixture.directory.state) }
    }

    @Test(arguments: [1, 50, 100, 5_000])
    func `that is no database is refused and left as it is`(byteCount: Int) async throws {
        let directory = try TemporaryDirectory()
        try directory.state.create()
        var generator = SeededGenerator(seed: UInt64(byteCount))
        let noise = generator.bytes(byteCount)
        try directory.write(noise, to: directory.state.databasePath)
        await expectStorageError(.corrupt) { _ = try await SQLiteStore.open(directory.state) }
        #expect(try directory.bytes(directory.state.databasePath) == noise)
    }

    @Test func `that is empty becomes a new store`() async throws {
        let directory = try TemporaryDirectory()
        try directory.state.create()
        try directory.write([], to: directory.state.databasePath)
        let store = try await SQLiteStore.open(directory.state)
        #expect(store.origin == .new)
        try await store.close()
    }

    @Test func `that is lost beside its log is not replaced by an empty one`() async throws {
        let fixture = try await filledFixture()
        let crashed = try fixture.directory.copy()
        try await fixture.store.close()
        let log = try crashed.bytes(crashed.state.databasePath + "-wal")
        try FileManager.default.removeItem(atPath: crashed.state.databasePath)
        await expectStorageError(.corrupt) { _ = try await SQLiteStore.open(crashed.state) }
        #expect(!crashed.state.holdsDatabase)
        #expect(try crashed.bytes(crashed.state.databasePath + "-wal") == log)
    }

    @Test func `that lost its end is noticed after a crash`() async throws {
        let fixture = try await filledFixture()
        let crashed = try fixture.directory.copy()
        try await fixture.store.close()
        let path = fixture.directory.state.databasePath
        let bytes = try fixture.directory.bytes(path)
        try crashed.write([], to: crashed.state.databasePath + "-wal")
        try crashed.write(Array(bytes.prefix(bytes.count / 2)), to: crashed.state.databasePath)
        await expectStorageError(.corrupt) { _ = try await SQLiteStore.open(crashed.state) }
    }

    @Test(arguments: 0..<24)
    func `with flipped bits gives a typed error or an answer, never a trap`(seed: UInt64) async throws {
        let fixture = try await filledFixture()
        try await fixture.store.close()
        let path = fixture.directory.state.databasePath
        var generator = SeededGenerator(seed: seed)
        var bytes = try fixture.directory.bytes(path)
        for _ in 0..<20 {
            // Behind the header, which other tests change.
            let offset = Int.random(in: 100..<bytes.count, using: &generator)
            bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
        try fixture.directory.write(bytes, to: path)
        var settings = StoreSettings()
        settings.verification = .never
        do {
            let store = try await SQLiteStore.open(fixture.directory.state, settings: settings)
            _ = try await store.quickCheck()
            await readEverything(store)
            try await store.close()
        } catch let error as StorageError {
            #expect(error.code == .corrupt || error.code == .inputOutput, "seed \(seed): \(error)")
        }
    }

    /// A store with one log of 300 operations.
    private func filledFixture() async throws -> StoreFixture {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 11)
        let zone = samples.zone()
        var writer = SampleWriter(samples: samples, log: samples.log(zone: zone.id))
        let stretch = writer.stretch(count: 300, bodyByteCount: 200)
        try await fixture.write { transaction throws in
            try transaction.save(zone)
            try transaction.apply(stretch)
        }
        return fixture
    }

    /// Calls each reading function; the answer does not matter here.
    private func readEverything(_ store: SQLiteStore) async {
        func attempt(_ body: @escaping @Sendable (any NodeTransaction) throws -> Void) async {
            do {
                try await store.read(body)
            } catch {
                #expect(error is StorageError, "\(error)")
            }
        }
        await attempt { _ = try $0.changes(zone: nil, after: 0, limit: 1_000) }
        await attempt { _ = try $0.conflictedRecords(zone: nil, limit: 1_000) }
        await attempt { transaction throws in
            for zone in try transaction.zones() {
                _ = try transaction.records(zone: zone.id, after: nil, limit: 1_000)
                _ = try transaction.summaries(zone: zone.id, after: nil, limit: 1_000)
                _ = try transaction.recordCount(zone: zone.id)
            }
        }
        await attempt { transaction throws in
            for zone in try transaction.zones() {
                for log in try transaction.logs(zone: zone.id) {
                    _ = try transaction.heads(log.key, above: 0, limit: 1_000)
                    _ = try transaction.items(log.key, from: 0, to: log.size)
                }
            }
        }
    }
}
