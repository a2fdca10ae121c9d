import Glibc
import Node
import Records
import Store
import Sync
import Synchronization
import TestSupport
import Testing
import Wire

private struct Refusal: Error {}

/// Whether something has happened.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

/// The calling thread.
private func thread() -> UInt { UInt(pthread_self()) }

@Suite("A task on the store's thread")
struct WriterThreadTests {
    @Test func `commits and reads there`() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let threads = try await withTaskExecutorPreference(store.writer) {
            let written = try await store.commit { _ in thread() }
            return [thread(), written, try await store.readBriefly { _ in thread() }, thread()]
        }
        #expect(Set(threads).count == 1)
        #expect(try await store.commit { _ in thread() } != threads[0])
        try await store.close()
    }

    @Test func `has a job that throws undone, and the others stand`() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let values = try await withTaskExecutorPreference(store.writer) {
            let results = try await store.commit([
                job { try $0.setValue([1], named: "first") },
                job { transaction in
                    try transaction.setValue([9], named: "first")
                    throw Refusal()
                },
                job { try $0.setValue([3], named: "third") },
            ])
            #expect(throws: Refusal.self) { try results[1].get() }
            return try await store.readBriefly { transaction in
                try ["first", "third"].map { try transaction.value(named: $0) }
            }
        }
        #expect(values == [[1], [3]])
        try await store.close()
    }

    @Test func `takes turns with tasks elsewhere, and no commit is lost`() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        let count: StorageJob<Void> = { transaction in
            let before = try transaction.value(named: "count")?.first ?? 0
            try transaction.setValue([before + 1], named: "count")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask(executorPreference: index.isMultiple(of: 2) ? store.writer : nil) {
                    try await store.commit(count)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.read { try $0.value(named: "count") } == [100])
        try await store.close()
    }

    @Test func `is refused once the store is closed`() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        try await store.close()
        await withTaskExecutorPreference(store.writer) {
            await #expect { try await store.commit { _ in } } throws: { ($0 as? StorageError)?.code == .closed }
            await #expect { try await store.readBriefly { _ in } } throws: { ($0 as? StorageError)?.code == .closed }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `gives a connection back while another one commits`() async throws {
        let fixture = try await StoreFixture(settings: StoreSettings(readerCountMax: 1))
        let (store, commits, ends) = (fixture.store, Gate(), Gate())
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: store.writer) {
                try await store.read { _ in
                    begin.yield()
                    commits.wait()
                }
            }
            var beginnings = begun.makeAsyncIterator()
            await beginnings.next()
            group.addTask(executorPreference: store.writer) {
                try await store.commit { _ in
                    commits.open()
                    ends.wait()
                }
            }
            #expect(try await store.read { try $0.value(named: "none") } == nil)
            ends.open()
            try await group.waitForAll()
        }
        try await store.close()
    }

    @Test(.timeLimit(.minutes(5)))
    func `has its turn between the commits of a queue, however many follow`() async throws {
        let fixture = try await StoreFixture()
        let queue = CommitQueue(storage: fixture.store)
        let hadTurn = Flag()
        @Sendable func commit() {
            guard !hadTurn.isSet else { return queue.stop() }
            let job: StorageJob<Void> = { _ in }
            _ = queue.enqueue(job) { _ in commit() }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: fixture.store.writer) { await queue.run() }
            group.addTask(executorPreference: fixture.store.writer) {
                commit()
                for _ in 0..<9 { await Task.yield() }
                hadTurn.set()
            }
        }
        try await fixture.store.close()
    }

    @Test(.timeLimit(.minutes(5))) func `goes on committing while a brief read waits for a connection`() async throws {
        let fixture = try await StoreFixture(settings: StoreSettings(readerCountMax: 2))
        let (store, gate) = (fixture.store, Gate())
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            for _ in 0..<2 {
                group.addTask {
                    try await store.read { _ in
                        begin.yield()
                        gate.wait()
                    }
                }
            }
            var beginnings = begun.makeAsyncIterator()
            for _ in 0..<2 { await beginnings.next() }
            try await withTaskExecutorPreference(store.writer) {
                async let value = store.readBriefly { try $0.value(named: "late") }
                try await store.commit { try $0.setValue([1], named: "late") }
                for _ in 0..<2 { gate.open() }
                _ = try await value
            }
            try await group.waitForAll()
        }
        try await store.close()
    }
}

@Suite("A question to the store")
struct BriefQuestionTests {
    @Test func `is brief where the peer stands closely behind the log`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 64)
        let zone = samples.zone()
        var log = samples.log(zone: zone.id)
        for _ in 0..<100 { log.frontier.append(samples.identifier()) }
        (log.size, log.byteCount) = (100, 100)
        let isBrief = try await fixture.write { [log] transaction in
            try transaction.save(zone)
            try transaction.save(log)
            return try [100, 36, 35, 0].map { from in
                try StoreRead.run(1, log.key, from: from, byteCount: 1 << 20).isBrief(in: transaction)
            } + [StoreRead.skeleton(1, log.key).isBrief(in: transaction)]
        }
        #expect(isBrief == [true, true, false, false, false])
        try await fixture.store.close()
    }
}
