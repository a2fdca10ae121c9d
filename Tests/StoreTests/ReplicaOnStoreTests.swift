import Node
import Records
import ReplicaBehaviour
import Store
import Sync
import TestSupport
import Testing
import Wire

/// One action of a replica that can run in two kinds of storage.
private enum Step: Sendable {
    case commit(writes: [RecordWrite], isAtomic: Bool, author: TestAuthor, wall: UInt64)
    case receive(Run, wall: UInt64)
    case checkpoint(author: TestAuthor, acknowledged: [LogKey: UInt64], devices: Set<DeviceID>, wall: UInt64)
    case adopt
    case cut(DeviceID, wall: UInt64)

    /// Performs the step.
    /// - Returns: The result that the caller receives, as text.
    func perform(in transaction: inout some ReplicaTransaction) throws -> String {
        switch self {
        case .commit(let writes, let isAtomic, let author, let wall):
            let commit = try transaction.commit(writes, isAtomic: isAtomic, by: author, at: wall)
            return "\(commit.number.map(String.init) ?? "-") \(commit.size) \(commit.changed.map(\.version.text))"
        case .receive(let run, let wall):
            guard case .stored(let applied) = try transaction.receive(run, at: wall) else { return "not stored" }
            return "\(applied.storedCount) \(applied.appliedCount) \(applied.changed.map(\.version.text))"
        case .checkpoint(let author, let acknowledged, let devices, let wall):
            let due = try Checkpoints(of: TestZone.id).due(
                acknowledged: Dictionary(uniqueKeysWithValues: devices.map { ($0, acknowledged) }),
                activeDevices: devices,
                ownDevice: author.author.device,
                nowMilliseconds: .max / 2,
                lastMilliseconds: 0,
                in: transaction
            )
            guard let due else { return "none due" }
            let head = try transaction.commit(.checkpoint(due), by: author, at: wall)
            return "\(due.liveCount) \(due.liveRoot) \(head?.head.size ?? 0)"
        case .adopt:
            return "\(try Checkpoints(of: TestZone.id).adoptAndPrune(in: &transaction))"
        case .cut(let device, let wall):
            let outcome = try transaction.applyCuts(
                nil,
                of: device,
                zone: TestZone.id,
                wallMilliseconds: wall
            )
            return "\(outcome.changed.map(\.version.text))"
        }
    }
}

/// Everything that a replica reads from storage.
private struct Contents: Equatable, Sendable {
    var zones: [ZoneRow]
    var logs: [LogRow]
    var heads: [[HeadRow]]
    var items: [[StoredItem]]
    var summaries: [OperationSummary]
    var operations: [StoredOperation]
    var records: [RecordRow]
    var clock: HybridClock

    init(_ transaction: some ReplicaTransaction) throws {
        zones = try transaction.zones()
        logs = try transaction.logs(zone: TestZone.id)
        heads = try logs.map { try transaction.heads($0.key, above: 0, limit: .max) }
        items = try logs.map { try transaction.items($0.key, from: 0, to: .max) }
        summaries = try transaction.summaries(zone: TestZone.id, after: nil, limit: .max)
        let tags = try (0..<8).map { try RecordTag(of: "r\($0)", zone: TestZone.id, in: transaction) }.sorted()
        operations = try transaction.operations(zone: TestZone.id, tags: tags, states: [.live, .superseded])
        records = try transaction.records(zone: TestZone.id, tags: tags).sorted { $0.tag < $1.tag }
        clock = try transaction.clock()
    }
}

/// Some replicas, each kept twice: in memory and in a store.
private struct Lockstep {
    var random: SeededGenerator
    var memories: [MemoryReplica] = []
    var fixtures: [StoreFixture] = []
    var authors: [TestAuthor]
    var wall: UInt64 = 1_000_000

