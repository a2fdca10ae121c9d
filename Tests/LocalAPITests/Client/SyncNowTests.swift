import KairanClient
import Node
import Testing

/// An application that synchronises when it wants to.
private actor Application: SyncEngineDelegate {
    private(set) var records: [String: Record] = [:]
    private(set) var zones: [String] = []
    private(set) var sent: [String] = []
    private(set) var state = SyncEngine.State()

    func handle(_ event: SyncEngine.Event, from engine: SyncEngine) async {
        switch event {
        case .stateUpdate(let new): state = new
        case .fetchedDatabaseChanges(let changed, _): zones += changed.map(\.zone)
        case .fetchedRecordZoneChanges(_, let changes):
            for change in changes { records[change.record.name] = change.record }
        case .sentRecordZoneChanges(let saved, _, _): sent += saved.map(\.name)
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
        _ body: @escaping @Sendable (RecordZone, SyncEngine, Application) async throws -> Void
    ) async throws {
        try await LiveServer.withDirectory { directory in
            try await LiveNode.run(in: directory) { node in
                try await LiveServer.run(node: node, in: directory) { path, _ in
                    try await Kairan.connect(socketPath: path) { kairan in
                        let container = kairan.container("org.example.a")
                        let zone = try await container.privateDatabase.createZone(named: "notes")
                        let application = Application()
                        try await body(zone, SyncEngine(container, delegate: application), application)
                    }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `has fetched when it returns, and has sent nothing`() async throws {
        try await run { zone, engine, application in
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

    @Test(.timeLimit(.minutes(5))) func `has sent when it returns, and knows what was refused for good`() async throws {
        try await run { zone, engine, application in
            let names = (0..<450).map { "n\($0)" }
            engine.add(names.map { .save(RecordID(zone: zone.id, name: $0)) })
            engine.add([.save(RecordID(zone: "no such zone", name: "lost"))])
            try await engine.sendChanges()
            #expect(await application.sent == names)
            #expect(try await zone.record("n449").fields == ["text": "n449"])
            #expect(engine.failedChanges.map(\.change.id.name) == ["lost"])
            // Its own changes are no news.
            try await engine.fetchChanges()
            #expect(await application.records.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `works for several who ask, and beside a task that runs it`() async throws {
        try await run { zone, engine, application in
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

    @Test(.timeLimit(.minutes(5))) func `says why it could not, and keeps what it could not send`() async throws {
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
