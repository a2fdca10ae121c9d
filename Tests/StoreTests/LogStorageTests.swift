import Records
import Store
import Sync
import TestSupport
import Testing
import Wire

@Suite("Logs in the store")
struct LogStorageTests {
    @Test func `stored logs are read back equal, before and after a restart`() async throws {
        var fixture = try await StoreFixture()
        var samples = Samples(seed: 31)
        var zone = samples.zone()
        zone.state = .deleted(reason: "moved")
        zone.isUnverified = true
        zone.production = [1, 2, 3]
        zone.watermark = VersionVector([samples.identifier(): 5, samples.identifier(): 1 << 40])
        var writer = SampleWriter(samples: samples, log: samples.log(zone: zone.id))
        let stretch = writer.stretch(count: 40, bodyByteCount: 300)
        var log = stretch.log
        log.cut = LogCut(size: 3, root: samples.identifier())
        let (savedZone, savedLog) = (zone, log)
        try await fixture.write { transaction throws in
            try transaction.save(savedZone)
            try transaction.apply(stretch)
            try transaction.save(savedLog)
            #expect(try transaction.items(savedLog.key, from: 0, to: 40) == stretch.items)
        }
        for _ in 0..<2 {
            try await fixture.store.read { transaction throws in
                #expect(try transaction.zone(savedZone.id) == savedZone)
                #expect(try transaction.zones() == [savedZone])
                #expect(try transaction.log(savedLog.key) == savedLog)
                #expect(try transaction.logs(zone: savedZone.id) == [savedLog])
                #expect(try transaction.items(savedLog.key, from: 0, to: 40) == stretch.items)
                #expect(try transaction.items(savedLog.key, from: 7, to: 9) == Array(stretch.items[7..<9]))
                #expect(try transaction.items(savedLog.key, from: 40, to: 99) == [])
                #expect(try transaction.heads(savedLog.key, above: 0, limit: 9) == [stretch.head])
                #expect(try transaction.head(savedLog.key, atOrBelow: 39) == nil)
                #expect(try transaction.head(savedLog.key, atOrBelow: .max) == stretch.head)
            }
            try await fixture.reopen()
        }
        try await fixture.store.close()
    }

