import FoundationEssentials
import TestSupport
import Testing

@testable import KairanClient

@Suite struct `The decisions of a sync engine` {
    @Test(arguments: 0..<200)
    func `each edit is applied once and both sides are equal, despite failures and crashes`(
        seed: UInt64
    ) throws {
        var run = EngineRun(generator: SeededGenerator(seed: seed))
        run.failurePercent = Int.random(in: 0...60, using: &run.generator)
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"]
        var made: [String: [RecordValue]] = [:]
        for number in 0..<Int64(150) {
            let name = names[Int.random(in: 0..<names.count, using: &run.generator)]
            switch Int.random(in: 0..<20, using: &run.generator) {
            case 0..<7:
                run.application.edit(name, .integer(number))
                made[name, default: []].append(.integer(number))
            case 7..<11:
                run.daemon.edit(name, by: .integer(number))
                made[name, default: []].append(.integer(number))
                run.notice()
            case 11: try run.application.crash()
            case 12: run.daemon.restore()
            case 13: run.application.core.disconnected(at: run.now)
            default: for _ in 0..<Int.random(in: 1...12, using: &run.generator) { _ = try run.step() }
            }
        }
        run.failurePercent = 0
        run.notice()
        let stepsBefore = run.steps
        while try run.step() { try #require(run.steps - stepsBefore < 5000, "seed \(seed): it does not come to rest") }
        for name in names {
            let stored = ModelDaemon.edits(run.daemon.records[name]?.fields)
            let numbers = stored.compactMap { if case .integer(let number) = $0 { number } else { nil } }
            let expected = (made[name] ?? []).compactMap { if case .integer(let number) = $0 { number } else { nil } }
            #expect(numbers.sorted() == expected.sorted(), "seed \(seed), \(name)")
            #expect(ModelDaemon.sum(run.daemon.records[name]?.fields) == Int64(numbers.count), "seed \(seed), \(name)")
            #expect(run.application.logs[name]?.edits ?? [] == stored, "seed \(seed), \(name)")
        }
        #expect(run.application.core.storable.pending.count == 0 && run.application.failed.isEmpty, "seed \(seed)")
    }

    @Test func `a change that can never be saved does not stop the others, is kept, and is shown`() throws {
        var run = EngineRun(generator: SeededGenerator(seed: 1))
        for name in ["a", "bad1", "b", "c", "bad2", "d"] { run.application.edit(name, 1) }
        while try run.step() {}
        #expect(run.daemon.records.keys.sorted() == ["a", "b", "c", "d"])
        #expect(run.application.failed.map(\.id.name) == ["bad1", "bad2"])
        #expect(run.application.core.storable.pending.count == 2)
        try run.application.crash()
        while try run.step() {}
        #expect(run.application.failed.count == 2, "it was sent again, though nobody asked for that")
    }

    @Test(arguments: [ZoneDeparture.Reason.deleted, .left, .moved])
    func `a removed zone is reported with its reason, and its pending changes are returned and not lost`(
        reason: ZoneDeparture.Reason
    ) throws {
        var run = EngineRun(generator: SeededGenerator(seed: 5))
        while try run.step() {}
        for name in ["a", "b", "c"] { run.application.edit(name, 1) }
        // The zone goes right after the application has described the changes to save.
        while true {
            let effect = run.application.core.next(at: run.now)
            if case .deliver(let event) = effect { run.application.handle(event) }
            guard case .describe(let ids) = effect else { continue }
            run.application.core.described(ids.map { run.application.draft($0.name) })
            break
        }
        run.isDeleted = reason == .deleted
        var elsewhere = ModelDaemon.description
        elsewhere.database = .public
        run.zones = reason == .moved ? [elsewhere] : []
        run.application.core.noticedZones()
        while try run.step() {}
        #expect(run.application.departures == [ZoneDeparture(zone: "z", reason: reason)])
        #expect(run.application.problems == Array(repeating: "zone.\(reason)", count: 3))
        #expect(run.daemon.records.isEmpty && run.application.state.zones.isEmpty)
        #expect(run.application.state.pending.count == 3)
        try run.application.crash()
        while try run.step() {}
        #expect(run.application.problems.count == 3 && run.application.departures.count == 1, "told twice")

        run.zones = [ModelDaemon.description]
        run.application.core.noticedZones()
        while try run.step() {}
        #expect(run.daemon.records.keys.sorted() == ["a", "b", "c"] && run.application.state.pending.count == 0)
    }

    @Test func `a zone that appears while the list of zones is requested causes a further request`() throws {
        var core = EngineCore(scope: ModelApplication.scope, state: .init())
        func asksForZones() -> Bool {
            while true {
                switch core.next(at: 0) {
                case .deliver, .connect: continue
                case .listZones: return true
                default: return false
                }
            }
        }
        _ = asksForZones()
        core.connected()
        #expect(asksForZones())
        core.noticed(zone: "new")
        core.listed([], account: nil)
        #expect(asksForZones(), "the list may have been made before the zone")
        core.listed([], account: nil)
        #expect(!asksForZones())
    }

    @Test func `records whose names only look the same are two records`() throws {
        var run = EngineRun(generator: SeededGenerator(seed: 6))
        run.application.core.add(["\u{E9}", "e\u{301}"].map { .save(RecordID(zone: "z", name: $0)) })
        #expect(run.application.core.storable.pending.count == 2)
        #expect(Set(["\u{E9}", "e\u{301}", "\u{E9}"].map { RecordID(zone: "z", name: $0) }).count == 2)
    }

    @Test func `own saves are not reported as changes, those of others are`() throws {
        var run = EngineRun(generator: SeededGenerator(seed: 2))
        run.application.edit("a", 1)
        while try run.step() {}
        run.notice()
        var told: [String] = []
        func drain() throws {
            while true {
                let effect = run.application.core.next(at: run.now)
                switch effect {
                case .deliver(.fetchedRecordZoneChanges(_, let changes)): told += changes.map(\.record.name)
                case .deliver: break
                case .fetch(let zone, let token):
                    run.application.core.fetched(try run.daemon.changes(since: token, limit: 10), zone: zone)
                default: return
                }
            }
        }
        try drain()
        #expect(told.isEmpty)
        run.daemon.edit("a", by: 2)
        run.notice()
        try drain()
        #expect(told == ["a"])
    }

    @Test func `the state to store is never ahead of the changes delivered to the application`() throws {
        var run = EngineRun(generator: SeededGenerator(seed: 3))
        while try run.step() {}
        run.daemon.edit("a", by: 1)
        run.notice()
        guard case .fetch(let zone, let token) = run.application.core.next(at: run.now) else {
            Issue.record("nothing is fetched")
            return
        }
        run.application.core.fetched(try run.daemon.changes(since: token, limit: 10), zone: zone)
        // The page has arrived, the application has not processed it, stores its state, and crashes.
        run.application.edit("b", 2)
        try run.application.crash()
        while try run.step() {}
        #expect(run.application.logs["a"]?.edits == [1])
        #expect(ModelDaemon.edits(run.daemon.records["b"]?.fields) == [2])
    }

    @Test func `a save whose answer was lost is not reported as a conflict`() throws {
        var run = EngineRun(generator: SeededGenerator(seed: 4))
        run.application.edit("a", 1)
        while true {
            let effect = run.application.core.next(at: run.now)
            if case .send(_, let writes) = effect {
                for write in writes { _ = run.daemon.perform(write) }
                run.application.core.sendFailed(.model("daemon.interrupted", isRetryable: true), at: run.now)
                break
            }
            switch effect {
            case .deliver(let event): run.application.handle(event)
            case .connect: run.application.core.connected()
            case .listZones: run.application.core.listed([ModelDaemon.description], account: "me")
            case .fetch(let zone, let token):
                run.application.core.fetched(try run.daemon.changes(since: token, limit: 10), zone: zone)
            case .describe(let ids): run.application.core.described(ids.map { run.application.draft($0.name) })
            default:
                Issue.record("unexpected: \(effect)")
                return
            }
        }
        while try run.step() {}
        #expect(run.application.conflicts == 0)
        #expect(ModelDaemon.edits(run.daemon.records["a"]?.fields) == [1])
    }

    @Test func `concurrent changes of counters add up, and one with a lost answer is counted once`()
        throws
    {
        func record(_ total: Int64, _ tags: [RecordValue], _ version: String) -> Record {
            Record(
                zone: "z",
                name: "n",
                type: "Log",
                fields: ["sum": .counter(total), "tags": .set(tags)],
                version: version,
                createdBy: "d",
                modifiedBy: "d",
                modifiedAt: Date(timeIntervalSince1970: 0)
            )
        }
        let base = record(5, ["a", "b"], "v1")
        let draft = SyncEngine.Draft(type: nil, fields: ["sum": .counter(6), "tags": .set(["b", "c"])], base: base)
        #expect(draft.fields.isEmpty && draft.increments == ["sum": 1])
        #expect(draft.insertions == ["tags": ["c"]] && draft.withdrawals == ["tags": ["a"]])
        let write = draft.write("n")
        #expect(write.increments == ["sum": 1] && write.insertions == ["tags": ["c"]] && write.ifVersion == "v1")

        // Another device added one too: the sum is the one that this device wants, based on the other's edit.
        let server = record(6, ["b", "c"], "v2")
        #expect(!draft.isFulfilled(by: server, mayBeDone: false) && draft.isFulfilled(by: server, mayBeDone: true))
        #expect(!draft.isFulfilled(by: record(6, ["a", "b", "c"], "v2"), mayBeDone: true))
        var conflict = SyncEngine.Conflict(
            id: RecordID(zone: "z", name: "n"),
            client: draft,
            server: server,
            ancestor: base
        )
        let merged = try #require(conflict.merged)
        #expect(merged.base == server && merged.increments == ["sum": 1])
        conflict.server = nil
        #expect(conflict.merged?.fields == ["sum": .counter(6), "tags": .set(["b", "c"])])
        #expect(conflict.merged?.increments == [:] && conflict.merged?.base == nil)
    }

    @Test func `a refusal with the state of the record needs no further request, also for a deletion`() throws {
        var run = EngineRun(generator: SeededGenerator(seed: 7))
        run.application.edit("a", 1)
        while try run.step() {}
        run.daemon.edit("a", by: 2)
        run.application.edit("a", 3)
        while true {
            let effect = run.application.core.next(at: run.now)
            switch effect {
            case .deliver(let event): run.application.handle(event)
            case .describe(let ids): run.application.core.described(ids.map { run.application.draft($0.name) })
            case .send:
                var problem = Problem.model("record.version_mismatch")
                problem.current = run.daemon.records["a"]
                run.application.core.sent([.refused(problem)], at: run.now)
            case .decide(let conflict):
                #expect(conflict.server == run.daemon.records["a"] && conflict.ancestor != nil && !conflict.mayBeDone)
                // Deleted while the application decides: the next request reports it.
                _ = run.daemon.perform(.deletion("a"))
                run.application.core.decided(run.application.resolve(conflict))
                while try run.step() {}
                #expect(
                    ModelDaemon.edits(run.daemon.records["a"]?.fields) == [1, 2, 3] || run.application.conflicts == 2
                )
                #expect(run.daemon.records["a"]?.isDeleted == false && run.application.failed.isEmpty)
                return
            default:
                Issue.record("unexpected: \(effect)")
                return
            }
        }
    }

