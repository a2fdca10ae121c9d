import FoundationEssentials
import KairanClient
import Node
import Testing

/// An application that synchronises when it wants to.
private actor Application: SyncEngineDelegate {
    private(set) var records: [String: Record] = [:]
    private(set) var zones: [String] = []
    private(set) var sent: [String] = []
    private(set) var state = SyncEngine.State()
    private(set) var madeZones: [Zone] = []
    private(set) var deletedZones: [String] = []
    private(set) var refusedZones: [SyncEngine.FailedZoneChange] = []
    private(set) var dropped: [SyncEngine.PendingChange] = []

    func handle(_ event: SyncEngine.Event, from engine: SyncEngine) async {
        switch event {
        case .stateUpdate(let new): state = new
        case .fetchedDatabaseChanges(let changed, _): zones += changed.map(\.zone)
        case .fetchedRecordZoneChanges(_, let changes):
            for change in changes { records[change.record.name] = change.record }
        case .sentRecordZoneChanges(let saved, _, _): sent += saved.map(\.name)
        case .sentDatabaseChanges(let saved, let deleted, let failed):
            madeZones += saved
            deletedZones += deleted
            refusedZones += failed
        case .droppedRecordZoneChanges(let changes): dropped += changes
        default: break
        }
    }

    func draft(of id: RecordID, for engine: SyncEngine) async -> SyncEngine.Draft? {
        SyncEngine.Draft(type: "Note", fields: ["text": .string(id.name)], base: records[id.name])
    }

    func resolve(_ conflict: SyncEngine.Conflict, for engine: SyncEngine) async -> SyncEngine.Resolution {
        conflict.merged.map { .save($0) } ?? .keepServer
    }
}

