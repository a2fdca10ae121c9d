import FoundationEssentials
import TestSupport
import Testing

@testable import KairanClient

/// A daemon in memory: one zone, records that hold the list of all edits ever made to them, and a feed.
private struct ModelDaemon {
    private(set) var records: [String: Record] = [:]
    /// Names in the order of their newest change, each once.
    private var feed: [(position: Int, name: String)] = []
    private var position = 0
    /// Tokens of another store are not good here.
    private var store = 1

    static let zone = "z"

    static func edits(_ fields: [String: RecordValue]?) -> [RecordValue] {
        if case .list(let edits)? = fields?["edits"] { edits } else { [] }
    }

    mutating func perform(_ write: RecordWrite) -> BatchOutcome.Outcome {
        let present = records[write.name].flatMap { $0.isDeleted ? nil : $0 }
        if let wanted = write.ifVersion, wanted != present?.version ?? "" {
            return .refused(.model("record.version_mismatch"))
        }
        if write.isDeletion, present == nil { return .refused(.model("record.unknown")) }
        if write.name.hasPrefix("bad") { return .refused(.model("invalid_argument")) }
        position += 1
        var fields = present?.fields ?? [:]
        if write.isDeletion { fields = [:] }
        fields.merge(write.fields) { _, new in new }
        for name in write.removedFields { fields[name] = nil }
        let record = Record(
            zone: Self.zone,
            name: write.name,
            type: "Log",
            fields: fields,
            version: "\(store).\(position)",
            isDeleted: write.isDeletion,
            createdBy: "d",
            modifiedBy: "d",
            modifiedAt: Date(timeIntervalSince1970: 0)
        )
        records[write.name] = record
        feed.removeAll { $0.name == write.name }
        feed.append((position, write.name))
        return .saved(record)
    }

    /// A device elsewhere adds an edit, or deletes the record.
    mutating func edit(_ name: String, by edit: RecordValue) {
        let before = records[name].flatMap { $0.isDeleted ? nil : $0.fields }
        _ = perform(RecordWrite(name, type: "Log", fields: ["edits": .list(Self.edits(before) + [edit])]))
    }

    func changes(since token: String?, limit: Int) throws(KairanError) -> ChangeSet {
        var start = 0
        if let token {
            let parts = token.split(separator: "@")
            guard parts.first == "\(store)", let position = parts.last.flatMap({ Int($0) }) else {
                throw KairanError(.refused, problem: .model("token.expired"))
            }
            start = position
        }
        let behind = feed.filter { $0.position > start }
        let page = behind.prefix(limit)
        let changes = page.compactMap { records[$0.name] }.map {
            Change(kind: $0.isDeleted ? .delete : .save, record: $0, bySync: false)
        }
        return ChangeSet(
            changes: changes,
            token: "\(store)@\(page.last?.position ?? position)",
            more: behind.count > page.count
        )
    }

    /// The store is restored: what it holds is the same, tokens are not.
    mutating func restore() { store += 1 }

    static var description: Zone {
        Zone(
            zone: zone,
            name: "logs",
            container: "c",
            database: "private",
            owner: "me",
            isOwn: true,
            rights: "admin",
            publicAccess: PublicAccess(world: [], authenticated: [], creator: [], link: nil),
            records: 0,
            epoch: nil,
            digest: "",
            peers: []
        )
    }
}

extension Problem {
    fileprivate static func model(_ code: String, isRetryable: Bool = false) -> Problem {
        Problem(type: code, title: code, status: 400, code: code, detail: "", fix: "", isRetryable: isRetryable)
    }
}

/// An application with a store of its own, which survives its crashes.
private struct ModelApplication {
    struct Log { var base: Record?, edits: [RecordValue] }

    var logs: [String: Log] = [:]
    var state = SyncEngine.State()
    var core = EngineCore(scope: ModelApplication.scope, state: .init())
    var conflicts = 0
    var failed: [SyncEngine.PendingChange] = []
    var problems: [String] = []
    var departures: [ZoneDeparture] = []
    private var unseen: Set<String> = []
    private var isRereading = false

    static let scope = EngineCore.Scope(container: "c", databases: [.private])

