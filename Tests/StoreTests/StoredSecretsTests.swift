import Foundation
import Node
import Records
import ReplicaBehaviour
import Sodium
import Store
import Sync
import TestSupport
import Testing
import Wire

@Suite("The secrets in a store")
struct StoredSecretsTests {
    private static let canary = (0..<32).map { UInt8($0) &* 11 &+ 5 }

    private static func key(_ seed: UInt64) -> StoreKey {
        var generator = SeededGenerator(seed: seed)
        return StoreKey(SymmetricKey.generate(using: &generator))
    }

    private struct NotWanted: Error {}

    private func protect(_ store: SQLiteStore, with key: StoreKey?) async throws {
        try await store.protect(with: key) { throw NotWanted() }
    }

    private func makeZone(_ store: SQLiteStore) async throws {
        try await store.write { transaction in
            try transaction.createTestZone()
            var zone = try #require(try transaction.zone(TestZone.id))
            zone.tagKey = Self.canary
            try transaction.save(zone)
        }
    }

    private func tagKey(_ store: SQLiteStore) async throws -> [UInt8]? {
        try await store.read { try $0.zone(TestZone.id)?.tagKey }
    }

    /// Whether the key lies in the clear in any file of the store.
    private func isInTheClear(_ fixture: StoreFixture) throws -> Bool {
        let folder = fixture.directory.state.storePath
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        var isDirectory: ObjCBool = false
        return try names.contains { name in
            guard FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isDirectory),
                !isDirectory.boolValue
            else { return false }
            return try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)).range(of: Data(Self.canary)) != nil
        }
    }

    @Test func `are read as they were written, and lie in no file`() async throws {
        var fixture = try await StoreFixture()
        try await protect(fixture.store, with: Self.key(1))
        try await makeZone(fixture.store)
        #expect(try await tagKey(fixture.store) == Self.canary)
        #expect(try await fixture.store.read { try $0.zones().map(\.tagKey) } == [Self.canary])
        #expect(try !isInTheClear(fixture))
        try await fixture.reopen()
        try await protect(fixture.store, with: Self.key(1))
        #expect(try await tagKey(fixture.store) == Self.canary)
        try await fixture.store.close()
        #expect(try !isInTheClear(fixture))
    }

    @Test func `of messages and prekeys are read as they were written, and lie in no file`() async throws {
        var fixture = try await StoreFixture()
        try await protect(fixture.store, with: Self.key(1))
        let secret = try #require(StoredSecret(Self.canary))
        let tag = RecordTag(Hash(digesting: .treeNode, [1]).digest)
        let id = MessageID(zone: TestZone.id, tag: tag)
        let row = MessageRow(
            id: id,
            number: 1,
            zone: TestZone.id,
            tag: tag,
            place: Dot(actor: .zero, counter: 1),
            state: .waiting,
            secret: secret
        )
        let prekey = PrekeyRow(id: PrekeyID(key: [1]), zone: TestZone.id, seed: secret, begun: 1, stated: 1)
        try await fixture.store.write {
            try $0.save(row)
            try $0.save(prekey)
        }
        try await fixture.reopen()
        try await protect(fixture.store, with: Self.key(1))
        #expect(try await fixture.store.read { try $0.message(id) } == row)
        #expect(try await fixture.store.read { try $0.presentPrekey(zone: TestZone.id) } == prekey)
        #expect(try !isInTheClear(fixture))
        #expect("\(row) \(prekey)".contains("secret: Optional(secret)"))
        try await fixture.store.write { try $0.removePrekey(prekey.id) }
        try await fixture.store.close()
        #expect(try !isInTheClear(fixture))
    }

    @Test func `of an earlier version are sealed at the first start, and gone from the log as well`() async throws {
        var fixture = try await StoreFixture()
        try await makeZone(fixture.store)
        #expect(try isInTheClear(fixture))
        try await fixture.reopen()
        try await fixture.store.protect(with: nil) { Self.key(2) }
        #expect(try !isInTheClear(fixture))
        #expect(try await tagKey(fixture.store) == Self.canary)
        try await fixture.store.close()
    }

    @Test func `are reported to be sealed under another key, and a key is not made in its place`() async throws {
        var fixture = try await StoreFixture()
        try await protect(fixture.store, with: Self.key(1))
        try await makeZone(fixture.store)
        for key in [Self.key(2), nil] {
            try await fixture.reopen()
            await expectStorageError(.corrupt) { try await protect(fixture.store, with: key) }
        }
        try await fixture.reopen()
        try await protect(fixture.store, with: Self.key(1))
        #expect(try await tagKey(fixture.store) == Self.canary)
        try await fixture.store.close()
    }

    @Test func `open in their own place, under their own key, and whole`() {
        let sealed = Self.key(1).seal(Self.canary, for: [1])
        #expect(Self.key(1).open(sealed, for: [1]) == Self.canary)
        #expect(Self.key(1).open(sealed, for: [2]) == nil && Self.key(2).open(sealed, for: [1]) == nil)
        for count in 0..<sealed.count { #expect(Self.key(1).open(Array(sealed[..<count]), for: [1]) == nil) }
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(Self.key(1).open(damaged, for: [1]) == nil)
        }
    }
}
