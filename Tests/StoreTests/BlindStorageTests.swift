import Foundation
import Records
import ReplicaBehaviour
import Store
import Sync
import TestSupport
import Testing
import Wire

/// The files of a store whose zone's keys are not here, byte for byte.
@Suite struct `A store of data that it cannot read` {
    private static let epoch = Hash([UInt8](repeating: 0xE2, count: 32)) ?? .zero
    private static let canaries = [
        "canary-of-a-name", "canary-of-a-type", "canary-of-a-field", "canary-of-a-value", "canary-of-a-parent",
        "canary-of-a-reference",
    ]

    /// A replica that has the key, with records that hold every canary, and one that is gone.
    private func written() throws -> MemoryReplica {
        let key = try EpochKey(bytes: [UInt8](repeating: 1, count: 32))
        var replica = MemoryReplica()
        try replica.createTestZone()
        replica.keyring.insert(key, for: Self.epoch)
        let test = TestAuthor(1)
        var author = test.author
        author.sealer = BodySealer(zone: TestZone.id, epoch: Self.epoch, key: key, entropy: TransactionEntropy())
        let writes: [RecordWrite] = [
            .note("canary-of-a-parent", ["text": "canary-of-a-value"]),
            RecordWrite(
                name: "canary-of-a-name",
                type: "canary-of-a-type",
                set: [
                    .init(field: "canary-of-a-field", value: .string("canary-of-a-value")),
                    .init(field: "other", value: .reference(zone: nil, record: "canary-of-a-reference")),
                    .init(field: "anchor", value: .anchor(record: "canary-of-a-parent")),
                ]
            ),
            .note("canary-of-a-name-2", ["canary-of-a-field": "canary-of-a-value"]),
            .deletion("canary-of-a-name-2"),
        ]
        for write in writes {
            let commit = try LocalWrites(zone: TestZone.id, author: author, wallMilliseconds: 1_000, sign: test.sign)
                .commit(writes: [write], isAtomic: false, in: &replica)
            for result in commit.results.joined() { _ = try result.get() }
        }
        return replica
    }

    private func files(_ fixture: StoreFixture) throws -> [String: Data] {
        let paths = FileManager.default.enumerator(atPath: fixture.directory.path)?.compactMap { $0 as? String } ?? []
        var files: [String: Data] = [:]
        for path in paths {
            let url = URL(fileURLWithPath: fixture.directory.path + "/" + path)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            files[path] = try Data(contentsOf: url)
        }
        return files
    }

    private func found(_ fixture: StoreFixture, _ canaries: [String]) throws -> Set<String> {
        let files = try files(fixture)
        return Set(canaries.filter { canary in files.values.contains { $0.range(of: Data(canary.utf8)) != nil } })
    }

    private func fill(_ fixture: StoreFixture, from replica: MemoryReplica) async throws {
        try await fixture.write { [replica] transaction in
            try transaction.createTestZone()
            try transaction.pull(from: replica)
            _ = try transaction.nextCommitNumber()
        }
    }

    @Test func `has no content of records in its files, before a checkpoint of SQLite and after`() async throws {
        // Under a key that all tests share there would be nothing to find.
        guard TestZone.epochKey == nil else { return }
        let replica = try written()
        var fixture = try await StoreFixture()
        try await fill(fixture, from: replica)
        #expect(try found(fixture, Self.canaries) == [])
        let digests = try await fixture.store.read { try ZonePositions(of: TestZone.id).digest(in: $0) }
        #expect(try digests == ZonePositions(of: TestZone.id).digest(in: replica))
        try await fixture.reopen()
        #expect(try found(fixture, Self.canaries) == [])
        let genesis = TestZone.genesis
        #expect(try found(fixture, [genesis.container, genesis.name]) == [genesis.container, genesis.name])
        try await fixture.store.close()
    }

    @Test func `has them as soon as the key is there, where the same search finds them`() async throws {
        guard TestZone.epochKey == nil else { return }
        let replica = try written()
        let fixture = try await StoreFixture()
        try await fill(fixture, from: replica)
        try await fixture.write { transaction in
            transaction.keyring.insert(try EpochKey(bytes: [UInt8](repeating: 1, count: 32)), for: Self.epoch)
            _ = try ZoneEvaluation(of: TestZone.id).unlock(in: &transaction)
            _ = try transaction.nextCommitNumber()
        }
        #expect(try found(fixture, Self.canaries) == Set(Self.canaries))
        try await fixture.store.close()
    }
}