    /// Nothing is kept but what is stored.
    mutating func crash() throws {
        let stored = try JSONEncoder().encode(state)
        core = EngineCore(scope: Self.scope, state: try JSONDecoder().decode(SyncEngine.State.self, from: stored))
    }

    mutating func edit(_ name: String, _ edit: RecordValue) {
        logs[name, default: Log(base: nil, edits: [])].edits.append(edit)
        core.add([.save(RecordID(zone: ModelDaemon.zone, name: name))])
        state = core.storable
    }

    mutating func handle(_ event: SyncEngine.Event) {
        switch event {
        case .stateUpdate(let new): state = new
        case .fetchedRecordZoneChanges(_, let changes): for change in changes { take(change.record) }
        case .sentRecordZoneChanges(let saved, _, let failed):
            for record in saved { logs[record.name]?.base = record }
            self.failed += failed.map(\.change)
            problems += failed.map(\.problem.code)
        case .fetchedDatabaseChanges(_, let removed): departures += removed
        case .tokenExpired:
            isRereading = true
            unseen = Set(logs.keys.filter { logs[$0]?.base != nil })
        case .didFetchRecordZoneChanges:
            if isRereading { for name in unseen where !isPending(name) { logs[name] = nil } }
            isRereading = false
        default: break
        }
    }

    private func isPending(_ name: String) -> Bool {
        core.storable.pending[RecordID(zone: ModelDaemon.zone, name: name)] != nil
    }

    /// News of a record with own edits pending is left to the conflict that the save will meet.
    private mutating func take(_ record: Record) {
        unseen.remove(record.name)
        guard !isPending(record.name) else { return }
        logs[record.name] = record.isDeleted ? nil : Log(base: record, edits: ModelDaemon.edits(record.fields))
    }

    func draft(_ name: String) -> SyncEngine.Draft? {
        logs[name].map {
            SyncEngine.Draft(type: "Log", fields: ["edits": .list($0.edits)], base: $0.base)
        }
    }

    /// What the others have, and behind it what is new here.
    mutating func resolve(_ conflict: SyncEngine.Conflict) -> SyncEngine.Resolution {
        conflicts += 1
        guard let client = conflict.client else { return .keepServer }
        let ancestor = ModelDaemon.edits(conflict.ancestor?.fields)
        let server = ModelDaemon.edits(conflict.server?.fields)
        let own = ModelDaemon.edits(client.fields).filter { !ancestor.contains($0) && !server.contains($0) }
        let merged = server + own
        logs[conflict.id.name] = Log(base: conflict.server, edits: merged)
        return .save(SyncEngine.Draft(type: "Log", fields: ["edits": .list(merged)], base: conflict.server))
    }
}

/// Runs an application and a daemon through failures of every kind.
private struct EngineRun {
    var daemon = ModelDaemon()
    var application = ModelApplication()
    var generator: SeededGenerator
    var now: Int64 = 0
    /// How many of 100 requests fail; half of those after they were done.
    var failurePercent = 0
    var isUp = false
    var steps = 0
    /// What the daemon lists.
    var zones = [ModelDaemon.description]
    var isDeleted = false

    private mutating func fails() -> Bool { Int.random(in: 0..<100, using: &generator) < failurePercent }

    private mutating func failure() -> Problem {
        let codes = ["daemon.interrupted", "busy", "daemon.unreachable", "not_ready"]
        return .model(codes[Int.random(in: 0..<codes.count, using: &generator)], isRetryable: true)
    }

