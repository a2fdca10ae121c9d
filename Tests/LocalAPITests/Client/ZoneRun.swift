import FoundationEssentials
import TestSupport
import Testing

@testable import KairanClient

/// A daemon in memory that makes and deletes zones, and an application that names them by their names.
struct ZoneRun {
    var generator: SeededGenerator
    /// The number of 100 requests that fail; half of those after they were carried out.
    var failurePercent = 0
    var now: Int64 = 0

    /// The records of each zone of the container.
    private(set) var records: [String: Set<String>] = [:]
    private(set) var names: [String: String] = [:]
    private var zoneCount = 0

    var state = SyncEngine.State()
    var core = EngineCore(scope: ModelApplication.scope, state: .init())
    private(set) var told: [SyncEngine.Event] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    func zones(named name: String) -> [String] { names.filter { $0.value == name }.map(\.key) }

    // MARK: The application

    mutating func add(zones changes: [SyncEngine.PendingZoneChange]) {
        core.add(zones: changes)
        state = core.storable
    }

    mutating func add(_ changes: [SyncEngine.PendingChange]) {
        core.add(changes)
        state = core.storable
    }

    mutating func crash() throws {
        let stored = try JSONEncoder().encode(state)
        core = EngineCore(
            scope: ModelApplication.scope,
            state: try JSONDecoder().decode(SyncEngine.State.self, from: stored)
        )
    }

    // MARK: The daemon

    static func description(_ zone: String, _ name: String) -> Zone {
        var description = ModelDaemon.description
        description.zone = zone
        description.name = name
        return description
    }

    mutating func make(_ name: String) -> Zone {
        if let zone = zones(named: name).first { return Self.description(zone, name) }
        zoneCount += 1
        let zone = "id\(zoneCount)"
        names[zone] = name
        records[zone] = []
        return Self.description(zone, name)
    }

    @discardableResult
    private mutating func delete(_ key: String) -> String? {
        guard let zone = names[key] == nil ? zones(named: key).first : key else { return nil }
        names[zone] = nil
        records[zone] = nil
        return zone
    }

    private mutating func failure() -> Problem? {
        guard Int.random(in: 0..<100, using: &generator) < failurePercent else { return nil }
        return .model(Bool.random(using: &generator) ? "daemon.interrupted" : "busy", isRetryable: true)
    }

    private mutating func wasDone(_ problem: Problem) -> Bool {
        problem.code == "daemon.interrupted" && Bool.random(using: &generator)
    }

    /// Carries out the core's next action, once.
    ///
    /// False when it rests for good.
    mutating func step() throws -> Bool {
        switch core.next(at: now) {
        case .deliver(let event):
            if case .stateUpdate(let new) = event { state = new } else { told.append(event) }
        case .connect: core.connected()
        case .listZones:
            let zones = names.map { Self.description($0.key, $0.value) }
            core.listed(zones, deleted: Set(core.missing(from: zones)), account: "me")
        case .fetch(let zone, let token):
            core.fetched(ChangeSet(zones: [], changes: [], token: token ?? "t", more: false), zone: zone)
        case .saveZone(let name, _):
            if let problem = failure() {
                if wasDone(problem) { _ = make(name) }
                core.zoneChangeFailed(problem, at: now)
            } else if name.hasPrefix("bad") {
                core.zoneChangeFailed(.model("invalid_argument"), at: now)
            } else {
                core.savedZone(make(name))
            }
        case .deleteZone(let key):
            if let problem = failure() {
                if wasDone(problem) { delete(key) }
                core.zoneChangeFailed(problem, at: now)
            } else if names[key]?.hasPrefix("kept") == true {
                core.zoneChangeFailed(.model("right.admin"), at: now)
            } else {
                core.deletedZone(delete(key))
            }
        case .describe(let ids):
            core.described(ids.map { _ in SyncEngine.Draft(type: "T", fields: [:], base: nil) })
        case .send(let zone, let writes): send(writes, to: zone)
        case .lookUp: core.lookedUp(nil)
        case .decide: core.decided(.keepServer)
        case .rest(let until):
            guard let until else { return false }
            #expect(until > now)
            now = until
        }
        return true
    }

    private mutating func send(_ writes: [RecordWrite], to zone: String) {
        // The real daemon would look for a zone of this name in all containers.
        #expect(zone.hasPrefix("id"), "records are sent to a name: \(zone)")
        guard records[zone] != nil else {
            core.sendFailed(.model("zone.deleted"), at: now)
            return
        }
        if let problem = failure() {
            if wasDone(problem) { records[zone]?.formUnion(writes.map(\.name)) }
            core.sendFailed(problem, at: now)
            return
        }
        records[zone]?.formUnion(writes.map(\.name))
        core.sent(
            writes.map { write in
                .saved(
                    Record(
                        zone: zone,
                        name: write.name,
                        type: "T",
                        fields: [:],
                        version: "1",
                        createdBy: "d",
                        modifiedBy: "d",
                        modifiedAt: Date(timeIntervalSince1970: 0)
                    )
                )
            },
            at: now
        )
    }
}
