import FoundationEssentials
import KairanClient
import Node
import Synchronization
import Testing

@testable import LocalAPI

@Suite struct `Messages through the library` {
    @Test(.timeLimit(.minutes(5))) func `arrive as they are`() async throws {
        let node = FakeNode()
        try await LiveServer.client(node: node) { client, _ in
            let sent = try await client.send("Hello", in: "notes")
            #expect(sent.text == "Hello" && sent.data == nil && sent.state == "sent" && sent.recipients.isEmpty)
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
            #expect(node.state.withLock { $0.calls.last } == "send 2 image/png [\"someone1\"] reply m 60000")
            let edit = OutgoingMessage("b", reference: .edit(of: "m"))
            #expect(try await client.send(edit, in: "notes").edits == "m")
            let reaction = OutgoingMessage("👍", reference: .reaction(to: "m"))
            #expect(try await client.send(reaction, in: "notes").reactsTo == "m")
            let page = try await client.messages(in: "notes", limit: 1)
            #expect(page.messages.map(\.number) == [7] && page.next == 7)
            let last = try await client.messages(in: "notes", after: 7)
            #expect(last.messages.map(\.state) == ["for_others"] && last.next == nil)
            let shown = try await client.message(FakeNode.messageID)
            #expect(shown.deliveries?.map(\.state) == ["queued", "read"])
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

    @Test(.timeLimit(.minutes(5))) func `are handed to who listens, each once, and no more when they are finished`()
        async throws
    {
        let node = FakeNode()
        let ids = (0..<3).map { String(repeating: "\($0)", count: 32) }
        node.state.withLock { $0.inbox = ids.prefix(2).map { FakeNode.message($0) } }
        try await LiveServer.client(node: node) { client, _ in
            var told: [String] = []
            for try await message in client.incomingMessages() {
                told.append(message.message)
                try await client.finishMessage(message.message)
                if told.count == 2 { node.state.withLock { $0.inbox = [FakeNode.message(ids[2])] } }
                if told.count == 3 { break }
            }
            #expect(told == ids && node.state.withLock { $0.inbox.isEmpty })
        }
    }
}

@Suite struct `Messages while the daemon comes and goes` {
    @Test(.timeLimit(.minutes(5))) func `are waited for, and told once`() async throws {
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
    private func message(_ id: String) throws -> Message {
        try DaemonClient.decode(FakeNode.message(id).json.encoded)
    }

    @Test func `tells each once, oldest first`() throws {
        var core = InboxCore()
        let (a, b, c) = (try message("a"), try message("b"), try message("c"))
        #expect(core.received([a, b]) == [a, b] && core.pauseMilliseconds == 0)
        #expect(core.received([a, b, c]) == [c] && core.pauseMilliseconds == 0)
        #expect(core.received([]) == [])
    }

    @Test func `does not ask without a pause for what is left unfinished`() throws {
        var core = InboxCore()
        let (a, b) = (try message("a"), try message("b"))
        _ = core.received([a])
        #expect(core.received([a]) == [] && core.pauseMilliseconds == InboxCore.restMilliseconds)
        #expect(core.received([a, b]) == [b] && core.pauseMilliseconds == 0)
        // The daemon itself waits where there is nothing.
        #expect(core.received([]) == [] && core.pauseMilliseconds == 0)
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
