import Node
import Records
import Store
import Sync
import TestSupport
import Testing
import Wire

private struct Refusal: Error {}

/// The rows that the store should hold, as plain dictionaries.
private struct ExpectedRows: Equatable {
    var zones: [ZoneID: ZoneRow] = [:]
    var logs: [LogKey: LogRow] = [:]
    var heads: [LogKey: [UInt64: HeadRow]] = [:]

    func heads(_ key: LogKey) -> [HeadRow] {
        (heads[key] ?? [:]).values.sorted { $0.size < $1.size }
    }
}

/// A change of rows, as a value, so that the same one is made to the store and to the dictionaries.
private enum RowChange {
    case zone(ZoneRow)
    case log(LogRow)
    case head(HeadRow, LogKey)
    case deletedHead(UInt64, LogKey)

    func apply(to rows: inout ExpectedRows) {
        switch self {
        case .zone(let zone): rows.zones[zone.id] = zone
        case .log(let log): rows.logs[log.key] = log
        case .head(let head, let key): rows.heads[key, default: [:]][head.size] = head
        case .deletedHead(let size, let key): rows.heads[key]?[size] = nil
        }
    }

    func apply(to transaction: inout any NodeTransaction) throws {
        switch self {
        case .zone(let zone): try transaction.save(zone)
        case .log(let log): try transaction.save(log)
        case .head(let head, let key): try transaction.insert(head, key: key)
        case .deletedHead(let size, let key): try transaction.deleteHeads(key, sizes: [size])
        }
    }
}

@Suite("Rows that the writing connection remembers")
struct KnownRowsTests {
    private var samples: Samples
    private let zones: [ZoneRow]
    private let logs: [LogRow]

    init() {
        var samples = Samples(seed: 0x726F_7773)
        let zones = (0..<3).map { _ in samples.zone() }
        self.zones = zones
        logs = zones.flatMap { zone in
            [Lane.control, .data, .data].map { samples.log(zone: zone.id, lane: $0) }
        }
        self.samples = samples
    }

    /// A change that the rows permit: a head is inserted once, and above the log's others or between them.
    private mutating func change(of rows: ExpectedRows) -> RowChange {
        let log = logs[Int(samples.generator.next() % UInt64(logs.count))]
        switch samples.generator.next() % 8 {
        case 0, 1:
            var zone = zones[Int(samples.generator.next() % UInt64(zones.count))]
            zone.production = samples.generator.bytes(3)
            return .zone(zone)
        case 2, 3, 4:
            var log = log
            for _ in 0..<samples.generator.next() % 40 { log.frontier.append(samples.identifier()) }
            log.size = log.frontier.size
            log.byteCount = log.size
            return .log(log)
        case 5, 6:
            var log = rows.logs[log.key] ?? log
            for _ in 0...samples.generator.next() % 9 { log.frontier.append(samples.identifier()) }
            log.size = log.frontier.size
            let head = samples.head(log)
            guard rows.logs[log.key] != nil, rows.heads[log.key]?[head.size] == nil else { return .log(log) }
            return .head(head, log.key)
        default:
            guard let head = rows.heads(log.key).randomElement(using: &samples.generator) else { return .log(log) }
            return .deletedHead(head.size, log.key)
        }
    }

    @Test func `are those of the jobs that were not undone, in every order of reads and writes`() async throws {
        var test = self
        var fixture = try await StoreFixture()
        var expected = ExpectedRows()
        for round in 0..<48 {
            var jobs: [StorageJob<Void>] = []
            for _ in 0..<1 + test.samples.generator.next() % 4 {
                var rows = expected
                let (seenBefore, reads) = (rows, test.samples.generator.next() % 2 == 0)
                var changes: [RowChange] = []
                for _ in 0..<1 + test.samples.generator.next() % 6 {
                    let change = test.change(of: rows)
                    change.apply(to: &rows)
                    changes.append(change)
                }
                let isUndone = test.samples.generator.next() % 3 == 0
                let added = job { [changes, rows, logs = test.logs, zones = test.zones] transaction in
                    if reads { try Self.compare(transaction, with: seenBefore, logs, zones) }
                    for change in changes { try change.apply(to: &transaction) }
                    try Self.compare(transaction, with: rows, logs, zones)
                    if isUndone { throw Refusal() }
                }
                jobs.append(added)
                if !isUndone { expected = rows }
            }
            for result in try await fixture.store.commit(jobs) {
                do { try result.get() } catch is Refusal {}
            }
            if round % 16 == 15 { try await fixture.reopen() }
            try await fixture.store.read { [expected, logs = test.logs, zones = test.zones] transaction in
                try Self.compare(transaction, with: expected, logs, zones)
            }
        }
        try await fixture.store.close()
    }