    @Test func `the compact form of headers is lossless`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 32)
        let zone: ZoneID = samples.identifier()
        for lane in [Lane.control, .data] {
            let log = samples.log(zone: zone, lane: lane)
            let actors: [ActorID] = (0..<20).map { _ in samples.identifier() }
            let states = lane == .data ? OperationState.allCases : [.pending, .live, .quarantined]
            var items: [StoredItem] = []
            for index in 0..<200 as Range<UInt64> {
                var vector = VersionVector()
                for actor in actors where samples.generator.next() % 3 == 0 {
                    vector[actor] = samples.generator.next() >> UInt64.random(in: 1...63, using: &samples.generator)
                }
                var stored = samples.operation(
                    log,
                    counter: index + 1,
                    tag: lane == .control ? .zero : samples.identifier(),
                    vector: vector,
                    body: samples.generator.bytes(Int(index)),
                    state: states[Int(index) % states.count],
                    isTombstone: lane == .data && index % 5 == 0
                )
                stored.operation.header.controlHeads = samples.identifier()
                stored.operation.header.epoch = lane == .control || index % 2 == 0 ? .zero : samples.identifier()
                stored.operation.header.time = HybridTime(raw: samples.generator.next())
                stored.operation.header.batch = BatchPlace(index: UInt32(index % 7), count: 7)
                let creator = stored.operation.header.vector.entries[0].actor
                stored.operation.header.creation = Dot(actor: creator, counter: 1)
                items.append(StoredItem(first: index, content: .operation(stored)))
            }
            let expected = items
            try await fixture.write { try $0.append(expected, key: log.key) }
            #expect(try await fixture.store.read { try $0.items(log.key, from: 0, to: 300) } == expected)
        }
        try await fixture.store.close()
    }

    @Test func `items are found by any leaf that they cover`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 33)
        let log = samples.log(zone: samples.identifier())
        let first = SubtreeGap(level: 3, index: 0, hash: samples.identifier())
        let second = SubtreeGap(level: 2, index: 2, hash: samples.identifier())
        let stored = samples.operation(log, counter: 13, tag: samples.identifier(), body: [1])
        let items = [
            StoredItem(first: 0, content: .gap(first)),
            StoredItem(first: 8, content: .gap(second)),
            StoredItem(first: 12, content: .operation(stored)),
        ]
        try await fixture.write { try $0.append(items, key: log.key) }
        try await fixture.store.read { transaction throws in
            for from in 0..<14 as Range<UInt64> {
                for to in from..<15 {
                    let expected = items.filter { $0.first < to && $0.first + $0.leafCount > from && from < to }
                    #expect(try transaction.items(log.key, from: from, to: to) == expected, "\(from)..<\(to)")
                }
            }
        }
        try await fixture.store.close()
    }

    @Test func `a gap replaces operations and the record keeps its body`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 34)
        let zone = samples.zone()
        var writer = SampleWriter(samples: samples, log: samples.log(zone: zone.id))
        let stretch = writer.stretch(count: 8, bodyByteCount: 100)
        let gap = SubtreeGap(level: 2, index: 1, hash: samples.identifier())
        try await fixture.write { transaction throws in
            try transaction.save(zone)
            try transaction.apply(stretch)
        }
        try await fixture.write { try $0.replace(stretch.log.key, first: [4, 5, 6, 7], with: [gap]) }
        try await fixture.store.read { transaction throws in
            let expected = Array(stretch.items[0..<4]) + [StoredItem(first: 4, content: .gap(gap))]
            #expect(try transaction.items(stretch.log.key, from: 0, to: 8) == expected)
            for record in stretch.records {
                #expect(try transaction.record(zone: zone.id, tag: record.tag) == record)
            }
            let tags = stretch.records.map(\.tag)
            #expect(try transaction.operations(zone: zone.id, tags: tags, states: [.live]).count == 4)
        }
        try await fixture.store.close()
    }

    @Test func `items that leave a hole or overlap are refused`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 35)
        let log = samples.log(zone: samples.identifier())
        let gap = StoredItem(first: 0, content: .gap(SubtreeGap(level: 2, index: 0, hash: .zero)))
        try await fixture.write { try $0.append([gap], key: log.key) }
        for counter in [3, 4, 6] as [UInt64] {
            let stored = samples.operation(log, counter: counter, tag: samples.identifier(), body: [1])
            let item = StoredItem(first: counter - 1, content: .operation(stored))
            await expectStorageError(.misuse) { try await fixture.write { try $0.append([item], key: log.key) } }
        }
        let stored = samples.operation(log, counter: 5, tag: samples.identifier(), body: [1])
        try await fixture.write { try $0.append([StoredItem(first: 4, content: .operation(stored))], key: log.key) }
        let unknown = StateChange(key: log.key, counter: 6, state: .live)
        await expectStorageError(.misuse) { try await fixture.write { try $0.setStates([unknown]) } }
        try await fixture.store.close()
    }

    @Test func `operations are found by record, state and order`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 36)
        let zone: ZoneID = samples.identifier()
        let tags: [RecordTag] = (0..<5).map { _ in samples.identifier() }
        var all: [StoredOperation] = []
        for _ in 0..<4 {
            let log = samples.log(zone: zone)
            var items: [StoredItem] = []
            for counter in 1...20 as ClosedRange<UInt64> {
                let stored = samples.operation(
                    log,
                    counter: counter,
                    tag: tags[Int(samples.generator.next() % 5)],
                    body: samples.generator.bytes(10),
                    state: OperationState.allCases[Int(samples.generator.next() % 4)]
                )
                all.append(stored)
                items.append(StoredItem(first: counter - 1, content: .operation(stored)))
            }
            let appended = items
            try await fixture.write { try $0.append(appended, key: log.key) }
        }
        // One change of state, which every way of reading must show.
        all[0].state = .quarantined
        let change = StateChange(
            key: LogKey(zone: zone, actor: all[0].actor, lane: .data),
            counter: 1,
            state: .quarantined
        )
        try await fixture.write { try $0.setStates([change]) }
        all.sort { ($0.operation.header.tag, $0.dot) < ($1.operation.header.tag, $1.dot) }
        let expected = all
        try await fixture.store.read { transaction throws in
            let live = try transaction.operations(zone: zone, tags: Array(tags[1...3]), states: [.live, .pending])
            #expect(
                live
                    == expected.filter {
                        tags[1...3].contains($0.operation.header.tag) && [.live, .pending].contains($0.state)
                    }
            )
            var after: RecordTag?
            var summaries: [OperationSummary] = []
            while true {
                let page = try transaction.summaries(zone: zone, after: after, limit: 7)
                guard let last = page.last else { break }
                #expect(page.first?.tag != after)
                summaries += page
                after = last.tag
            }
            #expect(summaries.map(\.dot) == expected.map(\.dot))
            #expect(summaries.map(\.vector) == expected.map(\.operation.header.vector))
            #expect(summaries.map(\.state) == expected.map(\.state))
        }
        try await fixture.store.close()
    }

    @Test func `heads are deleted by size and paged by size`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 37)
        var writer = SampleWriter(samples: samples, log: samples.log(zone: samples.identifier()))
        let stretches = (0..<6).map { _ in writer.stretch(count: 3, bodyByteCount: 1) }
        let key = writer.log.key
        for stretch in stretches { try await fixture.store.apply(stretch) }
        try await fixture.write { try $0.deleteHeads(key, sizes: [6, 7, .max]) }
        try await fixture.store.read { transaction throws in
            #expect(try transaction.heads(key, above: 3, limit: 2).map(\.size) == [9, 12])
            #expect(try transaction.head(key, atOrBelow: 8)?.size == 3)
        }
        try await fixture.store.close()
    }
}
