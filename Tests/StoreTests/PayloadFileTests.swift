import Foundation
import Node
import Records
import ReplicaBehaviour
import Sodium
import Store
import Sync
import Testing
import Wire

@Suite struct `The files of payloads` {
    private static let stride = Limits.chunkByteCount + Limits.chunkTagByteCount

    private static func row(
        _ number: UInt64,
        _ state: PayloadRow.State = .wanted,
        chunkByteCount: Int = Limits.chunkByteCount
    ) throws -> PayloadRow {
        PayloadRow(
            number: number,
            id: state == .released ? nil : PayloadID(digesting: .treeNode, [UInt8(number)]),
            zone: TestZone.id,
            state: state,
            byteCount: 1,
            secret: StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount)),
            begun: 1,
            chunkByteCount: chunkByteCount
        )
    }

    private static func chunk(_ position: UInt64, _ count: Int = 20_000) -> ChunkRow {
        ChunkRow(
            position: position,
            hash: Hash(digesting: .treeNode, [UInt8(position)]),
            bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ Int(position)) }
        )
    }

    /// A job that keeps a payload with some chunks.
    private static func keeping(_ number: UInt64, _ positions: [UInt64], isNew: Bool = true) -> StorageJob<Void> {
        job { transaction in
            if isNew { try transaction.save(Self.row(number)) }
            for position in positions { try transaction.save(Self.chunk(position), of: number) }
        }
    }

    private func path(_ number: UInt64, _ fixture: StoreFixture) -> String {
        fixture.directory.state.payloadsPath + "/\(number)"
    }

    private func exists(_ number: UInt64, _ fixture: StoreFixture) -> Bool {
        FileManager.default.fileExists(atPath: path(number, fixture))
    }

    private func chunk(_ position: UInt64, of number: UInt64, _ fixture: StoreFixture) async throws -> ChunkRow? {
        try await fixture.store.read { try $0.chunk(of: number, at: position) }
    }

    @Test func `have each chunk at its place, and are kept from other users`() async throws {
        var fixture = try await StoreFixture()
        try await fixture.write(Self.keeping(1, [2, 0]))
        let bytes = try fixture.directory.bytes(path(1, fixture))
        #expect(bytes.count == 2 * Self.stride + 20_000)
        #expect(bytes.prefix(20_000).elementsEqual(Self.chunk(0).bytes ?? []))
        #expect(bytes.dropFirst(2 * Self.stride).elementsEqual(Self.chunk(2).bytes ?? []))
        for (name, mode) in [(path(1, fixture), 0o600), (fixture.directory.state.payloadsPath, 0o700)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: name)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
        }
        try await fixture.reopen()
        for position in [0, 2] as [UInt64] {
            #expect(try await chunk(position, of: 1, fixture) == Self.chunk(position))
        }
        #expect(try await fixture.store.read { try $0.missingChunks(of: 1, limit: 9) } == [])
        try await fixture.store.close()
    }

    @Test func `are cut by the size of their payload's chunks`() async throws {
        let fixture = try await StoreFixture()
        try await fixture.write { transaction in
            try transaction.save(Self.row(1, chunkByteCount: Limits.chunkByteCountMax))
            try transaction.save(Self.chunk(1), of: 1)
        }
        let place = Limits.chunkByteCountMax + Limits.chunkTagByteCount
        #expect(try fixture.directory.bytes(path(1, fixture)).count == place + 20_000)
        #expect(try await chunk(1, of: 1, fixture) == Self.chunk(1))
        try await fixture.store.close()
    }

    @Test func `are not made for a payload of one small chunk`() async throws {
        let fixture = try await StoreFixture()
        for (number, count) in [(1, 16_384), (2, 16_385)] as [(UInt64, Int)] {
            try await fixture.write { transaction in
                try transaction.save(Self.row(number))
                try transaction.save(Self.chunk(0, count), of: number)
            }
            #expect(exists(number, fixture) == (number == 2))
            #expect(try await chunk(0, of: number, fixture) == Self.chunk(0, count))
        }
        try await fixture.store.close()
    }

    @Test func `of more payloads than are open at once are written in one transaction`() async throws {
        let fixture = try await StoreFixture()
        let numbers = (1...40).map { UInt64($0) }
        let jobs = numbers.map { Self.keeping($0, [0]) } + numbers.map { Self.keeping($0, [1], isNew: false) }
        let results = try await fixture.store.commit(jobs)
        #expect(results.count == 80)
        for number in numbers {
            for position in [0, 1] as [UInt64] {
                #expect(try await chunk(position, of: number, fixture) == Self.chunk(position))
            }
        }
        try await fixture.store.close()
    }

    @Test func `leave no trace of a transaction that is undone`() async throws {
        let fixture = try await StoreFixture()
        try await fixture.write(Self.keeping(1, [0]))
        let undone = job { transaction in
            try Self.keeping(1, [1], isNew: false)(&transaction)
            try Self.keeping(2, [0])(&transaction)
            let kept = try transaction.chunk(of: 2, at: 0)
            #expect(kept == Self.chunk(0))
            throw CancellationError()
        }
        await #expect(throws: CancellationError.self) { try await fixture.write(undone) }
        #expect(!exists(2, fixture))
        #expect(try await chunk(1, of: 1, fixture) == nil)
        #expect(try await chunk(0, of: 1, fixture) == Self.chunk(0))
        // Also of a job beside others, of which one makes the same file after it, and one before it.
        let jobs: [StorageJob<Void>] = [
            Self.keeping(3, [0]),
            job { transaction in
                try Self.keeping(3, [1], isNew: false)(&transaction)
                try undone(&transaction)
            },
            Self.keeping(2, [1]),
        ]
        let results = try await fixture.store.commit(jobs)
        #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
        #expect(try await chunk(0, of: 3, fixture) == Self.chunk(0))
        #expect(try await chunk(1, of: 3, fixture) == nil)
        #expect(try await chunk(1, of: 2, fixture) == Self.chunk(1))
        #expect(try await chunk(0, of: 2, fixture) == nil)
        try await fixture.store.close()
    }

    @Test func `go with the last of their chunks, once that is committed`() async throws {
        let fixture = try await StoreFixture()
        try await fixture.write(Self.keeping(1, [0, 1]))
        let removal = job { transaction in
            let isOneGone = try transaction.removeChunks(of: 1, limit: 1)
            #expect(isOneGone)
        }
        try await fixture.write(removal)
        #expect(exists(1, fixture))
        await #expect(throws: CancellationError.self) {
            try await fixture.write(
                job { transaction in
                    try removal(&transaction)
                    throw CancellationError()
                }
            )
        }
        #expect(try await chunk(1, of: 1, fixture) == Self.chunk(1))
        // In one transaction the chunks go, come again, and go again, which is undone.
        let jobs: [StorageJob<Void>] = [
            removal, Self.keeping(1, [0, 1], isNew: false),
            job { transaction in
                try removal(&transaction)
                try removal(&transaction)
                throw CancellationError()
            },
        ]
        let results = try await fixture.store.commit(jobs)
        #expect(results.map { (try? $0.get()) != nil } == [true, true, false])
        for position in [0, 1] as [UInt64] {
            #expect(try await chunk(position, of: 1, fixture) == Self.chunk(position))
        }
        try await fixture.write { transaction in
            while try transaction.removeChunks(of: 1, limit: 1) {}
            try transaction.removePayload(number: 1)
        }
        #expect(!exists(1, fixture))
        try await fixture.store.close()
    }

    @Test func `that are missing or short have no bytes of their chunks, and take them again`() async throws {
        var fixture = try await StoreFixture()
        try await fixture.write(Self.keeping(1, [0, 1]))
        try await fixture.write(Self.keeping(2, [0]))
        let whole = try fixture.directory.bytes(path(1, fixture))
        try fixture.directory.write(Array(whole.dropLast()), to: path(1, fixture))
        try FileManager.default.removeItem(atPath: path(2, fixture))
        try await fixture.reopen()
        #expect(try await chunk(0, of: 1, fixture) == Self.chunk(0))
        for (number, position) in [(1, 1), (2, 0)] as [(UInt64, UInt64)] {
            let found = try #require(try await chunk(position, of: number, fixture))
            #expect(found.bytes == nil && found.hash == Self.chunk(position).hash)
            try await fixture.write { transaction in
                try transaction.save(ChunkRow(position: position, hash: found.hash), of: number)
                let missing = try transaction.missingChunks(of: number, limit: 9)
                #expect(missing == [position])
                let left = try transaction.unheldBytes(of: number, at: position, count: 20_000)
                #expect(left == nil)
            }
            try await fixture.write(Self.keeping(number, [position], isNew: false))
            #expect(try await chunk(position, of: number, fixture) == Self.chunk(position))
        }
        try await fixture.store.close()
    }

    @Test func `that no chunk needs are removed at a start, and no other files`() async throws {
        var fixture = try await StoreFixture()
        try await fixture.write(Self.keeping(1, [0]))
        // The store has given the numbers up to 12, and has a row of the ninth payload.
        try await fixture.write { transaction in
            while try transaction.takePayloadNumber() < 12 {}
            try transaction.save(Self.row(9))
        }
        let others = ["7", "9", "12", "13", "007", "notes", "9223372036854775808"]
        for name in others {
            try fixture.directory.write([1], to: fixture.directory.state.payloadsPath + "/" + name)
        }
        func names() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: fixture.directory.state.payloadsPath))
        }
        // A store that is opened unchecked, to read what can be read, removes nothing.
        try await fixture.reopen(settings: StoreSettings(verification: .never, readerOpeningSeconds: 0))
        #expect(try names() == Set(others + ["1", "database"]))
        try await fixture.reopen()
        #expect(try names() == ["1", "9", "13", "007", "notes", "9223372036854775808", "database"])
        #expect(try await chunk(0, of: 1, fixture) == Self.chunk(0))
        // Nor does one that is new: the files may be those of a database that was lost, and are moved aside.
        try await fixture.store.close()
        try FileManager.default.removeItem(atPath: fixture.directory.state.databasePath)
        fixture.store = try await SQLiteStore.open(fixture.directory.state, settings: .ofTests)
        let aside = fixture.directory.state.payloadsPath + ".1/1"
        #expect(fixture.store.origin == .new && FileManager.default.fileExists(atPath: aside))
        #expect(try names() == ["database"])
        try await fixture.store.close()
    }

    @Test func `of a later state of the database outlast the start with an older one`() async throws {
        var fixture = try await StoreFixture()
        let path = fixture.directory.state.databasePath
        func keepNext(_ fixture: StoreFixture) async throws -> UInt64 {
            try await fixture.write { transaction in
                let number = try transaction.takePayloadNumber()
                try Self.keeping(number, [0])(&transaction)
                return number
            }
        }
        let first = try await keepNext(fixture)
        try await fixture.store.close()
        try FileManager.default.copyItem(atPath: path, toPath: path + ".older")
        fixture.store = try await SQLiteStore.open(fixture.directory.state, settings: .ofTests)
        let second = try await keepNext(fixture)
        try await fixture.store.close()
        for (from, to) in [(path, path + ".later"), (path + ".older", path)] {
            try FileManager.default.moveItem(atPath: from, toPath: to)
        }
        fixture.store = try await SQLiteStore.open(fixture.directory.state, settings: .ofTests)
        #expect(try await fixture.store.read { try $0.payload(number: second) } == nil)
        try await fixture.store.close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".later", toPath: path)
        fixture.store = try await SQLiteStore.open(fixture.directory.state, settings: .ofTests)
        for number in [first, second] { #expect(try await chunk(0, of: number, fixture) == Self.chunk(0)) }
        try await fixture.store.close()
    }

    @Test func `are never written through a link`() async throws {
        let fixture = try await StoreFixture()
        let outside = try TemporaryDirectory()
        try outside.write([1, 2, 3], to: outside.path + "/file")
        try FileManager.default.createSymbolicLink(
            atPath: path(1, fixture),
            withDestinationPath: outside.path + "/file"
        )
        await expectStorageError(.inaccessible) { try await fixture.write(Self.keeping(1, [0])) }
        #expect(try outside.bytes(outside.path + "/file") == [1, 2, 3])
        #expect(try await fixture.store.read { try $0.payload(number: 1) } == nil)
        // Another payload is kept all the same.
        try await fixture.write(Self.keeping(2, [0]))
        #expect(try await chunk(0, of: 2, fixture) == Self.chunk(0))
        try await fixture.store.close()
    }

    @Test func `take the whole group with them when they cannot be written`() async throws {
        let fixture = try await StoreFixture()
        try FileManager.default.removeItem(atPath: fixture.directory.state.payloadsPath)
        let jobs: [StorageJob<Void>] = [
            job { try $0.setValue([1], named: "a") },
            job { transaction in
                // A job that goes on as if the chunk were kept.
                try? Self.keeping(1, [0])(&transaction)
            },
        ]
        await expectStorageError(.payloadsMissing) { _ = try await fixture.store.commit(jobs) }
        #expect(try await fixture.store.read { try $0.value(named: "a") } == nil)
        try await fixture.write { try $0.setValue([1], named: "a") }
        try await fixture.store.close()
    }
}
