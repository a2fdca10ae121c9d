import FoundationEssentials
import TestSupport
import Testing

@testable import KairanClient

/// A daemon in memory: one zone, records that hold the list of all edits ever made to them, and a feed.
struct ModelDaemon {
    private(set) var records: [String: Record] = [:]
    /// Names in the order of their newest change, each once.
    private var feed: [(position: Int, name: String)] = []
    private var position = 0
    /// Tokens of another store are not valid here.
    private var store = 1

    static let zone = "z"

    static func edits(_ fields: NameDictionary<RecordValue>?) -> [RecordValue] {
        if case .list(let edits)? = fields?["edits"] { edits } else { [] }
    }

    mutating func perform(_ write: RecordWrite) -> BatchOutcome.Outcome {
        let present = records[write.name].flatMap { $0.isDeleted ? nil : $0 }
        if let wanted = write.ifVersion, wanted != present?.version ?? "" {
            return .refused(.model("record.version_mismatch"))
        }
        if write.isDeletion, present == nil {
            return .refused(.model(records[write.name] == nil ? "record.unknown" : "record.deleted"))
        }
        if write.name.hasPrefix("bad") { return .refused(.model("invalid_argument")) }
        position += 1
        var fields = present?.fields ?? [:]
        if write.isDeletion { fields = [:] }
        fields.merge(write.fields) { _, new in new }
        for name in write.removedFields { fields[name] = nil }
        for (name, added) in write.increments { fields[name] = .counter(Self.sum(fields, name) + added) }
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

    static func sum(_ fields: NameDictionary<RecordValue>?, _ name: String = "sum") -> Int64 {
        if case .counter(let sum)? = fields?[name] { sum } else { 0 }
    }

    /// A device elsewhere adds an edit, and counts it.
    mutating func edit(_ name: String, by edit: RecordValue) {
        let before = records[name].flatMap { $0.isDeleted ? nil : $0.fields }
        var write = RecordWrite(name, type: "Log", fields: ["edits": .list(Self.edits(before) + [edit])])
        write.increments = ["sum": 1]
        _ = perform(write)
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
            zones: [],
            changes: changes,
            token: "\(store)@\(page.last?.position ?? position)",
            more: behind.count > page.count
        )
    }

    /// The store is restored: its contents are the same, tokens are not.
    mutating func restore() { store += 1 }

    static var description: Zone { .sample(zone, name: "logs") }
}

extension Problem {
    static func model(_ code: String, isRetryable: Bool = false) -> Problem {
        Problem(
            type: code,
            title: code,
            // As the library: it has no status of its own.
            status: code.hasPrefix("daemon.") ? 0 : 400,
            code: code,
            detail: "",
            fix: "",
            isRetryable: isRetryable
        )
    }
}

/// An application with a store of its own, which survives its crashes.
struct ModelApplication {
    struct Log {
        var base: Record?
        var edits: [RecordValue]
    }

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

    /// Only the stored state is kept.
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

    /// A changed record with own edits pending is left to the conflict that the save will meet.
    private mutating func take(_ record: Record) {
        unseen.remove(record.name)
        guard !isPending(record.name) else { return }
        logs[record.name] = record.isDeleted ? nil : Log(base: record, edits: ModelDaemon.edits(record.fields))
    }

    func draft(_ name: String) -> SyncEngine.Draft? {
        logs[name].map {
            SyncEngine.Draft(
                type: "Log",
                fields: ["edits": .list($0.edits), "sum": .counter(Int64($0.edits.count))],
                base: $0.base
            )
        }
    }

    /// Returns the edits of the others, followed by the ones that are new here.
    mutating func resolve(_ conflict: SyncEngine.Conflict) -> SyncEngine.Resolution {
        conflicts += 1
        guard let client = conflict.client else { return .keepServer }
        let ancestor = ModelDaemon.edits(conflict.ancestor?.fields)
        let server = ModelDaemon.edits(conflict.server?.fields)
        let own = ModelDaemon.edits(client.fields).filter { !ancestor.contains($0) && !server.contains($0) }
        let merged = server + own
        logs[conflict.id.name] = Log(base: conflict.server, edits: merged)
        var draft = SyncEngine.Draft(type: "Log", fields: ["edits": .list(merged)], base: conflict.server)
        draft.increments = ["sum": Int64(own.count)]
        return .save(draft)
    }
}

/// Runs an application and a daemon through failures of every kind.
struct EngineRun {
    var daemon = ModelDaemon()
    var application = ModelApplication()
    var generator: SeededGenerator
    var now: Int64 = 0
    /// The number of 100 requests that fail; half of those after they were carried out.
    var failurePercent = 0
    var isUp = false
    var steps = 0
    /// The zones that the daemon lists.
    var zones = [ModelDaemon.description]
    var isDeleted = false

    private mutating func fails() -> Bool { Int.random(in: 0..<100, using: &generator) < failurePercent }

    private mutating func failure() -> Problem {
        let codes = ["daemon.interrupted", "busy", "daemon.unreachable", "not_ready"]
        return .model(codes[Int.random(in: 0..<codes.count, using: &generator)], isRetryable: true)
    }

    /// Carries out the core's next action, once.
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
        case .saveZone, .deleteZone: Issue.record("this application changes no zones")
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
            let problem = failure()
            // Half of the requests that are not known to have failed were carried out.
            if problem.status == 0, problem.code != "daemon.unreachable", Bool.random(using: &generator) {
                for write in writes { _ = daemon.perform(write) }
            }
            application.core.sendFailed(problem, at: now)
            return
        }
        let outcomes = writes.map { write in
            fails() ? .refused(.model("busy", isRetryable: true)) : daemon.perform(write)
        }
        application.core.sent(outcomes, at: now)
    }

    /// Passes on the notice that the daemon would send.
    mutating func notice() { application.core.noticed(zone: ModelDaemon.zone) }
}
