import Records
import ReplicaBehaviour
import Store
import Sync
import TestSupport
import Testing
import Wire

@Suite("Records in the store")
struct RecordStorageTests {
    @Test func `names are paged in the order of their bytes`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 51)
        let zone = samples.zone()
        let log = samples.log(zone: zone.id)
        // "é" in two forms, a name with a NUL, names that sort otherwise for people than for machines.
        let names = ["b", "a", "B", "\u{E9}", "e\u{301}", "a\u{0}c", "a\u{0}b", "ab", "\u{1F600}", "~"]
        var records: [RecordRow] = []
        for (index, name) in names.enumerated() {
            let stored = samples.operation(log, counter: UInt64(index) + 1, tag: samples.identifier(), body: [1])
            records.append(samples.record(stored, zone: zone.id, name: name))
        }
        let saved = records
        try await fixture.write { transaction throws in
            try transaction.save(zone)
            try transaction.save(saved, bySync: false)
        }
        let expected = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        for limit in [1, 3, 10, 11] {
            var found: [String] = []
            var after: String?
            while true {
                let (start, name) = (limit, after)
                let page = try await fixture.store.read { try $0.records(zone: zone.id, after: name, limit: start) }
                found += page.records.map(\.name)
                after = page.records.last?.name
                guard page.more else { break }
            }
            #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "limit \(limit)")
        }
        try await fixture.store.close()
    }

    @Test func `a body that is not the operation's own is kept too`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 52)
        let zone = samples.zone()
        let log = samples.log(zone: zone.id)
        let stored = samples.operation(log, counter: 1, tag: samples.identifier(), body: [1, 2, 3])
        var merged = samples.record(stored, zone: zone.id, name: "a")
        merged.body = [4, 5, 6]
        var pair = samples.record(stored, zone: zone.id, name: "b")
        pair.tag = samples.identifier()
        pair.live = (pair.live + [Dot(actor: samples.identifier(), counter: 2)]).sorted()
        pair.vector = VersionVector(covering: pair.live)
        pair.context = pair.vector
        pair.isDeleted = true
        let saved = [merged, pair]
        try await fixture.write { transaction throws in
            try transaction.append([StoredItem(first: 0, content: .operation(stored))], key: log.key)
            try transaction.save(saved, bySync: true)
        }
        try await fixture.store.read { transaction throws in
            for record in saved {
                #expect(try transaction.record(zone: zone.id, tag: record.tag) == record)
            }
            let both = try transaction.records(zone: zone.id, tags: saved.map(\.tag) + [.zero, saved[0].tag])
            #expect(both.count == 2)
        }
        try await fixture.store.close()
    }

    @Test func `a body is stored once, whenever its record is saved`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 53)
        let zone = samples.zone()
        var writer = SampleWriter(samples: samples, log: samples.log(zone: zone.id))
        let stretch = writer.stretch(count: 20, bodyByteCount: 100_000)
        try await fixture.store.apply(stretch)
        // Again in a later transaction, which does not know the appended operations.
        try await fixture.write { try $0.saveUnchanged(stretch.records) }
        try await fixture.store.checkpoint()
        let report = try await fixture.store.report()
        #expect(report.pageCount * report.pageByteCount < 20 * 100_000 * 3 / 2)
        #expect(try await fixture.store.allChanges().map(\.record) == stretch.records)
        try await fixture.store.close()
    }

    @Test(arguments: [
        "record SET name = 'b'", "record SET type = 'other'", "record SET deleted = 1", "record SET locked = 1",
        "record SET version = zeroblob(16)", "record SET detail = CAST(zeroblob(8) || substr(detail, 9) AS BLOB)",
        "identifier SET bytes = randomblob(32) WHERE id = (SELECT actor FROM log)",
    ])
    func `a row that differs from the written one is refused`(change: String) async throws {
        var fixture = try await StoreFixture()
        try await fixture.write { transaction in
            try transaction.createTestZone()
            try transaction.commit([.note("a", ["x": "1"])], by: TestAuthor(1))
        }
        let read: @Sendable (any NodeTransaction) throws -> RecordRow? = { transaction in
            try transaction.record(zone: TestZone.id, tag: RecordTag(of: "a", zone: TestZone.id, in: transaction))
        }
        // A column that is not part of the state may differ.
        try await fixture.change("UPDATE record SET by_sync = 1")
        let before = try await fixture.store.read(read)
        #expect(before?.name == "a")
        try await fixture.change("UPDATE \(change)")
        let store = fixture.store
        let error = await #expect(throws: StorageError.self) { _ = try await store.read(read) }
        #expect(error?.code == .corrupt)
        try await fixture.store.close()
    }

    @Test func `conflicts are listed as long as they last`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 54)
        let zones = [samples.zone(), samples.zone()]
        var records: [RecordRow] = []
        for zone in zones {
            let log = samples.log(zone: zone.id)
            for index in 0..<3 as Range<UInt64> {
                let other = VersionVector([samples.identifier(): 1])
                let stored = samples.operation(
                    log,
                    counter: index + 1,
                    tag: samples.identifier(),
                    vector: other,
                    body: samples.body(name: "\(index)", byteCount: 8, values: index == 1 ? 2 : 1)
                )
                records.append(samples.record(stored, zone: zone.id, name: "\(index)"))
            }
        }
        let saved = records
        try await fixture.write { try $0.save(saved, bySync: true) }
        try await fixture.store.read { transaction throws in
            #expect(try transaction.conflictedRecords(zone: nil, limit: 10) == [saved[1], saved[4]])
            #expect(try transaction.conflictedRecords(zone: nil, limit: 1) == [saved[1]])
            #expect(try transaction.conflictedRecords(zone: zones[1].id, limit: 10) == [saved[4]])
            #expect(try transaction.conflictedRecords(zone: .zero, limit: 10) == [])
        }
        var resolved = saved[1]
        resolved.body = samples.body(name: "1", byteCount: 8)
        var deleted = saved[4]
        deleted.isDeleted = true
        deleted.body = samples.body(name: "1", byteCount: 8, isDeleted: true)
        let changed = [resolved, deleted]
        try await fixture.write { try $0.save(changed, bySync: false) }
        #expect(try await fixture.store.read { try $0.conflictedRecords(zone: nil, limit: 10) } == [])
        try await fixture.store.close()
    }

    @Test func `an unknown zone is empty, not an error`() async throws {
        let fixture = try await StoreFixture()
        try await fixture.store.read { transaction throws in
            #expect(try transaction.zone(.zero) == nil)
            #expect(try transaction.recordCount(zone: .zero) == 0)
            #expect(try transaction.records(zone: .zero, after: nil, limit: 1).records == [])
            #expect(try transaction.changes(zone: .zero, after: 0, limit: 1).isEmpty)
            #expect(try transaction.logs(zone: .zero) == [])
            #expect(try transaction.acknowledgements(zone: .zero).isEmpty)
            #expect(try transaction.operations(zone: .zero, tags: [.zero], states: [.live]) == [])
            #expect(try transaction.summaries(zone: .zero, after: nil, limit: 1) == [])
        }
        try await fixture.store.close()
    }
}
