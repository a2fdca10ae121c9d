import Node
import Records
import Store
import Sync
import TestSupport
import Testing
import Wire

private struct Refusal: Error, Equatable {}

@Suite("A group of jobs")
struct GroupCommitTests {
    @Test func `gives each job its result, in order`() async throws {
        let fixture = try await StoreFixture()
        let results = try await fixture.store.commit((0..<10).map { index -> StorageJob<Int> in { _ in index } })
        #expect(try results.map { try $0.get() } == Array(0..<10))
        #expect(try await fixture.store.commit([StorageJob<Void>]()).isEmpty)
        try await fixture.store.close()
    }

    @Test func `a job that throws is undone and the others stand`() async throws {
        let fixture = try await StoreFixture()
        let results = try await fixture.store.commit([
            job { try $0.setValue([1], named: "first") },
            job { transaction throws in
                try transaction.setValue([9], named: "first")
                try transaction.setValue([2], named: "second")
                throw Refusal()
            },
            job { try $0.setValue([3], named: "third") },
        ])
        #expect(throws: Refusal.self) { try results[1].get() }
        let values = try await fixture.store.read { transaction throws in
            try ["first", "second", "third"].map { try transaction.value(named: $0) }
        }
        #expect(values == [[1], nil, [3]])
        try await fixture.store.close()
    }

    @Test func `a job sees the effects of earlier jobs of its group`() async throws {
        let fixture = try await StoreFixture()
        let jobs: [StorageJob<[UInt8]?>] = [
            { transaction in
                try transaction.setValue([1], named: "a")
                return nil
            },
            { transaction in try transaction.value(named: "a") },
        ]
        let results = try await fixture.store.commit(jobs)
        #expect(try results[1].get() == [1])
        try await fixture.store.close()
    }

    @Test func `interned numbers of a job that was undone are not used by the next`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 3)
        let zone = samples.zone()
        var writer = SampleWriter(samples: samples, log: samples.log(zone: zone.id))
        let stretch = writer.stretch(count: 20, bodyByteCount: 50)
        let results = try await fixture.store.commit([
            job { transaction throws in
                try transaction.save(zone)
                try transaction.apply(stretch)
                throw Refusal()
            },
            job { transaction throws in
                #expect(try transaction.zone(zone.id) == nil)
                #expect(try transaction.log(stretch.log.key) == nil)
                #expect(try transaction.newestPosition() == 0)
                #expect(try transaction.recordCount(zone: zone.id) == 0)
                try transaction.save(zone)
                try transaction.apply(stretch)
            },
            job { transaction throws in
                try transaction.setValue([1], named: "unrelated")
                throw Refusal()
            },
        ])
        _ = try results[1].get()
        try await fixture.store.read { transaction throws in
            #expect(try transaction.items(stretch.log.key, from: 0, to: 20) == stretch.items)
            #expect(try transaction.recordCount(zone: zone.id) == 20)
            #expect(try transaction.newestPosition() == 20)
            #expect(try transaction.log(stretch.log.key) == stretch.log)
        }
        try await fixture.store.close()
    }

    @Test func `a group in which every job throws changes nothing, also when it is one job`() async throws {
        let fixture = try await StoreFixture()
        for count in 1...2 {
            let refused = job { transaction in
                _ = try transaction.nextCommitNumber()
                throw Refusal()
            }
            let results = try await fixture.store.commit(Array(repeating: refused, count: count))
            #expect(results.count == count)
            for result in results {
                #expect(throws: Refusal.self) { try result.get() }
            }
        }
        #expect(try await fixture.store.write { try $0.nextCommitNumber() } == 1)
        try await fixture.store.close()
    }

    @Test func `random groups leave the same content as a plain dictionary after the jobs that did not throw`()
        async throws
    {
        var generator = SeededGenerator(seed: 0x6A6F_6273)
        var fixture = try await StoreFixture()
        var expected: [String: [UInt8]] = [:]
        for _ in 0..<40 {
            var jobs: [StorageJob<Void>] = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let changes = (0..<3).map { _ in
                    (name: "\(generator.next() % 8)", value: generator.next() % 4 == 0 ? nil : generator.bytes(4))
                }
                let throwsAfter = generator.next() % 3 == 0 ? Int(generator.next() % 3) : nil
                let added = job { transaction in
                    for (index, change) in changes.enumerated() {
                        try transaction.setValue(change.value, named: change.name)
                        if index == throwsAfter { throw Refusal() }
                    }
                }
                jobs.append(added)
                if throwsAfter == nil {
                    for change in changes { expected[change.name] = change.value }
                }
            }
            _ = try await fixture.store.commit(jobs)
            let held = try await fixture.store.read { transaction throws in
                try (0..<8).reduce(into: [String: [UInt8]]()) { $0["\($1)"] = try transaction.value(named: "\($1)") }
            }
            #expect(held == expected)
        }
        try await fixture.reopen()
        let held = try await fixture.store.read { transaction throws in
            try (0..<8).reduce(into: [String: [UInt8]]()) { $0["\($1)"] = try transaction.value(named: "\($1)") }
        }
        #expect(held == expected)
        try await fixture.store.close()
    }

    @Test func `a reading transaction cannot write`() async throws {
        let fixture = try await StoreFixture()
        await expectStorageError(.misuse) {
            try await fixture.store.read { transaction throws in
                var transaction = transaction
                try transaction.setValue([1], named: "a")
            }
        }
        await expectStorageError(.misuse) {
            try await fixture.store.read { transaction throws in
                var transaction = transaction
                _ = try transaction.nextCommitNumber()
            }
        }
        try await fixture.store.close()
    }

    @Test func `a reader keeps its snapshot during a commit`() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        try await store.write { try $0.setValue([1], named: "a") }
        let (began, beganContinuation) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        async let seen = store.read { transaction throws in
            let before = try transaction.value(named: "a")
            beganContinuation.finish()
            gate.wait()
            return [before, try transaction.value(named: "a")]
        }
        for await _ in began {}
        try await store.write { try $0.setValue([2], named: "a") }
        gate.open()
        #expect(try await seen == [[1], [1]])
        #expect(try await store.read { try $0.value(named: "a") } == [2])
        try await store.close()
    }

    @Test func `commits from many tasks all take effect`() async throws {
        let fixture = try await StoreFixture()
        let store = fixture.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask { _ = try await store.write { try $0.nextCommitNumber() } }
            }
            try await group.waitForAll()
        }
        #expect(try await store.write { try $0.nextCommitNumber() } == 201)
        try await store.close()
    }
}
