import FoundationEssentials
import KairanClient
import Node
import ServiceLifecycle
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `Streams over a socket` {
    @Test(.timeLimit(.minutes(5))) func `events are numbered and describe the change`() async throws {
        let node = FakeNode()
        try await LiveServer.client(node: node) { client, _ in
            var iterator = try await client.events(zone: "notes", since: "t9").makeAsyncIterator()
            let snapshot = try #require(try await iterator.next())
            guard case .snapshot(let zones) = snapshot.kind else {
                Issue.record("the first event is no snapshot")
                return
            }
            #expect(snapshot.number == 0 && snapshot.token == "t9" && zones.map(\.name) == ["notes"])
            let record = try await client.save(RecordWrite("n1"), in: "notes")
            let view = try #require(node.state.withLock { $0.records["n1"] })
            let feed = try #require(node.state.withLock { $0.events })
            feed.yield(.change(ChangeView(record: view, bySync: false), token: "t10"))
            feed.yield(.peer(FakeNode.peer))
            feed.yield(.zone(ZoneChangeView(status: node.zoneStatus, departure: "deleted"), token: "t11"))
            let report = SyncEvent(
                number: 7,
                kind: .import,
                zone: nil,
                peer: FakeNode.other,
                account: FakeNode.account,
                count: 4,
                startedMilliseconds: 1_700_000_000_000,
                durationMilliseconds: 250,
                error: "peer.gone"
            )
            feed.yield(.sync(report))
            let anomaly = AnomalyEvent(
                kind: .outOfRight,
                count: 3,
                author: FakeNode.other,
                authorName: "old laptop",
                zone: ZoneID(.zero)
            )
            feed.yield(.anomaly(anomaly))
            feed.yield(.transfer(ZoneID(.zero)))
            feed.yield(.end(reason: "too_slow"))
            let change = try #require(try await iterator.next())
            guard case .change(let changed) = change.kind else {
                Issue.record("the second event is no change")
                return
            }
            #expect(change.number == 1 && change.token == "t10" && changed.record == record && !changed.bySync)
            #expect(try await iterator.next()?.number == 2)
            let gone = try #require(try await iterator.next())
            guard case .zone(let news) = gone.kind, news.departure?.reason == .deleted else {
                Issue.record("the fourth event tells of no zone's end")
                return
            }
            #expect(gone.number == 3 && gone.token == "t11")
            guard case .sync(let sync)? = try await iterator.next()?.kind else {
                Issue.record("the fifth event is no report")
                return
            }
            #expect(sync.kind == .import && sync.count == 4 && sync.error?.rawValue == "peer.gone" && sync.zone == nil)
            #expect(sync.id == 7 && !sync.succeeded && sync.durationMilliseconds == 250)
            #expect(sync.startedAt.timeIntervalSince1970 == 1_700_000_000 && sync.endedAt != nil)
            guard case .anomaly(let told)? = try await iterator.next()?.kind else {
                Issue.record("the sixth event is no anomaly")
                return
            }
            #expect(told.kind == .outOfRight && told.count == 3 && told.zone == ZoneID(.zero).text)
            #expect(told.author == FakeNode.other.text && told.authorName == "old laptop")
            #expect(told.peer == nil && told.peerName == nil && told.account == nil)
            guard case .transfer(let offered)? = try await iterator.next()?.kind else {
                Issue.record("the seventh event tells of no offer")
                return
            }
            #expect(offered == ZoneID(.zero).text)
            guard case .end(let reason)? = try await iterator.next()?.kind else {
                Issue.record("the last event is no end")
                return
            }
            #expect(reason == "too_slow")
            #expect(try await iterator.next() == nil)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an open event stream ends when the daemon stops`() async throws {
        let node = FakeNode()
        try await LiveServer.client(node: node) { client, group in
            var iterator = try await client.events().makeAsyncIterator()
            _ = try await iterator.next()
            await group.triggerGracefulShutdown()
            guard case .end(let reason)? = try await iterator.next()?.kind else {
                Issue.record("the stream ended without saying so")
                return
            }
            #expect(reason == "stopping")
            #expect(try await iterator.next() == nil)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a reader that leaves ends its subscription`() async throws {
        let node = FakeNode()
        try await LiveServer.withDirectory { directory in
            try await LiveServer.run(node: node, in: directory) { path, _ in
                try await DaemonClient.withClient(socketPath: path) { client in
                    for try await _ in try await client.events() { break }
                }
                // The connection is closed now; the server learns of it from the connection, not from a heartbeat.
                while !node.state.withLock({ $0.hasEndedSubscription }) { await Task.yield() }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `each line of a slow import is confirmed before the next is sent`() async throws
    {
        let node = FakeNode()
        try await LiveServer.client(node: node) { client, _ in
            let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            continuation.yield(Array(#"{"name":"a","fields":{"x":1}}"#.utf8) + [10])
            var iterator = try await client.importDocuments(pieces, into: "notes").makeAsyncIterator()
            #expect(try await iterator.next()?.progress.saved == 1)
            continuation.yield(Array("{\"name\":\"b\",\"fie".utf8))
            continuation.yield(Array("lds\":{}}\r\n\n  \nnonsense\n{\"name\":\"c\",\"size\":1}\n{\"name\":\"d\"}".utf8))
            continuation.finish()
            var failures: [ImportFailure] = []
            var last: ImportProgress?
            while let element = try await iterator.next() {
                failures += element.progress.errors
                last = element.progress
            }
            #expect(last?.saved == 3 && last?.failed == 2 && last?.isFinal == true)
            #expect(failures.map(\.line) == [5, 6])
            #expect(failures.map(\.code) == ["request.malformed_json", "invalid_argument"])
            #expect(failures.last?.detail.contains("size") == true)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an import stops where the next lines would fail as well`() async throws {
        let node = FakeNode()
        node.state.withLock { $0.refusals["full"] = NodeError(.diskFull, "No space.", fix: "Make some.") }
        try await LiveServer.client(node: node) { client, _ in
            let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            continuation.yield(Array("{\"name\":\"a\"}\n{\"name\":\"full\"}\n".utf8))
            var iterator = try await client.importDocuments(pieces, into: "notes").makeAsyncIterator()
            var counted = 0
            let error = await #expect(throws: KairanError.self) {
                while let element = try await iterator.next() {
                    counted = element.progress.saved + element.progress.failed
                }
            }
            continuation.finish()
            #expect(counted == 2 && error?.code == "storage.disk_full" && error?.isRetryable == true)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an import that is going on ends in order when the daemon stops`() async throws
    {
        try await LiveServer.client(node: FakeNode()) { client, group in
            let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            continuation.yield(Array("{\"name\":\"a\"}\n{\"name\":\"half".utf8))
            var iterator = try await client.importDocuments(pieces, into: "notes").makeAsyncIterator()
            #expect(try await iterator.next()?.progress.saved == 1)
            await group.triggerGracefulShutdown()
            var last: ImportProgress?
            let error = await #expect(throws: KairanError.self) {
                while let element = try await iterator.next() { last = element.progress }
            }
            continuation.finish()
            #expect(error?.code == "not_ready" && last?.saved == 1 && last?.isFinal == false)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an import into an unknown zone is refused with a status`() async throws {
        try await LiveServer.client(node: FakeNode()) { client, _ in
            let pieces = AsyncStream<[UInt8]> { $0.finish() }
            let error = await #expect(throws: KairanError.self) {
                for try await _ in try await client.importDocuments(pieces, into: "nowhere") {}
            }
            #expect(error?.code == "zone.unknown" && error?.problem.status == 404)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an export that fails half-way does not look complete`() async throws {
        let node = FakeNode()
        try await LiveServer.client(node: node) { client, _ in
            let writes = (0..<501).map { RecordWrite("r\($0)", fields: ["text": .string("\($0)")]) }
            _ = try await client.saveEach(writes, in: "notes")
            node.state.withLock { $0.failsSecondPage = true }
            var count = 0
            let error = await #expect(throws: KairanError.self) {
                for try await _ in try await client.export(zone: "notes") { count += 1 }
            }
            #expect(error?.kind == .interrupted && count <= 500)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a cancelled call ends with a cancellation on both sides`() async throws {
        let node = FakeNode()
        let (entered, continuation) = AsyncStream.makeStream(of: Void.self)
        node.state.withLock { state in
            state.gate = {
                continuation.yield()
                let (never, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
            }
        }
        try await LiveServer.client(node: node) { client, _ in
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do {
                        _ = try await client.acceptPairing(ticket: "abcd")
                        return false
                    } catch {
                        return error is CancellationError
                    }
                }
                var arrivals = entered.makeAsyncIterator()
                _ = await arrivals.next()
                group.cancelAll()
                #expect(await group.next() == true)
            }
            while !node.state.withLock({ $0.hasSeenCancellation }) { await Task.yield() }
        }
    }
}