@Suite struct `A sync engine that is asked` {
    private func run(
        on backend: Backend,
        _ body: @escaping @Sendable (Kairan, RecordZone, SyncEngine, Application) async throws -> Void
    ) async throws {
        try await backend.run { kairan in
            let container = kairan.container("org.example.a")
            let zone = try await container.privateDatabase.createZone(named: "notes")
            let application = Application()
            try await body(kairan, zone, SyncEngine(container, delegate: application), application)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `has fetched when it returns, and has sent nothing`(backend: Backend) async throws {
        try await run(on: backend) { _, zone, engine, application in
            engine.add([.save(RecordID(zone: zone.id, name: "mine"))])
            for number in 0..<3 {
                try await zone.save(RecordWrite("n\(number)", type: "Note", fields: ["n": 1]))
                try await engine.fetchChanges()
                #expect(await application.zones == [zone.id])
                #expect(await application.records.count == number + 1)
                #expect(await application.state == engine.state)
            }
            #expect(engine.pendingChanges.count == 1)
            #expect(await application.sent.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `has sent when it returns, and knows the permanently refused changes`(backend: Backend) async throws {
        try await run(on: backend) { _, zone, engine, application in
            let names = (0..<450).map { "n\($0)" }
            engine.add(names.map { .save(RecordID(zone: zone.id, name: $0)) })
            engine.add([.save(RecordID(zone: "no such zone", name: "lost"))])
            try await engine.sendChanges()
            #expect(await application.sent == names)
            #expect(try await zone.record("n449").fields == ["text": "n449"])
            #expect(engine.failedChanges.map(\.change.id.name) == ["lost"])
            // Its own changes are not reported.
            try await engine.fetchChanges()
            #expect(await application.records.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `makes a zone before its records, after a restart of the application too`(
        backend: Backend
    )
        async throws
    {
        try await run(on: backend) { kairan, zone, engine, application in
            let container = engine.container
            engine.add(zones: [.save(name: "lists"), .save(name: "notes"), .save(name: "")])
            engine.add([.save(RecordID(zone: "lists", name: "milk")), .save(RecordID(zone: "", name: "lost"))])
            let stored = try JSONEncoder().encode(engine.state)
            let state = try JSONDecoder().decode(SyncEngine.State.self, from: stored)
            // Another container has a zone of this name, which the daemon would take for it.
            let foreign = try await kairan.client.createZone(name: "lists", container: "org.example.b")

            let second = SyncEngine(container, state: state, delegate: application)
            try await second.sendChanges()
            let lists = try #require(await application.madeZones.first { $0.name == "lists" })
            #expect(lists.container == "org.example.a" && lists.zone != foreign.zone)
            #expect(await application.madeZones.last?.zone == zone.id, "the one that was there is taken")
            #expect(try await container.zone(id: lists.zone).record("milk").fields == ["text": "milk"])
            #expect(await application.refusedZones.map(\.problem.code) == ["invalid_argument"])
            #expect(second.failedChanges.map(\.problem.code) == ["invalid_argument"])
            #expect(second.failedZoneChanges.map(\.change) == [.save(name: "")])
            second.remove(zones: [""])
            #expect(second.pendingChanges.isEmpty && second.pendingZoneChanges.isEmpty)

            // An answer that was lost: the engine with the earlier state does it once more.
            let third = SyncEngine(container, state: state, delegate: application)
            try await third.sendChanges()
            #expect(try await container.zones().count == 2)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `deletes a zone and drops its pending changes`(backend: Backend) async throws {
        try await run(on: backend) { _, zone, engine, application in
            try await engine.fetchChanges()
            engine.add([.save(RecordID(zone: zone.id, name: "mine"))])
            engine.add(zones: [.delete(zone: zone.id), .delete(zone: "nothing of this name")])
            try await engine.sendChanges()
            #expect(await application.deletedZones == [zone.id, "nothing of this name"])
            #expect(await application.dropped == [.save(RecordID(zone: zone.id, name: "mine"))])
            #expect(try await engine.container.zones().isEmpty && engine.pendingChanges.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `works for several callers, and beside a task that runs it`(backend: Backend) async throws {
        try await run(on: backend) { _, zone, engine, application in
            func ask() async throws {
                try await zone.save(RecordWrite("theirs", type: "Note", fields: ["n": 1]))
                engine.add([.save(RecordID(zone: zone.id, name: "mine"))])
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask { try await engine.fetchChanges() }
                        group.addTask { try await engine.sendChanges() }
                    }
                    try await group.waitForAll()
                }
                #expect(engine.pendingChanges.isEmpty)
                #expect(await application.records["theirs"] != nil)
            }
            try await ask()
            let running = Task { try await engine.run() }
            try await ask()
            // A call that waits for a task that ends goes on by itself.
            async let last: Void = engine.fetchChanges()
            running.cancel()
            try await last
            await #expect(throws: CancellationError.self) { try await running.value }
            try await ask()
        }
    }

    @Test(.timeLimit(.minutes(5))) func `reports why it could not, and keeps unsent changes`() async throws {
        try await LiveServer.withDirectory { directory in
            try await Kairan.connect(socketPath: directory + "/s") { kairan in
                let engine = SyncEngine(kairan.container("org.example.a"), delegate: Application())
                engine.add([.delete(RecordID(zone: "z", name: "n"))])
                let fetching = await #expect(throws: KairanError.self) { try await engine.fetchChanges() }
                let sending = await #expect(throws: KairanError.self) { try await engine.sendChanges() }
                #expect(fetching?.code == "daemon.unreachable" && fetching?.kind == .unreachable)
                #expect(sending?.code == "daemon.unreachable" && engine.pendingChanges.count == 1)
                // Also while a task runs it, which waits for the daemon.
                let running = Task { try await engine.run() }
                await #expect(throws: KairanError.self) { try await engine.fetchChanges() }
                running.cancel()
                await #expect(throws: CancellationError.self) { try await running.value }
                let cancelled = Task { try await engine.sendChanges() }
                cancelled.cancel()
                await #expect(throws: (any Error).self) { try await cancelled.value }
            }
        }
    }
}
