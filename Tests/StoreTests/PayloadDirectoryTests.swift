import Foundation
import Node
import Records
import ReplicaBehaviour
import Sodium
import Store
import Sync
import Testing
import Wire

/// The directory `payloads` where it is not the one that the database has written to.
@Suite struct `The directory of the files of payloads` {
    private static let chunk = ChunkRow(
        position: 0,
        hash: Hash(digesting: .treeNode, [1]),
        bytes: (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }
    )

    /// A store with a payload, whose number it returns.
    private func keep(in store: SQLiteStore) async throws -> UInt64 {
        try await store.write { transaction in
            let number = try transaction.takePayloadNumber()
            let row = PayloadRow(
                number: number,
                id: PayloadID(digesting: .treeNode, [UInt8(number)]),
                zone: TestZone.id,
                state: .present,
                byteCount: 1,
                secret: StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount)),
                begun: 1
            )
            try transaction.save(row)
            try transaction.save(Self.chunk, of: number)
            return number
        }
    }

    private func bytes(of number: UInt64, in store: SQLiteStore) async throws -> [UInt8]? {
        try await store.read { try $0.chunk(of: number, at: 0)?.bytes }
    }

    private func move(_ from: String, _ to: String) throws {
        try FileManager.default.moveItem(atPath: from, toPath: to)
    }

    private func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    @Test func `stands in for a disk that is not mounted, and no content is lost, written or removed`() async throws {
        var fixture = try await StoreFixture()
        let path = fixture.directory.state.payloadsPath
        let number = try await keep(in: fixture.store)
        let dropped = try await keep(in: fixture.store)
        #expect(await fixture.store.refusalOfPayloads() == nil)
        try await fixture.store.close()
        try move(path, path + ".disk")
        try makeDirectory(path)
        fixture.store = try await SQLiteStore.open(fixture.directory.state, settings: .ofTests)
        let store = fixture.store
        #expect(await store.refusalOfPayloads()?.code == .payloadsMissing)
        await expectStorageError(.payloadsMissing) { _ = try await bytes(of: number, in: store) }
        await expectStorageError(.payloadsMissing) { _ = try await keep(in: store) }
        try await store.write { transaction in
            try transaction.setValue([1], named: "a")
            while try transaction.removeChunks(of: dropped, limit: 1) {}
            try transaction.removePayload(number: dropped)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
        // The disk is mounted under the running daemon.
        try FileManager.default.removeItem(atPath: path)
        try move(path + ".disk", path)
        #expect(try await bytes(of: number, in: store) == Self.chunk.bytes)
        #expect(await store.refusalOfPayloads() == nil)
        #expect(try await keep(in: store) == dropped + 1)
        try await fixture.reopen()
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(Set(names) == ["\(number)", "\(dropped + 1)", "database"])
        try await fixture.store.close()
    }

    @Test func `of another database is neither read nor changed`() async throws {
        var fixture = try await StoreFixture()
        let path = fixture.directory.state.payloadsPath
        let number = try await keep(in: fixture.store)
        try await fixture.store.close()
        let other = try await StoreFixture()
        _ = try await keep(in: other.store)
        try await other.store.close()
        try move(path, path + ".own")
        try move(other.directory.state.payloadsPath, path)
        fixture.store = try await SQLiteStore.open(fixture.directory.state, settings: .ofTests)
        let store = fixture.store
        await expectStorageError(.payloadsMissing) { _ = try await bytes(of: number, in: store) }
        try await store.write { transaction in
            while try transaction.removeChunks(of: number, limit: 1) {}
            try transaction.removePayload(number: number)
        }
        try await fixture.reopen()
        #expect(FileManager.default.fileExists(atPath: path + "/\(number)"))
        try await fixture.store.close()
    }

    @Test func `whose file database alone was lost is found again by the line that the refusal states`() async throws {
        let fixture = try await StoreFixture()
        let file = fixture.directory.state.payloadsPath + "/database"
        let number = try await keep(in: fixture.store)
        let line = try String(contentsOfFile: file, encoding: .utf8)
        try FileManager.default.removeItem(atPath: file)
        let refusal = try #require(await fixture.store.refusalOfPayloads())
        let name = line.trimmingCharacters(in: .newlines)
        #expect(name.count == 32 && refusal.message.contains("with the line \(name),"))
        try (name + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try await bytes(of: number, in: fixture.store) == Self.chunk.bytes)
        try await fixture.store.close()
    }

    @Test func `that was removed is made again at a start, and its contents are lost`() async throws {
        var fixture = try await StoreFixture()
        let path = fixture.directory.state.payloadsPath
        let number = try await keep(in: fixture.store)
        try await fixture.store.close()
        try FileManager.default.removeItem(atPath: path)
        // A start that was interrupted.
        try makeDirectory(path + ".new")
        fixture.store = try await SQLiteStore.open(fixture.directory.state, settings: .ofTests)
        #expect(await fixture.store.refusalOfPayloads() == nil)
        #expect(try await bytes(of: number, in: fixture.store) == nil)
        let next = try await keep(in: fixture.store)
        #expect(try await bytes(of: next, in: fixture.store) == Self.chunk.bytes)
        try await fixture.store.close()
    }

    @Test func `is reached again by a link once that leads to it`() async throws {
        var fixture = try await StoreFixture()
        let path = fixture.directory.state.payloadsPath
        let number = try await keep(in: fixture.store)
        try await fixture.store.close()
        try move(path, path + ".disk")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".mounted")
        fixture.store = try await SQLiteStore.open(fixture.directory.state, settings: .ofTests)
        let store = fixture.store
        await expectStorageError(.payloadsMissing) { _ = try await bytes(of: number, in: store) }
        try await store.write { try $0.setValue([1], named: "a") }
        try move(path + ".disk", path + ".mounted")
        #expect(try await bytes(of: number, in: store) == Self.chunk.bytes)
        try await fixture.store.close()
    }

    @Test func `has the bytes of a chunk that was lost and is back`() async throws {
        let fixture = try await StoreFixture()
        let file = fixture.directory.state.payloadsPath + "/1"
        let number = try await keep(in: fixture.store)
        try move(file, file + ".away")
        try await fixture.write { transaction in
            try transaction.save(ChunkRow(position: 0, hash: Self.chunk.hash), of: number)
            let left = try transaction.unheldBytes(of: number, at: 0, count: 20_000)
            #expect(left == nil)
        }
        try move(file + ".away", file)
        let left = try await fixture.store.read { try $0.unheldBytes(of: number, at: 0, count: 20_000) }
        #expect(left == Self.chunk.bytes)
        #expect(try await bytes(of: number, in: fixture.store) == nil)
        try await fixture.store.close()
    }
}