    /// Does what the core says, once.
    ///
    /// False when it rests for good.
    mutating func step() throws -> Bool {
        steps += 1
        let effect = application.core.next(at: now)
        switch effect {
        case .deliver(let event): application.handle(event)
        case .connect:
            if fails() { application.core.disconnected(at: now) } else { application.core.connected(); isUp = true }
        case .listZones:
            if fails() {
                application.core.fetchFailed(failure(), zone: nil, at: now)
            } else {
                let missing = application.core.missing(from: zones)
                application.core.listed(zones, deleted: isDeleted ? Set(missing) : [], account: "me")
            }
        case .fetch(let zone, let token):
            if fails() {
                application.core.fetchFailed(failure(), zone: zone, at: now)
            } else {
                do {
                    application.core.fetched(try daemon.changes(since: token, limit: 3), zone: zone)
                } catch {
                    application.core.fetchFailed(error.problem, zone: zone, at: now)
                }
            }
        case .describe(let ids): application.core.described(ids.map { application.draft($0.name) })
        case .send(_, let writes): send(writes)
        case .lookUp(let id):
            if fails() {
                application.core.lookUpFailed(failure(), at: now)
            } else {
                application.core.lookedUp(daemon.records[id.name].flatMap { $0.isDeleted ? nil : $0 })
            }
        case .decide(let conflict):
            let resolution = application.resolve(conflict)
            application.core.decided(resolution)
        case .rest(let until):
            guard let until else { return false }
            #expect(until > now)
            now = until
        }
        return true
    }

    private mutating func send(_ writes: [RecordWrite]) {
        #expect(!writes.isEmpty && writes.count <= EngineCore.batchCountMax)
        if writes.count > 5 {
            application.core.sendFailed(.model("request.too_large"), at: now)
            return
        }
        if fails() {
            // Half of what fails was done nevertheless.
            if Bool.random(using: &generator) { for write in writes { _ = daemon.perform(write) } }
            application.core.sendFailed(failure(), at: now)
            return
        }
        let outcomes = writes.map { write in
            fails() ? .refused(.model("busy", isRetryable: true)) : daemon.perform(write)
        }
        application.core.sent(outcomes, at: now)
    }

    /// Notices what the daemon would tell.
    mutating func notice() { application.core.noticed(zone: ModelDaemon.zone) }
}

@Suite struct `The decisions of a sync engine` {
    @Test(arguments: 0..<200)
    func `whatever fails and whoever crashes, each edit is there once and both sides are equal`(
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
    func `a zone that goes is told with its reason, and what was to be sent to it is handed back and not lost`(
        reason: ZoneDeparture.Reason
    ) throws {
        var run = EngineRun(generator: SeededGenerator(seed: 5))
        while try run.step() {}
        for name in ["a", "b", "c"] { run.application.edit(name, 1) }
        // It goes when the application has just said what is to be saved.
        while true {
            let effect = run.application.core.next(at: run.now)
            if case .deliver(let event) = effect { run.application.handle(event) }
            guard case .describe(let ids) = effect else { continue }
            run.application.core.described(ids.map { run.application.draft($0.name) })
            break
        }
        run.isDeleted = reason == .deleted
        var elsewhere = ModelDaemon.description
        elsewhere.database = "public"
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

    @Test func `records whose names only look the same are two records`() throws {
        var run = EngineRun(generator: SeededGenerator(seed: 6))
        run.application.core.add(["\u{E9}", "e\u{301}"].map { .save(RecordID(zone: "z", name: $0)) })
        #expect(run.application.core.storable.pending.count == 2)
        #expect(Set(["\u{E9}", "e\u{301}", "\u{E9}"].map { RecordID(zone: "z", name: $0) }).count == 2)
    }

    @Test func `own saves are not told as news, those of others are`() throws {
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

    @Test func `what may be stored never runs ahead of what was told`() throws {
        var run = EngineRun(generator: SeededGenerator(seed: 3))
        while try run.step() {}
        run.daemon.edit("a", by: 1)
        run.notice()
        guard case .fetch(let zone, let token) = run.application.core.next(at: run.now) else {
            Issue.record("nothing is fetched")
            return
        }
        run.application.core.fetched(try run.daemon.changes(since: token, limit: 10), zone: zone)
        // The page is here, the application has not heard of it, stores its state, and crashes.
        run.application.edit("b", 2)
        try run.application.crash()
        while try run.step() {}
        #expect(run.application.logs["a"]?.edits == [1])
        #expect(ModelDaemon.edits(run.daemon.records["b"]?.fields) == [2])
    }

    @Test func `a save whose answer was lost is not taken for a conflict`() throws {
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

    @Test func `the merge of a conflict keeps what either side changed`() {
        func record(_ fields: [String: RecordValue], _ version: String) -> Record {
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
