import FoundationEssentials
import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

@Suite struct `Messages through the library` {
    @Test(.timeLimit(.minutes(5))) func `arrive as they are`() async throws {
        let node = FakeNode()
        try await LiveServer.client(node: node) { client, _ in
            let sent = try await client.send("Hello", in: "notes")
            #expect(sent.text == "Hello" && sent.data == nil && sent.state == .sent && sent.recipients.isEmpty)
            #expect(sent.sentAt == Date(timeIntervalSince1970: 1_700_000_000) && sent.expiresAt == nil)
            let draft = OutgoingMessage(
                .data(Data([0, 255])),
                contentType: "image/png",
                to: ["someone1"],
                reference: .reply(to: "m"),
                seconds: 60
            )
            let reply = try await client.send(draft, in: "notes")
            #expect(reply.data == Data([0, 255]) && reply.replyTo == "m" && reply.recipients.count == 1)
            #expect(reply.expiresAt == Date(timeIntervalSince1970: 1_700_000_060))
            #expect(node.calls.last == "send 2 image/png [\"someone1\"] reply m 60000")
            let edit = OutgoingMessage("b", reference: .edit(of: "m"))
            #expect(try await client.send(edit, in: "notes").edits == "m")
            let reaction = OutgoingMessage("👍", reference: .reaction(to: "m"))
            #expect(try await client.send(reaction, in: "notes").reactsTo == "m")
            let page = try await client.messages(in: "notes", limit: 1)
            #expect(page.messages.map(\.number) == [7] && page.next == 7)
            let last = try await client.messages(in: "notes", after: 7)
            #expect(last.messages.map(\.state) == [.forOthers] && last.next == nil)
            let shown = try await client.message(FakeNode.messageID)
            #expect(shown.deliveries?.map(\.state) == [.queued, .read])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `that are large are uploaded, and report it`() async throws {
        let node = FakeNode()
        try await LiveServer.client(node: node) { client, _ in
            // An empty piece is no end.
            let pieces = [[1, 2], [], [3]] as [[UInt8]]
            for size in [nil, 3] {
                let stream = AsyncStream { continuation in
                    for piece in pieces { continuation.yield(piece) }
                    continuation.finish()
                }
                let payload = try await client.handIn(stream, size: size, in: "notes")
                #expect(payload.payload == FakeNode.payloadID.text && payload.zone == FakeNode.zoneID.text)
                #expect(payload.size == 3 && node.state.withLock { $0.handedIn } == [1, 2, 3])
            }
            let message = OutgoingMessage(.payload(FakeNode.payloadID.text), contentType: "image/png")
            let sent = try await client.send(message, in: "notes")
            #expect(sent.payload?.payload == FakeNode.payloadID.text)
            #expect(sent.payload?.state == .present && sent.payload?.percent == 100)
            #expect(sent.size == 3 && sent.text == nil && sent.data == nil && sent.contentType == "image/png")
            #expect(try await client.message(FakeNode.messageID).payload == nil)
        }
    }

    @Test func `that are to go at no time are refused by the daemon, not by a trap`() async throws {
        try await LiveServer.client(node: FakeNode()) { client, _ in
            let error = await #expect(throws: KairanError.self) {
                try await client.send(OutgoingMessage("a", seconds: .max), in: "notes")
            }
            #expect(error?.code == "invalid_argument")
        }
    }

