import FoundationEssentials
import KairanClient
import Node
import ServiceLifecycle
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `A client and a server on a socket` {
    @Test(.timeLimit(.minutes(5))) func `status, peers, account and pairing arrive as they are`() async throws {
        let node = FakeNode()
        try await LiveServer.client(node: node) { client, _ in
            let status = try await client.status()
            #expect(status.state == .ready && status.pending == 3 && status.listeningPort == 4711)
            #expect(status.device == FakeNode.device.text && status.health.map(\.code) == ["disk.low"])
            let peer = try #require(try await client.peers().first)
            #expect(peer.state == .connected && peer.via == .lastKnown && peer.roundTripMilliseconds == 1.5)
            #expect(peer.skewMilliseconds == -20 && peer.role == .relayOnly)
            #expect(peer.channelVersion == 2 && peer.channelPinned == 2 && peer.isPostQuantum == true)
            #expect(peer.version == "1.2.3" && peer.revision == 7)
            let account = try await client.account()
            #expect(account.devices.first?.isThis == true && account.devices.first?.lastSeen == nil)
            #expect(account.devices.first?.addedAt == Date(timeIntervalSince1970: 1_700_000_000))
            #expect(try await client.recoveryPhrase().count == 24)
            let offer = try await client.offerPairing()
            #expect(offer.ticket == "abcd-efgh")
            #expect(try await client.acceptPairing(ticket: "abcd-efgh").words.count == 6)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a pairing without an outcome is requested again`() async throws {
        let node = FakeNode()
        node.state.withLock { $0.pairingOutcome = FakeNode.outcome }
        try await LiveServer.client(node: node) { client, _ in
            let result = try await client.pairingResult(ticket: "abcd-efgh")
            #expect(result.name == "desk")
            node.state.withLock { $0.pairingOutcome = nil }
            let request = DaemonRequest.awaitPairing(ticket: "abcd-efgh", waitMilliseconds: 0)
            #expect(try await client.document(request).isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a record comes back with the values that were saved`() async throws {
        try await LiveServer.client(node: FakeNode()) { client, _ in
            let fields: NameDictionary<RecordValue> = [
                "text": "Milk \"and\" bread\n", "count": 2, "weight": 3.0, "ratio": 0.1, "big": 9_007_199_254_740_993,
                "huge": 1e300, "nan": .double(.infinity), "yes": true, "none": nil, "bytes": .bytes([0, 255]),
                "due": .date(Date(timeIntervalSince1970: 1_700_000_000.125)), "list": [1, "two", [3.5]],
                "place": .location(latitude: 48.5, longitude: -9), "link": .reference(zone: nil, record: "n2"),
                "sum": .counter(-7), "tags": .set(["a", "b"]),
            ]
            let saved = try await client.save(RecordWrite("a/b ü?", type: "Note", fields: fields), in: "notes")
            #expect(saved.name == "a/b ü?" && saved.type == "Note")
            let read = try await client.record("a/b ü?", in: "notes")
            #expect(read.fields == fields)
            #expect(read.zone == FakeNode.zoneID.text && read.createdBy == FakeNode.device.text && !read.isDeleted)
            let deleted = try await client.save(.deletion("a/b ü?", ifVersion: read.version), in: "notes")
            #expect(deleted.isDeleted)
            await #expect(throws: KairanError.self) { try await client.record("a/b ü?", in: "notes") }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a refused write names the current version`() async throws {
        try await LiveServer.client(node: FakeNode()) { client, _ in
            let first = try await client.save(RecordWrite("n1", fields: ["a": 1]), in: "notes")
            let error = await #expect(throws: KairanError.self) {
                try await client.save(RecordWrite("n1", fields: ["a": 2], ifVersion: "old"), in: "notes")
            }
            #expect(error?.code == "record.version_mismatch" && error?.kind == .refused && error?.isRetryable == false)
            #expect(error?.problem.currentVersion == first.version)
            #expect(error?.problem.status == 409 && error?.problem.fix == "Read it again.")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an empty name is refused before it addresses the collection`() async throws {
        try await LiveServer.client(node: FakeNode()) { client, _ in
            let error = await #expect(throws: KairanError.self) { try await client.record("", in: "notes") }
            #expect(error?.code == "invalid_argument")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `batches, pages, changes and conflicts decode`() async throws {
        let node = FakeNode()
        node.state.withLock { $0.refusals["bad"] = NodeError(.recordTooLarge, "Too large.", fix: "Make it smaller.") }
        try await LiveServer.client(node: node) { client, _ in
            let writes = ["c", "a", "b"].map { RecordWrite($0, fields: ["n": 1]) }
            #expect(try await client.saveAtomically(writes, in: "notes").map(\.name) == ["c", "a", "b"])
            let outcome = try await client.saveEach([RecordWrite("d"), RecordWrite("bad")], in: "notes")
            #expect(outcome.saved == 1 && outcome.failed == 1)
            guard case .refused(let problem) = outcome.results[1] else {
                Issue.record("the second write was not refused")
                return
            }
            #expect(problem.code == "record.too_large" && problem.status == 413)
            let page = try await client.records(in: "notes", limit: 2)
            #expect(page.records.map(\.name) == ["a", "b"] && page.next == "b")
            #expect(try await client.records(in: "notes", after: "b").records.map(\.name) == ["c", "d"])
            let changes = try await client.changes(zone: "notes", since: "t 0&")
            #expect(changes.token == "t1" && changes.changes.allSatisfy { $0.bySync && $0.kind == .save })
            #expect(node.calls.last == "changes notes since:t 0& limit:200")
            let conflicts = try await client.conflicts(zone: "notes")
            #expect(conflicts.map(\.name) == ["n1", "n2"])
            #expect(node.calls.last == "conflicts notes of:- after:c 1& limit:1000")
            #expect(try await client.conflict(of: "x y", in: "notes")?.name == "x y")
            #expect(node.calls.last == "conflicts notes of:x y after:- limit:1")
            let conflict = try #require(conflicts.first)
            #expect(conflict.siblings.map(\.version) == ["s1", "s2"] && conflict.ancestor == nil)
            try await client.resolve("a", in: "notes", with: .take("s1"))
            #expect(node.state.withLock { $0.lastResolution } == "take(version: \"s1\")")
            #expect(try await client.zone("notes").peers.first?.behind == 3)
            #expect(try await client.createZone(name: "notes", container: "c", history: .fromJoin).name == "notes")
            try await client.deleteZone("notes")
            try await client.removeDevice(FakeNode.other.text)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an export brings all pages, and its lines import again`() async throws {
        let node = FakeNode()
        try await LiveServer.client(node: node) { client, _ in
            let writes = AsyncStream<RecordWrite> { continuation in
                for index in 0..<1234 {
                    continuation.yield(RecordWrite("r\(index)", fields: ["i": .integer(Int64(index))]))
                }
                continuation.finish()
            }
            var last: ImportProgress?
            for try await progress in try await client.importRecords(writes, into: "notes") { last = progress }
            #expect(last?.saved == 1234 && last?.failed == 0 && last?.isFinal == true)
            #expect(node.state.withLock { $0.writeSizes.max() ?? 0 } <= ImportSession.lineCountMax)
            var names: Set<String> = []
            for try await record in try await client.export(zone: "notes") { names.insert(record.name) }
            #expect(names.count == 1234)
            let lines = try await client.exportLines(zone: "notes")
            var again: ImportProgress?
            let pieces = lines.map { $0 + [UInt8(ascii: "\n")] }
            for try await element in try await client.importDocuments(pieces, into: "notes") {
                again = element.progress
            }
            #expect(again?.saved == 1234 && again?.isFinal == true)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a daemon that does not run is named at once with the way out`() async throws {
        try await LiveServer.withDirectory { directory in
            try await DaemonClient.withClient(socketPath: directory + "/none") { client in
                let error = await #expect(throws: KairanError.self) { try await client.status() }
                #expect(error?.kind == .unreachable && error?.code == "daemon.unreachable")
                #expect(error?.description.contains("no such socket") == true)
            }
            let long = String(repeating: "x", count: 200)
            try await DaemonClient.withClient(socketPath: directory + long) { client in
                let error = await #expect(throws: KairanError.self) { try await client.status() }
                #expect(error?.kind == .unreachable)
            }
        }
    }
}