    init(seed: UInt64, replicaCount: Int) async throws {
        random = SeededGenerator(seed: seed)
        authors = (0..<replicaCount).map { TestAuthor(UInt8($0)) }
        for _ in 0..<replicaCount {
            var memory = MemoryReplica()
            try memory.createTestZone()
            memories.append(memory)
            let fixture = try await StoreFixture()
            try await fixture.write { try $0.createTestZone() }
            fixtures.append(fixture)
        }
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// Does a step in both kinds of storage and expects the same outcome.
    mutating func perform(_ step: Step, on index: Int) async throws {
        let before = memories[index]
        let inMemory = Result { try step.perform(in: &memories[index]) }
        if case .failure = inMemory { memories[index] = before }
        let job: StorageJob<String> = { try step.perform(in: &$0) }
        let inStore = try await fixtures[index].store.commit([job])[0]
        switch (inMemory, inStore) {
        case (.success(let expected), .success(let found)): #expect(found == expected)
        case (.failure(let expected), .failure(let found)): #expect("\(found)" == "\(expected)")
        default: Issue.record("memory: \(inMemory), store: \(inStore), step: \(step)")
        }
    }

    mutating func randomWrite() -> RecordWrite {
        let name = "r\(number(0...7))"
        if number(1...6) == 1 { return .deletion(name) }
        var write = RecordWrite(name: name, type: "note")
        write.set.append(.init(field: "f\(number(0...2))", value: .int64(Int64(number(0...9)))))
        if number(1...3) == 1 { write.increments = [.init(field: "count", amount: Int64(number(-3...5)))] }
        if number(1...4) == 1 { write.resolve = true }
        return write
    }

    mutating func step() async throws {
        wall += UInt64(number(0...5))
        let index = number(0...(memories.count - 1))
        switch number(1...12) {
        case 1...4:
            let writes = (0..<number(1...4)).map { _ in randomWrite() }
            let isAtomic = number(1...2) == 1
            try await perform(
                .commit(writes: writes, isAtomic: isAtomic, author: authors[index], wall: wall),
                on: index
            )
        case 5:
            var acknowledged: [LogKey: UInt64] = [:]
            for row in try memories[index].logs(zone: TestZone.id) {
                acknowledged[row.key] = try memories.map { try $0.log(row.key)?.appliedSize ?? 0 }.min()
            }
            let devices = Set(authors.map(\.author.device))
            try await perform(
                .checkpoint(author: authors[index], acknowledged: acknowledged, devices: devices, wall: wall),
                on: index
            )
        case 6:
            try await perform(.adopt, on: index)
        default:
            try await exchange(to: index)
        }
    }

    /// Takes one run of another replica, which must be the same from memory and from the store.
    mutating func exchange(to index: Int) async throws {
        let other = number(0...(memories.count - 1))
        let logs = try memories[other].logs(zone: TestZone.id)
        guard other != index, let log = logs.randomElement(using: &random) else { return }
        let start = try memories[index].log(log.key)?.size ?? 0
        let budget = number(1...2) == 1 ? 1 : UInt64(1_000_000)
        let memory = memories[other]
        let expected = Result { try memory.run(log.key, from: start, byteCount: budget)?.encoded }
        let found = try await fixtures[other].store.read { transaction in
            Result { try transaction.run(log.key, from: start, byteCount: budget)?.encoded }
        }
        guard case .success(let bytes) = expected else {
            #expect(throws: (any Error).self) { try found.get() }
            return
        }
        #expect(try found.get() == bytes)
        guard let bytes else { return }
        try await perform(.receive(try Run(decoding: bytes), wall: wall), on: index)
    }

    /// Expects the same contents, and feeds that name the same records in the same order.
    func compare(_ seed: UInt64) async throws {
        for (memory, fixture) in zip(memories, fixtures) {
            let expected = try Contents(memory)
            let found = try await fixture.store.read { try Contents($0) }
            #expect(found == expected, "seed \(seed)")
            var newest: [RecordTag: MemoryReplica.Change] = [:]
            for change in memory.changes { newest[change.tag] = change }
            let feed = try await fixture.store.allChanges()
            let changes = newest.values.sorted { $0.position < $1.position }
            #expect(feed.map(\.position) == changes.map(\.position), "seed \(seed)")
            #expect(feed.map(\.record.tag) == changes.map(\.tag), "seed \(seed)")
            #expect(feed.map(\.bySync) == changes.map(\.bySync), "seed \(seed)")
        }
    }
}

@Suite("A replica in the store")
struct ReplicaOnStoreTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `equals a replica in memory, across restarts`(seed: UInt64) async throws {
        var lockstep = try await Lockstep(seed: seed, replicaCount: 3)
        for round in 0..<160 {
            try await lockstep.step()
            if round % 40 == 39 {
                let index = lockstep.number(0...2)
                try await lockstep.fixtures[index].reopen()
                try await lockstep.compare(seed)
            }
        }
        let removed = lockstep.authors[2].author.device
        try await lockstep.perform(.cut(removed, wall: lockstep.wall), on: 0)
        try await lockstep.compare(seed)
        for fixture in lockstep.fixtures {
            #expect(try await fixture.store.quickCheck() == [])
            try await fixture.store.close()
        }
    }
}
