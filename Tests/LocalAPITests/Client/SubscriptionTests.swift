import FoundationEssentials
import KairanClient
import Node
import Testing

/// The names that a subscription reported.
actor Told {
    private(set) var names: [String] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func add(_ name: String) {
        names.append(name)
        let waiting = self.waiting
        self.waiting = []
        for continuation in waiting { continuation.resume() }
    }

    func until(_ name: String) async {
        while !names.contains(name) { await withCheckedContinuation { waiting.append($0) } }
    }
}

@Suite struct `A subscription before a real node` {
    private struct Job: RecordContent {
        var text = ""
        var isDone = false
    }

    @Test(.timeLimit(.minutes(5)))
    func `to a query begins with its answer and reports the records that enter and leave it`()
        async throws
    {
        try await LiveServer.withDirectory { directory in
            try await LiveNode.run(in: directory) { node in
                try await Kairan.connect(socketPath: directory + "/s") { kairan in
                    let container = kairan.container("org.example.a")
                    let told = Told()
                    let id = try await LiveServer.run(node: node, in: directory) { _, _ in
                        let zone = try await container.privateDatabase.createZone(named: "jobs")
                        try await zone.save(TypedRecord("old", Job(text: "a", isDone: true)))
                        try await zone.save(TypedRecord("one", Job(text: "a")))
                        return zone.id
                    }
                    let zone = container.zone(id: id)
                    let query = zone.query(Job.self, where: "isDone = \(false) and text = \("a")")
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask {
                            for try await event in query.subscription() { await told.add(Self.text(event.kind)) }
                            await told.add("ended")
                        }
                        try await LiveServer.run(node: node, in: directory) { _, _ in
                            await told.until("answer one")
                            let two = try await zone.save(TypedRecord("two", Job(text: "a")))
                            await told.until("+two")
                            var done = two
                            done.value.isDone = true
                            try await zone.save(done)
                            await told.until("-two")
                        }
                        try await LiveServer.run(node: node, in: directory) { _, _ in
                            try await Self.save(TypedRecord("three", Job(text: "a")), in: zone)
                            await told.until("+three")
                            try await zone.delete("one")
                            await told.until("-one")
                            try await zone.delete()
                            await told.until("ended")
                        }
                        try await group.waitForAll()
                    }
                    #expect(
                        await told.names == ["answer one", "+two", "-two", "+three", "-one", "gone deleted", "ended"]
                    )
                }
            }
        }
    }

    private static func text(_ kind: QuerySubscription<Job>.Kind) -> String {
        switch kind {
        case .answer(let jobs): "answer " + jobs.map(\.name).joined(separator: ",")
        case .saved(let job): "+" + job.name
        case .removed(let name): "-" + name
        case .gone(let departure): "gone \(departure.reason)"
        }
    }

    private static func save(_ record: TypedRecord<Job>, in zone: RecordZone) async throws {
        do {
            try await zone.save(record)
        } catch let error as KairanError where error.isRetryable {
            try await zone.save(record)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `to a query that continues from a token reports only later changes`()
        async throws
    {
        try await LiveServer.withDirectory { directory in
            try await LiveNode.run(in: directory) { node in
                try await LiveServer.run(node: node, in: directory) { path, _ in
                    try await Kairan.connect(socketPath: path) { kairan in
                        let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "jobs")
                        try await zone.save(TypedRecord("one", Job(text: "a")))
                        let query = zone.query(Job.self, where: "isDone = \(false)")
                        var first = query.subscription().makeAsyncIterator()
                        let answer = try #require(try await first.next())
                        #expect(Self.text(answer.kind) == "answer one" && answer.token != nil)
                        try await zone.save(TypedRecord("two", Job(text: "b")))
                        var later = query.subscription(since: answer.token).makeAsyncIterator()
                        #expect(try await later.next().map { Self.text($0.kind) } == "+two")
                        // A token of another query is not valid: then the whole answer comes.
                        let other = zone.query(Job.self, where: "isDone = \(true)").subscription(since: answer.token)
                        var anew = other.makeAsyncIterator()
                        #expect(try await anew.next().map { Self.text($0.kind) } == "answer ")
                        var wrong = zone.query(Job.self, where: "isDone = \(Double.nan)").subscription()
                            .makeAsyncIterator()
                        await #expect(throws: KairanError.self) { try await wrong.next() }
                    }
                }
            }
        }
    }

    /// Saves a record.
    ///
    /// A connection that was kept from before a restart may show only now that it has ended, and nothing was written
    /// then.
    private static func save(_ name: String, in zone: RecordZone) async throws {
        do {
            try await zone.save(RecordWrite(name))
        } catch let error as KairanError where error.isRetryable {
            try await zone.save(RecordWrite(name))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `waits for the daemon, continues after a restart, and reports nothing twice`()
        async throws
    {
        try await LiveServer.withDirectory { directory in
            try await LiveNode.run(in: directory) { node in
                try await Kairan.connect(socketPath: directory + "/s") { kairan in
                    let container = kairan.container("org.example.a")
                    let id = try await LiveServer.run(node: node, in: directory) { _, _ in
                        try await container.privateDatabase.createZone(named: "notes").id
                    }
                    let zone = container.zone(id: id)
                    let told = Told()
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask {
                            for try await event in zone.subscription() {
                                switch event.kind {
                                case .started: await told.add("started")
                                case .event(.change(let change)): await told.add(change.record.name)
                                default: break
                                }
                            }
                        }
                        for part in ["a", "b"] {
                            try await LiveServer.run(node: node, in: directory) { _, _ in
                                await told.until("started")
                                for number in 0..<3 { try await Self.save("\(part)\(number)", in: zone) }
                                await told.until("\(part)2")
                            }
                        }
                        group.cancelAll()
                        // It was cancelled, which is how it ends.
                        await #expect(throws: CancellationError.self) { try await group.waitForAll() }
                    }
                    #expect(await told.names == ["started", "a0", "a1", "a2", "b0", "b1", "b2"])
                }
            }
        }
    }
}
