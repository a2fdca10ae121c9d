import Records
import Store
import Sync
import TestSupport
import Testing
import Wire

@Suite("The change feed")
struct FeedTests {
    /// The naive reference: every record with its newest position.
    private struct Model {
        var position: UInt64 = 0
        var rows: [RecordTag: ChangeRow] = [:]

        mutating func save(_ record: RecordRow, bySync: Bool) {
            position += 1
            rows[record.tag] = ChangeRow(position: position, record: record, bySync: bySync)
        }

        func changes(zone: ZoneID?, after: UInt64, limit: Int) -> [ChangeRow] {
            let wanted = rows.values.filter { $0.position > after && (zone == nil || $0.record.zone == zone) }
            return Array(wanted.sorted { $0.position < $1.position }.prefix(limit))
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `shows each record once, at its newest position, and is the same after a restart`(
        seed: UInt64
    ) async throws {
        var fixture = try await StoreFixture()
        var samples = Samples(seed: seed)
        let zones = (0..<3).map { _ in samples.zone() }
        try await fixture.write { transaction throws in
            for zone in zones { try transaction.save(zone) }
        }
        let identity = try await fixture.store.read { try $0.feedIdentity() }
        var model = Model()
        var logs = zones.map { samples.log(zone: $0.id) }
        let tags: [RecordTag] = (0..<30).map { _ in samples.identifier() }
        for round in 0..<12 {
            let bySync = samples.generator.next() % 2 == 0
            var batches: [(key: LogKey, items: [StoredItem], record: RecordRow)] = []
            for _ in 0..<Int(samples.generator.next() % 12) + 1 {
                let index = Int(samples.generator.next() % 3)
                // A record lives in one zone.
                let tag = tags[Int(samples.generator.next() % 10) * 3 + index]
                logs[index].size += 1
                let isTombstone = samples.generator.next() % 4 == 0
                let stored = samples.operation(
                    logs[index],
                    counter: logs[index].size,
                    tag: tag,
                    body: samples.generator.bytes(20),
                    isTombstone: isTombstone
                )
                let record = samples.record(stored, zone: zones[index].id, name: "record \(tag.shortText)")
                let item = StoredItem(first: logs[index].size - 1, content: .operation(stored))
                batches.append((logs[index].key, [item], record))
                model.save(record, bySync: bySync)
            }
            let jobs = batches
            _ = try await fixture.store.commit(
                jobs.map { batch in
                    job { transaction in
                        try transaction.append(batch.items, key: batch.key)
                        try transaction.save([batch.record], bySync: bySync)
                    }
                }
            )
            if round % 4 == 3 { try await fixture.reopen() }
            try await expect(fixture.store, toShow: model, zones: zones.map(\.id), seed: seed)
        }
        #expect(try await fixture.store.read { try $0.feedIdentity() } == identity)
        try await fixture.store.close()
    }

    private func expect(_ store: SQLiteStore, toShow model: Model, zones: [ZoneID], seed: UInt64) async throws {
        try await store.read { transaction throws in
            #expect(try transaction.newestPosition() == model.position)
            for zone in zones.map(Optional.some) + [nil] {
                for after in [0, model.position / 2, model.position] {
                    for limit in [1, 5, 1_000] {
                        let found = try transaction.changes(zone: zone, after: after, limit: limit)
                        let expected = model.changes(zone: zone, after: after, limit: limit)
                        #expect(found.map(\.position) == expected.map(\.position), "seed \(seed)")
                        #expect(found.map(\.record) == expected.map(\.record), "seed \(seed)")
                        #expect(found.map(\.bySync) == expected.map(\.bySync), "seed \(seed)")
                    }
                }
            }
            for zone in zones {
                let here = model.rows.values.filter { $0.record.zone == zone && !$0.record.isDeleted }
                #expect(try transaction.recordCount(zone: zone) == UInt64(here.count), "seed \(seed)")
                let page = try transaction.records(zone: zone, after: nil, limit: 10_000)
                #expect(!page.more)
                #expect(page.records == here.map(\.record).sorted { $0.name < $1.name }, "seed \(seed)")
            }
        }
    }

    @Test func `two stores have different identities`() async throws {
        let (first, second) = (try await StoreFixture(), try await StoreFixture())
        let one = try await first.store.read { try $0.feedIdentity() }
        let other = try await second.store.read { try $0.feedIdentity() }
        #expect(one.count == 16)
        #expect(one != other)
        try await first.store.close()
        try await second.store.close()
    }

    @Test func `bookkeeping that readers do not see keeps the position`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 41)
        let zone = samples.zone()
        var writer = SampleWriter(samples: samples, log: samples.log(zone: zone.id))
        let stretch = writer.stretch(count: 3, bodyByteCount: 10)
        try await fixture.store.apply(stretch, bySync: false)
        var record = stretch.records[1]
        record.context = VersionVector([record.creation.actor: 4])
        record.live = []
        let changed = record
        try await fixture.write { try $0.saveUnchanged([changed]) }
        let feed = try await fixture.store.allChanges()
        #expect(feed.map(\.position) == [1, 2, 3])
        #expect(feed.map(\.record) == [stretch.records[0], changed, stretch.records[2]])
        #expect(feed.allSatisfy { !$0.bySync })
        let unknown = samples.record(
            samples.operation(writer.log, counter: 9, tag: samples.identifier(), body: [], isTombstone: true),
            zone: zone.id,
            name: "unknown"
        )
        try await fixture.write { try $0.saveUnchanged([unknown]) }
        #expect(try await fixture.store.read { try $0.record(zone: zone.id, tag: unknown.tag) } == unknown)
        #expect(try await fixture.store.allChanges().count == 3, "what was never visible is not in the feed")
        #expect(try await fixture.store.read { try $0.newestPosition() } == 3)
        try await fixture.store.close()
    }
}