    @Test func `are finished up to a number, of all zones or of one`() async throws {
        let node = FakeNode()
        node.state.withLock { $0.inbox = [FakeNode.message(), FakeNode.message(number: 9)] }
        try await LiveServer.client(node: node) { client, _ in
            let first = try await client.finishMessages(through: 8)
            let second = try await client.finishMessages(through: .max, in: "notes")
            #expect(first.finished == 1 && second.finished == 1)
            let error = await #expect(throws: KairanError.self) {
                try await client.finishMessages(through: 8, in: "other")
            }
            #expect(error?.code == "zone.unknown" && node.calls.contains("finish through \(Int64.max) notes"))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `are delivered to the listener, each once, and not after they are finished`()
        async throws
    {
        let node = FakeNode()
        let ids = (0..<3).map { String(repeating: "\($0)", count: 32) }
        node.state.withLock { $0.inbox = [FakeNode.message(ids[0], number: 7), FakeNode.message(ids[1], number: 9)] }
        try await LiveServer.client(node: node) { client, _ in
            var told: [String] = []
            for try await message in client.incomingMessages() {
                told.append(message.message)
                try await client.finishMessage(message.message)
                if told.count == 2 { node.state.withLock { $0.inbox = [FakeNode.message(ids[2], number: 10)] } }
                if told.count == 3 { break }
            }
            #expect(told == ids && node.state.withLock { $0.inbox.isEmpty })
        }
    }
}

@Suite struct `Messages while the daemon comes and goes` {
    @Test(.timeLimit(.minutes(5))) func `are waited for, and reported once`() async throws {
        let node = FakeNode()
        let ids = ["a", "b"].map { String(repeating: $0, count: 32) }
        try await LiveServer.withDirectory { directory in
            try await DaemonClient.withClient(socketPath: directory + "/s") { client in
                try await withThrowingTaskGroup(of: [String].self) { group in
                    group.addTask {
                        var told: [String] = []
                        for try await message in client.incomingMessages() {
                            told.append(message.message)
                            try await client.finishMessage(message.message)
                            if told.count == ids.count { break }
                        }
                        return told
                    }
                    for id in ids {
                        try await LiveServer.run(node: node, in: directory) { _, _ in
                            node.state.withLock { $0.inbox.append(FakeNode.message(id)) }
                            while node.state.withLock({ !$0.inbox.isEmpty }) { await Task.yield() }
                        }
                    }
                    #expect(try await group.next() == ids)
                }
            }
        }
    }
}

@Suite struct `Listening for messages` {
    private func message(_ id: String, _ number: UInt64) throws -> Message {
        try DaemonClient.decode(FakeNode.message(id, number: number).json.encoded)
    }

    private let unreachable = KairanError(
        .unreachable,
        problem: Problem(type: "", title: "", status: 0, code: "x", detail: "", fix: "", isRetryable: true)
    )

    @Test func `asks for later messages than the known ones, and reports each once, oldest first`() throws {
        var core = InboxCore()
        let (a, b, c) = (try message("a", 3), try message("b", 5), try message("c", 6))
        #expect(core.number == nil && core.received([a, b]) == [a, b])
        #expect(core.number == 5 && core.received([c]) == [c])
        #expect(core.number == 6 && core.received([]) == [] && core.number == 6 && core.pauseMilliseconds == 0)
    }

    @Test func `asks for all again after the daemon was away, and reports nothing twice`() throws {
        var core = InboxCore()
        let (a, b, c) = (try message("a", 3), try message("b", 5), try message("c", 1))
        _ = core.received([a, b])
        try core.failed(unreachable)
        // Its store was rolled back: the numbers are others.
        #expect(core.number == nil && core.received([c, a]) == [c])
        // A message that was missing from that list was finished.
        #expect(core.number == 3 && core.received([b]) == [b])
    }

    @Test func `requests all again now and then, to drop finished ones`() throws {
        var core = InboxCore()
        _ = core.received([])
        for page in 0...InboxCore.toldCountMax / InboxCore.limit {
            #expect(core.number != nil)
            let begin = page * InboxCore.limit
            let messages = try (begin + 1...begin + InboxCore.limit).map { try message("\($0)", UInt64($0)) }
            #expect(core.received(messages).count == messages.count)
        }
        #expect(core.number == nil)
        // Two pages are left, the second one not full.
        let left = try (1...InboxCore.limit + 1).map { try message("\($0)", UInt64($0)) }
        #expect(core.received(Array(left.dropLast())) == [] && core.number == UInt64(InboxCore.limit))
        #expect(core.received(left.suffix(1)) == [] && core.number == UInt64(InboxCore.limit + 1))
    }

    @Test func `waits longer each time the daemon is not there, and throws where waiting does not help`() throws {
        var core = InboxCore()
        func error(retryable: Bool) -> KairanError {
            let problem = Problem(
                type: "",
                title: "",
                status: 0,
                code: "x",
                detail: "",
                fix: "",
                isRetryable: retryable
            )
            return KairanError(.unreachable, problem: problem)
        }
        var pauses: [Int64] = []
        for _ in 0..<8 {
            try core.failed(error(retryable: true))
            pauses.append(core.pauseMilliseconds)
        }
        #expect(pauses.prefix(3) == [250, 500, 1000] && pauses.last == 15_000)
        _ = core.received([])
        #expect(core.pauseMilliseconds == 0)
        try core.failed(error(retryable: true))
        #expect(core.pauseMilliseconds == 250)
        #expect(throws: KairanError.self) { try core.failed(error(retryable: false)) }
    }
}
