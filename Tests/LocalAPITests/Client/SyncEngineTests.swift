import FoundationEssentials
import KairanClient
import Node
import Testing

/// An application whose store is in memory.
private actor Application: SyncEngineDelegate {
    private(set) var records: NameDictionary<Record> = [:]
    private(set) var sent: [String] = []
    private(set) var conflicts: [SyncEngine.Conflict] = []
    private(set) var zones: [String] = []
    private(set) var departures: [ZoneDeparture] = []
    private(set) var state = SyncEngine.State()
    private var drafts: NameDictionary<SyncEngine.Draft> = [:]
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func write(
        _ name: String,
        _ fields: NameDictionary<RecordValue>,
        known: Record?,
        in zone: String,
        _ engine: SyncEngine
    ) {
        drafts[name] = SyncEngine.Draft(type: "Note", fields: fields, base: known)
        engine.add([.save(RecordID(zone: zone, name: name))])
    }

    func handle(_ event: SyncEngine.Event, from engine: SyncEngine) async {
        switch event {
        case .stateUpdate(let new): state = new
        case .fetchedDatabaseChanges(let changed, let removed):
            let gone = Set(removed.map(\.zone) + changed.map(\.zone))
            zones = zones.filter { !gone.contains($0) } + changed.map(\.zone)
            departures += removed
        case .fetchedRecordZoneChanges(_, let changes):
            for change in changes { records[change.record.name] = change.kind == .delete ? nil : change.record }
        case .sentRecordZoneChanges(let saved, _, _):
            for record in saved {
                records[record.name] = record
                sent.append(record.name)
            }
        default: break
        }
        let waiting = self.waiting
        self.waiting = []
        for continuation in waiting { continuation.resume() }
    }

    func draft(of id: RecordID, for engine: SyncEngine) async -> SyncEngine.Draft? { drafts[id.name] }

    func resolve(_ conflict: SyncEngine.Conflict, for engine: SyncEngine) async -> SyncEngine.Resolution {
        conflicts.append(conflict)
        return conflict.merged.map { .save($0) } ?? .keepServer
    }

    /// Waits until a condition holds; it is checked after each event.
    func until(_ isSo: @Sendable (isolated Application) -> Bool) async {
        while !isSo(self) { await withCheckedContinuation { waiting.append($0) } }
    }
}

private struct Note: RecordContent, Equatable {
    var text: String
    var count: Int
}

