import Records
import Store
import Sync
import TestSupport
import Testing
import Wire

@Suite("After a crash")
struct CrashTests {
    /// Commits stretches one by one and keeps a copy of the files after each, as `kill -9` would leave them.
    private func history(_ count: Int) async throws -> (copies: [TemporaryDirectory], zone: ZoneID) {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 21)
        let zone = samples.zone()
        var writer = SampleWriter(samples: samples, log: samples.log(zone: zone.id))
        try await fixture.write { try $0.save(zone) }
        var copies: [TemporaryDirectory] = []
        for _ in 0..<count {
            try await fixture.store.apply(writer.stretch(count: 10, bodyByteCount: 100))
            copies.append(try fixture.directory.copy())
        }
        try await fixture.store.close()
        return (copies, zone.id)
    }

    @Test func `all acknowledged writes are present`() async throws {
        let (copies, zone) = try await history(8)
        for (index, copy) in copies.enumerated() {
            let store = try await SQLiteStore.open(copy.state)
            #expect(store.origin == .unclean)
            #expect(try await store.allChanges().count == (index + 1) * 10)
            #expect(try await store.read { try $0.recordCount(zone: zone) } == UInt64(index + 1) * 10)
            #expect(try await store.write { try $0.nextCommitNumber() } == UInt64(index) + 2)
            try await store.close()
        }
    }

    @Test func `a log file truncated anywhere leaves the state of some commit`() async throws {
        let (copies, zone) = try await history(6)
        let whole = try #require(copies.last)
        let path = whole.state.databasePath + "-wal"
        let bytes = try whole.bytes(path)
        var generator = SeededGenerator(seed: 0x7761_6C)
        for _ in 0..<25 {
            let copy = try whole.copy()
            let length = Int.random(in: 0...bytes.count, using: &generator)
            try copy.write(Array(bytes.prefix(length)), to: copy.state.databasePath + "-wal")
            let store = try await SQLiteStore.open(copy.state)
            try await store.read { transaction throws in
                let count = try transaction.newestPosition()
                #expect(count % 10 == 0, "half a commit of \(count) changes at \(length) bytes")
                #expect(try transaction.recordCount(zone: zone) == count)
                for log in try transaction.logs(zone: zone) {
                    #expect(log.size == count)
                    #expect(try transaction.items(log.key, from: 0, to: 1_000).count == Int(count))
                    #expect(try transaction.heads(log.key, above: 0, limit: 100).last?.size == count)
                }
            }
            try await store.close()
        }
    }
}