    @Test func `a job that goes on after a refused append continues where the items end`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 77)
        let zone = samples.zone()
        var writer = SampleWriter(samples: samples, log: samples.log(zone: zone.id))
        let (first, second) = (writer.stretch(count: 3, bodyByteCount: 20), writer.stretch(count: 3, bodyByteCount: 20))
        try await fixture.write { transaction in
            try transaction.save(zone)
            try transaction.apply(first)
            // Its first item continues the log, and its second leaves one out.
            let torn = [second.items[0], second.items[2]]
            #expect(throws: StorageError.self) { try transaction.append(torn, key: first.log.key) }
            #expect(throws: StorageError.self) { try transaction.append([second.items[0]], key: first.log.key) }
            try transaction.append(Array(second.items[1...]), key: first.log.key)
            #expect(try transaction.items(first.log.key, from: 0, to: 6) == first.items + second.items)
        }
        try await fixture.store.close()
    }

    @Test func `of the node's own records are those of the jobs that were not undone`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 78)
        let genesis = ZoneGenesis(
            owner: samples.identifier(),
            container: ZoneGenesis.internalContainerPrefix + "test",
            name: "book",
            salt: [UInt8](repeating: 7, count: 32),
            history: .full,
            isDefault: true
        )
        let zone = ZoneRow(id: samples.identifier(), genesis: genesis, tagKey: [UInt8](repeating: 8, count: 32))
        var writer = SampleWriter(samples: samples, log: samples.log(zone: zone.id))
        let stretch = writer.stretch(count: 1, bodyByteCount: 20)
        let first = try #require(stretch.records.first)
        let second = {
            var row = first
            row.time = HybridTime(raw: row.time.raw + 1)
            return row
        }()
        try await fixture.write { transaction in
            try transaction.save(zone)
            try transaction.apply(stretch)
        }
        let jobs: [StorageJob<[RecordRow?]>] = [
            { transaction in
                let before = try transaction.record(zone: zone.id, tag: first.tag)
                try transaction.save([second], bySync: false)
                return [before, try transaction.record(zone: zone.id, tag: first.tag)]
            },
            { transaction in
                try transaction.save([first], bySync: false)
                throw Refusal()
            },
            { transaction in [try transaction.record(zone: zone.id, tag: first.tag)] },
        ]
        let results = try await fixture.store.commit(jobs)
        #expect(try results[0].get() == [first, second])
        #expect(throws: Refusal.self) { try results[1].get() }
        #expect(try results[2].get() == [second])
        try await fixture.store.close()
    }

    private static func compare(
        _ transaction: any NodeTransaction,
        with rows: ExpectedRows,
        _ logs: [LogRow],
        _ zones: [ZoneRow]
    ) throws {
        for zone in zones {
            #expect(try transaction.zone(zone.id) == rows.zones[zone.id])
            let expected = rows.logs.values.filter { $0.key.zone == zone.id }.sorted { $0.key < $1.key }
            #expect(try transaction.logs(zone: zone.id) == expected)
        }
        for (index, log) in logs.enumerated() {
            #expect(try transaction.log(log.key) == rows.logs[log.key])
            let heads = rows.heads(log.key)
            // In an order that differs from log to log: each answer may come from the rows that an earlier one has left.
            let sizes = [0, 5, 9, 20, 26, 31, 48, UInt64.max]
            let first = 3 * index % sizes.count
            for size in sizes[first...] + sizes[..<first] {
                #expect(try transaction.head(log.key, atOrBelow: size) == heads.last { $0.size <= size })
                for limit in [2, 100] {
                    let above = heads.filter { $0.size > size }.prefix(limit)
                    #expect(try transaction.heads(log.key, above: size, limit: limit) == Array(above))
                }
            }
        }
    }
}