    @Test func `a deletion of a deleted record succeeds`() throws {
        var run = EngineRun(generator: SeededGenerator(seed: 8))
        run.application.edit("a", 1)
        while try run.step() {}
        _ = run.daemon.perform(.deletion("a"))
        run.application.core.add([.delete(RecordID(zone: "z", name: "a"))])
        while try run.step() {}
        #expect(run.application.failed.isEmpty && run.application.core.storable.pending.count == 0)
    }

    @Test func `the merge of a conflict keeps the changes of either side`() {
        func record(_ fields: NameDictionary<RecordValue>, _ version: String) -> Record {
            Record(
                zone: "z",
                name: "n",
                type: "Note",
                fields: fields,
                version: version,
                createdBy: "d",
                modifiedBy: "d",
                modifiedAt: Date(timeIntervalSince1970: 0)
            )
        }
        let base = record(["title": "a", "text": "b", "old": 1], "v1")
        let server = record(["title": "theirs", "text": "b", "old": 1], "v2")
        let draft = SyncEngine.Draft(type: nil, fields: ["title": "a", "text": "mine"], removing: ["old"], base: base)
        var conflict = SyncEngine.Conflict(
            id: RecordID(zone: "z", name: "n"),
            client: draft,
            server: server,
            ancestor: base
        )
        #expect(
            conflict.merged
                == SyncEngine.Draft(type: nil, fields: ["text": "mine"], removing: ["old"], base: server)
        )
        conflict.server = nil
        #expect(
            conflict.merged
                == SyncEngine.Draft(type: "Note", fields: ["title": "a", "text": "mine"], removing: [], base: nil)
        )
        conflict.client = nil
        #expect(conflict.merged == nil)
    }
}
