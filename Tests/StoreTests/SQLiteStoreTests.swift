import Foundation
import Records
import Store
import Sync
import TestSupport
import Testing
import Wire

@Suite("The store")
struct SQLiteStoreTests {
    @Test func `syncs each commit, never maps the file and leaves checkpoints to its own schedule`() async throws {
        let fixture = try await StoreFixture()
        let report = try await fixture.store.report()
        #expect(report.synchronous == 2)
        #expect(report.journalMode == "wal")
        #expect(report.automaticCheckpoint == 0)
        #expect(report.mappedByteCount == 0)
        #expect(report.checksForeignKeys)
        #expect(report.checksCells)
        #expect(!report.trustsSchema)
        #expect(report.schemaVersion == 26)
        #expect(report.pageByteCount == StoreSettings().pageByteCount)
        try await fixture.store.close()
    }

    @Test func `still syncs each commit after it was closed and opened again`() async throws {
        var fixture = try await StoreFixture()
        try await fixture.reopen()
        #expect(try await fixture.store.report().synchronous == 2)
        try await fixture.store.close()
    }

    @Test func `keeps its files from other users`() async throws {
        let fixture = try await StoreFixture()
        try await fixture.write { try $0.setValue([1], named: "a") }
        let state = fixture.directory.state
        for name in [state.lockPath, state.databasePath, state.databasePath + "-wal", state.databasePath + "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: state.storePath)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        try await fixture.store.close()
    }

    @Test func `knows whether it is new, was closed in order, or was left by a crash`() async throws {
        var fixture = try await StoreFixture()
        #expect(fixture.store.origin == .new)
        try await fixture.reopen()
        #expect(fixture.store.origin == .clean)
        let crashed = try fixture.directory.copy()
        let store = try await SQLiteStore.open(crashed.state)
        #expect(store.origin == .unclean)
        try await store.close()
        try await fixture.store.close()
    }

    @Test func `refuses everything once it is closed, and closing again is harmless`() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        try await store.close()
        try await store.close()
        await expectStorageError(.closed) { try await store.write { try $0.setValue([1], named: "a") } }
        await expectStorageError(.closed) { _ = try await store.read { try $0.newestPosition() } }
        await expectStorageError(.closed) { try await store.checkpoint() }
        await expectStorageError(.closed) { _ = try await store.report() }
        await expectStorageError(.closed) { _ = try await store.quickCheck() }
    }

    @Test func `finishes commits that were begun before it was closed`() async throws {
        var fixture = try await StoreFixture()
        let store = fixture.store
        let done = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<50 {
                group.addTask {
                    do {
                        try await store.write { try $0.setValue([1], named: "\(index)") }
                        return true
                    } catch let error as StorageError where error.code == .closed {
                        return false
                    }
                }
            }
            group.addTask {
                try await store.close()
                return false
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        try await fixture.reopen()
        let held = try await fixture.store.read { transaction throws in
            try (0..<50).count { try transaction.value(named: "\($0)") != nil }
        }
        #expect(held == done)
        try await fixture.store.close()
    }

    @Test func `survives being dropped without being closed`() async throws {
        let directory = try TemporaryDirectory()
        do {
            let store = try await SQLiteStore.open(directory.state)
            try await store.write { try $0.setValue([7], named: "a") }
        }
        let copy = try directory.copy()
        let store = try await SQLiteStore.open(copy.state)
        #expect(try await store.read { try $0.value(named: "a") } == [7])
        try await store.close()
    }

    @Test func `empties a large log file when it is idle and on closing`() async throws {
        var settings = StoreSettings()
        settings.checkpoints.byteCountKept = 10_000
        let fixture = try await StoreFixture(settings: settings)
        try await fixture.write { try $0.setValue([UInt8](repeating: 1, count: 100_000), named: "a") }
        #expect(try await fixture.store.report().logByteCount > 100_000)
        try await fixture.store.checkpoint()
        #expect(try await fixture.store.report().logByteCount == 0)
        try await fixture.store.close()
        let header = try fixture.directory.bytes(fixture.directory.state.databasePath)
        #expect(header.count >= 100_000, "the database holds what the log held")
    }

    @Test func `moves its log by itself each time it has grown, without being asked`() async throws {
        var settings = StoreSettings()
        settings.checkpoints.frameCountWhenQuiet = 50
        settings.checkpoints.frameCountAlways = 50
        let fixture = try await StoreFixture(settings: settings)
        var generator = SeededGenerator(seed: 7)
        var largest = 0
        for round in 0..<60 {
            // Of changing size, so that a commit now and then steps over the place of the last checkpoint.
            let content = generator.bytes(Int(generator.next() % 150_000))
            try await fixture.write { try $0.setValue(content, named: "\(round % 2)") }
            largest = max(largest, try await fixture.store.report().logByteCount)
        }
        #expect(largest < 3 * 50 * 4_096, "a commit has up to 38 pages of content, a checkpoint is due from 50 on")
        try await fixture.store.close()
    }

    @Test func `finds nothing wrong with itself`() async throws {
        let fixture = try await StoreFixture()
        #expect(try await fixture.store.quickCheck() == [])
        try await fixture.store.close()
    }
}

/// Expects a storage error with a code.
func expectStorageError(
    _ code: StorageError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let error = await #expect(throws: StorageError.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
}