@Suite struct `A sync engine before a real node` {
    /// Runs the first part with one server, the second after that has stopped, and the third with another one.
    private func run(
        _ first: @escaping @Sendable (Kairan, SyncEngine, Application) async throws -> Void,
        between: @escaping @Sendable (SyncEngine, Application) async throws -> Void,
        _ second: @escaping @Sendable (Kairan, SyncEngine, Application) async throws -> Void
    ) async throws {
        try await LiveServer.withDirectory { directory in
            try await LiveNode.run(in: directory) { node in
                try await Kairan.connect(socketPath: directory + "/s") { kairan in
                    let application = Application()
                    let engine = SyncEngine(kairan.container("org.example.a"), delegate: application)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask {
                            // It ends when it is cancelled.
                            await #expect(throws: CancellationError.self) { try await engine.run() }
                        }
                        try await LiveServer.run(node: node, in: directory) { _, _ in
                            try await first(kairan, engine, application)
                        }
                        try await between(engine, application)
                        try await LiveServer.run(node: node, in: directory) { _, _ in
                            try await second(kairan, engine, application)
                        }
                        group.cancelAll()
                    }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `distinguishes records whose names differ only in bytes`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        try await run { kairan, engine, application in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "notes")
            await application.until { $0.zones == [zone.id] }
            for name in [composed, decomposed] {
                await application.write(name, ["text": .string(name)], known: nil, in: zone.id, engine)
            }
            await application.until { $0.sent.count == 2 }
            for name in [composed, decomposed] {
                #expect(try await zone.record(name).fields == ["text": .string(name)])
            }
            // Another program changes both.
            for name in [decomposed, composed] { try await zone.save(RecordWrite(name, fields: ["count": 1])) }
            await application.until { application in
                [composed, decomposed].allSatisfy { application.records[$0]?.fields["count"] == 1 }
            }
            #expect(await application.records.count == 2)
            try await zone.delete(composed)
            await application.until { $0.records[composed] == nil }
            #expect(await application.records[decomposed] != nil)
        } between: { engine, application in
            await application.until { $0.state == engine.state }
            let stored = try JSONEncoder().encode(engine.state)
            #expect(try JSONDecoder().decode(SyncEngine.State.self, from: stored) == engine.state)
        } _: { _, engine, application in
            #expect(engine.pendingChanges.isEmpty)
            #expect(await application.records.count == 1)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `sends, fetches, meets conflicts, and continues after a restart of the daemon`()
        async throws
    {
        try await run { kairan, engine, application in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "notes")
            await application.until { $0.zones == [zone.id] }
            await application.write("milk", ["text": "Milk", "count": 1], known: nil, in: zone.id, engine)
            await application.until { $0.sent == ["milk"] }
            let saved = try await zone.record("milk")
            #expect(await application.records["milk"] == saved)

            // Another program writes a new record, and changes the one that is known.
            try await zone.save(RecordWrite("bread", type: "Note", fields: ["text": "Bread"]))
            await application.until { $0.records["bread"] != nil }
            try await zone.save(RecordWrite("milk", fields: ["count": 2]))
            await application.write("milk", ["text": "Oat milk"], known: saved, in: zone.id, engine)
            await application.until { $0.sent == ["milk", "milk"] }
            #expect(try await zone.record("milk").fields == ["text": "Oat milk", "count": 2])
            let conflict = try #require(await application.conflicts.first)
            #expect(conflict.ancestor == saved && conflict.server?.fields["count"] == 2 && !conflict.mayBeDone)
            let typed = try #require(try conflict.typed(as: Note.self))
            #expect(typed.ancestor?.value == Note(text: "Milk", count: 1))
            #expect(typed.client.value == Note(text: "Oat milk", count: 1) && typed.client.known == saved)
            #expect(typed.server?.value == Note(text: "Milk", count: 2))
            #expect(typed.merged.value == Note(text: "Oat milk", count: 2))
            let answer = try SyncEngine.Draft(typed.merged)
            #expect(answer.fields == ["text": "Oat milk"] && answer.base == conflict.server)
        } between: { engine, application in
            let zone = try #require(await application.zones.first)
            await application.write("late", ["text": "offline"], known: nil, in: zone, engine)
            await application.until { $0.state == engine.state }
            #expect(engine.pendingChanges == [.save(RecordID(zone: zone, name: "late"))])
        } _: { kairan, engine, application in
            await application.until { $0.sent.last == "late" }
            let zone = try #require(try await kairan.container("org.example.a").zones().first)
            #expect(try await zone.record("late").fields["text"] == "offline")
            try await zone.delete("bread")
            await application.until { $0.records["bread"] == nil }
            #expect(await application.conflicts.count == 1 && engine.pendingChanges.isEmpty)
            let error = await #expect(throws: KairanError.self) { try await engine.run() }
            #expect(error?.code == "engine.running")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a deleted zone is reported with the reason, to engines and subscriptions`()
        async throws
    {
        try await run { kairan, engine, application in
            let container = kairan.container("org.example.a")
            let zone = try await container.privateDatabase.createZone(named: "notes")
            await application.until { $0.zones == [zone.id] }
            let told = Told()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, subscription) in [("zone", zone.subscription()), ("container", container.subscription())] {
                    group.addTask {
                        for try await event in subscription {
                            switch event.kind {
                            case .started: await told.add(name + " started")
                            case .event(.zone(let change)):
                                await told.add(name + " " + (change.departure?.reason.rawValue ?? "changed"))
                            default: break
                            }
                        }
                        await told.add(name + " ended")
                    }
                }
                for name in ["zone", "container"] { await told.until(name + " started") }
                try await zone.delete()
                for what in ["zone deleted", "container deleted", "zone ended"] { await told.until(what) }
                group.cancelAll()
                await #expect(throws: CancellationError.self) { try await group.waitForAll() }
            }
            let departure = ZoneDeparture(zone: zone.id, reason: .deleted)
            await application.until { $0.departures == [departure] }
            await application.write("late", ["text": "too late"], known: nil, in: zone.id, engine)
            await application.until { _ in engine.failedChanges.map(\.problem.code) == ["zone.deleted"] }
            let late = zone.subscription()
            let error = await #expect(throws: KairanError.self) { for try await _ in late {} }
            #expect(error?.code == "zone.deleted")
        } between: { _, _ in
        } _: { _, engine, application in
            await application.until { $0.state == engine.state }
            #expect(engine.failedChanges.count == 1 && engine.pendingChanges.count == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `many changes are divided into requests, and a refused change stops no other`()
        async throws
    {
        try await run { kairan, engine, application in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "notes")
            for number in 0..<450 {
                let fields: NameDictionary<RecordValue> =
                    number == 300 ? ["place": .location(latitude: 95, longitude: 0)] : [:]
                await application.write("n-\(number)", fields, known: nil, in: zone.id, engine)
            }
            await application.until { _ in engine.pendingChanges.count == 1 && engine.failedChanges.count == 1 }
            #expect(engine.failedChanges.first?.problem.code == "invalid_argument")
            #expect(engine.failedChanges.first?.change.id.name == "n-300")
            #expect(try await zone.describe().records == 449)
        } between: { _, _ in
        } _: { _, engine, application in
            engine.remove(engine.failedChanges.map(\.change.id))
            await application.until { $0.state == engine.state }
            #expect(engine.pendingChanges.isEmpty)
        }
    }
}
