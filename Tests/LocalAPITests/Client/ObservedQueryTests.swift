import KairanClient
import KairanTesting
import Observation
import Testing

@Suite struct `An observed query` {
    private struct Job: RecordContent, Equatable {
        var text = ""
        var rank = 0
        var isDone = false
    }

    private struct Other: RecordContent {
        static let recordType = "Job"
        var text: Int
    }

    /// Waits until a condition holds; it is checked whenever observers are notified.
    private static func until<Value>(
        _ query: ObservedQuery<Value>,
        _ isSo: @escaping @Sendable (ObservedQuery<Value>.Snapshot) -> Bool
    ) async {
        for await snapshot in Observations({ query.snapshot }) where isSo(snapshot) { return }
    }

    private static func until<Value>(_ query: ObservedQuery<Value>, holds names: [String]) async {
        await until(query) { $0.records.map(\.name) == names }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `holds the answer of the query, in its order and up to its limit, while it changes`(
        backend: Backend
    )
        async throws
    {
        try await backend.run { kairan in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "jobs")
            for (rank, name) in ["c", "a", "b"].enumerated() {
                try await zone.save(TypedRecord(name, Job(text: name, rank: rank)))
            }
            let query = zone.query(Job.self, where: "isDone = \(false)", sort: ["rank"], limit: 2).observed()
            #expect(query.records.isEmpty)
            guard case .idle = query.phase else { return #expect(Bool(false), "\(query.phase)") }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await query.run() }
                do {
                    await Self.until(query, holds: ["c", "a"])
                    var first = try await zone.record("c", as: Job.self)
                    first.value.isDone = true
                    try await zone.save(first)
                    await Self.until(query, holds: ["a", "b"])
                    try await zone.save(TypedRecord("d", Job(rank: -1)))
                    await Self.until(query, holds: ["d", "a"])
                    try await zone.delete("d")
                    await Self.until(query, holds: ["a", "b"])
                    #expect(!query.isCut)
                    try await zone.delete()
                } catch {
                    Issue.record(error)
                    group.cancelAll()
                }
                await group.waitForAll()
            }
            guard case .gone(let departure) = query.phase else { return #expect(Bool(false), "\(query.phase)") }
            #expect(departure == ZoneDeparture(zone: zone.id, reason: .deleted) && query.records.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `holds no more than it may, and keeps its records when its task is cancelled`(backend: Backend) async throws {
        try await backend.run { kairan in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "jobs")
            try await zone.saveEach((0..<5).compactMap { try TypedRecord("n\($0)", Job()).write() })
            let query = zone.query(Job.self).observed(countMax: 3)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await query.run() }
                await Self.until(query) { $0.records.count == 3 && $0.isCut }
                group.cancelAll()
            }
            guard case .idle = query.phase else { return #expect(Bool(false), "\(query.phase)") }
            #expect(query.records.map(\.name) == ["n0", "n1", "n2"])
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `ends with the fault as its phase`(backend: Backend) async throws {
        try await backend.run { kairan in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "jobs")
            try await zone.save(TypedRecord("a", Job(text: "a")))
            func failure<Value>(_ query: ObservedQuery<Value>) async -> String? {
                await query.run()
                guard case .failed(let error) = query.phase else { return nil }
                return error.code
            }
            #expect(await failure(zone.query(Job.self, where: "isDone =").observed()) == "query.bad_predicate")
            #expect(await failure(zone.query(Other.self).observed()) == "record.undecodable")
            try await zone.delete()
            #expect(await failure(zone.query(Job.self).observed()) == "zone.deleted")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `is stale with the records it has while the daemon is away, and current afterwards`()
        async throws
    {
        let daemon = MemoryDaemon()
        let zone = try await daemon.kairan.container("org.example.a").defaultZone()
        try await zone.save(TypedRecord("a", Job(text: "a")))
        let query = zone.query(Job.self).observed()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await query.run() }
            await Self.until(query) { if case .current = $0.phase { true } else { false } }
            daemon.stop()
            // Nothing changes, and no question is open: the broken stream alone shows it.
            await Self.until(query) { if case .stale = $0.phase { true } else { false } }
            #expect(query.records.map(\.name) == ["a"])
            daemon.start()
            await Self.until(query) { if case .current = $0.phase { true } else { false } }
            #expect(query.records.map(\.name) == ["a"])
            daemon.stop()
            await Self.until(query) { if case .stale = $0.phase { true } else { false } }
            daemon.start()
            try await zone.save(TypedRecord("b", Job(text: "b")))
            await Self.until(query) { snapshot in
                if case .current = snapshot.phase { snapshot.records.map(\.name) == ["a", "b"] } else { false }
            }
            group.cancelAll()
        }
    }

    @Test(.timeLimit(.minutes(5))) func `waits for a daemon that is away, and is current when it is back`() async throws
    {
        let daemon = MemoryDaemon()
        let zone = try await daemon.kairan.container("org.example.a").defaultZone()
        let query = zone.query(Job.self).observed()
        daemon.stop()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await query.run() }
            await Self.until(query) { if case .loading = $0.phase { true } else { false } }
            daemon.start()
            try await zone.save(TypedRecord("a", Job()))
            await Self.until(query, holds: ["a"])
            daemon.stop()
            daemon.start()
            try await zone.save(TypedRecord("b", Job()))
            await Self.until(query, holds: ["a", "b"])
            daemon.expireTokens()
            try await zone.save(TypedRecord("c", Job()))
            await Self.until(query, holds: ["a", "b", "c"])
            group.cancelAll()
        }
    }
}
