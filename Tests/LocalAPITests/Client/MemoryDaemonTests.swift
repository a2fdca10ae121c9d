import KairanClient
import KairanTesting
import Testing

@Suite struct `The daemon in memory` {
    private struct Job: RecordContent, Equatable {
        var text = ""
        var isDone = false
    }

    @Test(.timeLimit(.minutes(10)), arguments: 0..<12)
    func `answers whatever is asked of zones, records, queries and changes as the real one does`(
        seed: UInt64
    )
        async throws
    {
        var transcripts: [[String]] = []
        for backend in Backend.allCases {
            transcripts.append(
                try await backend.run { kairan in
                    let transcript = Transcript(kairan, seed: seed)
                    await transcript.run(500)
                    return await transcript.lines
                }
            )
        }
        let (real, double) = (transcripts[0], transcripts[1])
        #expect(real.count >= 500 && real.count == double.count)
        for (number, (expected, found)) in zip(real, double).enumerated() where expected != found {
            Issue.record("seed \(seed), answer \(number):\nreal   \(expected)\ndouble \(found)")
            return
        }
        // Enough of it is no refusal.
        #expect(real.count { $0.contains(" v") } > 60, "seed \(seed)")
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `reports the same to subscribers of zones, containers and queries`(backend: Backend) async throws {
        let told = Told()
        try await backend.run { kairan in
            let container = kairan.container("org.example.a")
            let zone = try await container.privateDatabase.createZone(named: "jobs")
            try await zone.save(TypedRecord("old", Job(text: "a", isDone: true)))
            let query = zone.query(Job.self, where: "isDone = \(false)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, subscription) in [("zone", zone.subscription()), ("container", container.subscription())] {
                    group.addTask {
                        for try await event in subscription { await told.add(name + " " + Self.text(event.kind)) }
                        await told.add(name + " ended")
                    }
                }
                group.addTask {
                    for try await event in query.subscription() { await told.add("query " + Self.text(event.kind)) }
                    await told.add("query ended")
                }
                for start in ["zone started 1", "container started 1", "query answer"] { await told.until(start) }
                var one = try await zone.save(TypedRecord("one", Job(text: "a")))
                await told.until("query +one")
                one.value.isDone = true
                try await zone.save(one)
                await told.until("query -one")
                try await zone.delete("one")
                for name in ["zone", "container"] { await told.until(name + " delete one") }
                try await container.privateDatabase.createZone(named: "other").save(RecordWrite("x", type: "Job"))
                await told.until("container save x")
                try await zone.delete()
                for name in ["zone ended", "query ended", "container zone jobs deleted"] { await told.until(name) }
                group.cancelAll()
                // Only the one of the container goes on until it is cancelled.
                await #expect(throws: CancellationError.self) { try await group.waitForAll() }
            }
        }
        func lines(_ name: String) async -> [String] {
            await told.names.filter { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
        }
        // Changes in quick succession may be reported once, with the newest state.
        #expect(
            await lines("zone") == ["started 1", "save one", "save one", "delete one", "zone jobs deleted", "ended"]
        )
        #expect(
            await lines("container") == [
                "started 1", "save one", "save one", "delete one", "zone other", "save x", "zone jobs deleted",
            ]
        )
        #expect(await lines("query").prefix(3) == ["answer", "+one", "-one"])
    }

    private static func text(_ kind: Subscription.Kind) -> String {
        switch kind {
        case .started(let zones): "started \(zones.count)"
        case .event(.change(let change)): "\(change.kind) \(change.record.name)"
        case .event(.zone(let change)): "zone \(change.zone.name)" + (change.departure.map { " \($0.reason)" } ?? "")
        case .event(let other): "\(other)"
        case .resumed: "resumed"
        case .expired: "expired"
        }
    }

    private static func text(_ kind: QuerySubscription<Job>.Kind) -> String {
        switch kind {
        case .answer(let jobs): "answer" + jobs.map { " " + $0.name }.joined()
        case .saved(let job): "+" + job.name
        case .removed(let name): "-" + name
        case .gone(let departure): "gone \(departure.reason)"
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `refuses a token of a query or a part for the whole, and a cursor of another query`(
        backend: Backend
    )
        async throws
    {
        try await backend.run { kairan in
            let client = kairan.client
            let one = try await client.createZone(name: "one", container: "org.example.a").zone
            let other = try await client.createZone(name: "other", container: "org.example.a").zone
            for name in ["a", "b"] { try await client.save(RecordWrite(name, type: "T", fields: ["n": 1]), in: one) }
            let (all, part) = (try await client.changes().token, try await client.changes(zone: one).token)
            #expect(try await client.changes(zone: one, since: all).changes.isEmpty)
            for (zone, token) in [(other, part), (nil, part), (one, part + "a"), (one, "a")] {
                let error = await #expect(throws: KairanError.self) {
                    try await client.changes(zone: zone, since: token)
                }
                #expect(error?.code == "token.expired")
            }
            let cursor = try #require(try await client.query(RecordQuery(type: "T"), in: one, limit: 1).cursor)
            let error = await #expect(throws: KairanError.self) {
                try await client.query(RecordQuery(type: "T", where: "n = 1"), in: one, cursor: cursor)
            }
            #expect(error?.code == "query.bad_cursor")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `reports the state of the record of a refused write in a batch, and no other`(
        backend: Backend
    )
        async throws
    {
        try await backend.run { kairan in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "notes")
            let old = try await zone.save(RecordWrite("old", type: "T"))
            let outcomes = try await zone.saveEach([
                .deletion("new"), RecordWrite("new", type: "T"), RecordWrite("old", ifVersion: ""),
                RecordWrite("old", fields: ["n": 1]),
            ])
            let problems = outcomes.compactMap { if case .refused(let problem) = $0 { problem } else { nil } }
            #expect(problems.map(\.code) == ["record.unknown", "record.version_mismatch"])
            #expect(
                problems[1].current?.fields == ["n": 1] && problems[1].currentVersion == problems[1].current?.version
            )

            // The writes of an atomic batch before its refusal are undone.
            let error = await #expect(throws: KairanError.self) {
                try await zone.saveAtomically([
                    RecordWrite("old", fields: ["n": 2]), RecordWrite("old", fields: ["n": 3], ifVersion: old.version),
                ])
            }
            #expect(error?.problem.current?.fields == ["n": 1] && error?.problem.ancestor == old)
            #expect(error?.problem.currentVersion == error?.problem.current?.version && error?.problem.index == 1)
        }
    }

    @Test func `refuses unsupported calls with that reason`() async throws {
        let daemon = MemoryDaemon()
        let client = daemon.kairan.client
        let zone = try await client.createZone(name: "notes", container: "org.example.a").zone
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await client.share(of: zone) },
            { try await client.leave(zone) },
            { _ = try await client.containers() },
            { for try await _ in try await client.export(zone: zone) {} },
            { _ = try await client.pairZone(name: "p", container: "org.example.a", with: "x") },
            { try await client.save(RecordWrite("n", type: "T", fields: ["of": .anchor(record: "a")]), in: zone) },
            { _ = try await client.resolve("n", in: zone, with: .fields([:])) },
        ]
        for call in calls {
            let error = await #expect(throws: KairanError.self) { try await call() }
            #expect(error?.code == "double.unsupported" && error?.isRetryable == false)
        }
        #expect(try await client.records(in: zone).records.isEmpty)
    }

    @Test(.timeLimit(.minutes(1))) func `can stop, start, and invalidate its tokens`() async throws {
        let daemon = MemoryDaemon()
        let container = daemon.kairan.container("org.example.a")
        let zone = try await container.privateDatabase.createZone(named: "notes")
        let token = try await zone.changes().token
        let told = Told()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await event in zone.subscription() { await told.add(Self.text(event.kind)) }
            }
            await told.until("started 1")
            daemon.stop()
            let error = await #expect(throws: KairanError.self) { try await zone.save(RecordWrite("a", type: "T")) }
            #expect(error?.code == "daemon.unreachable" && error?.isRetryable == true)
            daemon.start()
            // The states of assets, which no event repeats, are to be asked for again.
            await told.until("resumed")
            try await zone.save(RecordWrite("a", type: "T"))
            await told.until("save a")
            daemon.expireTokens()
            await told.until("expired")
            let expired = await #expect(throws: KairanError.self) { try await zone.changes(since: token) }
            #expect(expired?.code == "token.expired")
            #expect(try await zone.record("a").type == "T")
            group.cancelAll()
        }
    }

    @Test(.timeLimit(.minutes(1))) func `ends the stream of a reader that is too slow, which continues from its token`()
        async throws
    {
        let client = MemoryDaemon().kairan.client
        let zone = try await client.createZone(name: "notes", container: "org.example.a").zone
        var events = try await client.events(zone: zone).makeAsyncIterator()
        for number in 0..<3000 { try await client.save(RecordWrite("n\(number)", type: "T"), in: zone) }
        var (seen, token): (Int, String?) = (0, nil)
        while let event = try await events.next() {
            if case .change = event.kind { seen += 1 }
            token = event.token ?? token
        }
        #expect((1..<3000).contains(seen))
        var rest = try await client.events(zone: zone, since: token).makeAsyncIterator()
        while seen < 3000, let event = try await rest.next() { if case .change = event.kind { seen += 1 } }
        #expect(seen == 3000)
    }
}
