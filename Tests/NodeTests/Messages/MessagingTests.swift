import KairanInterface
import Foundation
import Records
import Sodium
import Sync
import Testing
import Wire

@testable import Node

/// Messages between nodes with stores on a disk.
@Suite(.timeLimit(.minutes(5))) struct `Messages between nodes` {
    private func draft(_ text: String, to recipients: [String] = [], about: MessageReference? = nil) -> MessageDraft {
        MessageDraft(
            content: Array(text.utf8),
            contentType: "text/plain; charset=utf-8",
            recipients: recipients,
            about: about
        )
    }

    /// Alice's zone, in which Bob may write.
    private func sharing(
        _ nodes: Neighbourhood,
        _ body: (_ alice: RunningNode, _ bob: RunningNode, _ zone: ZoneID) async throws -> Void
    ) async throws {
        let (alice, bob) = (try await nodes.start("alice"), try await nodes.start("bob"))
        let zone = try await alice.makeZone("chat")
        await bob.node.sync.add(peers: [alice.address])
        let terms = ShareTerms(level: .write)
        let invite = try await alice.node.inviting.invite(zone: "chat", terms: terms, limits: InviteLimits())
        try await bob.join(invite.invite.link)
        try await bob.until("the zone is there") { try await $0.zones.zone(zone.text).rights != nil }
        try await body(alice, bob, zone)
    }

    @Test func `a message is delivered and read, and a finished answer does not wait any more`() async throws {
        try await withNodes { nodes in
            try await sharing(nodes) { alice, bob, zone in
                let sent = try await alice.node.messages.send(draft("hello"), zone: "chat")
                #expect(sent.state == .sent && sent.content == Array("hello".utf8))
                let waiting = try await bob.node.messages.inbox(limit: 10, waitMilliseconds: 60_000)
                #expect(waiting.map(\.id) == [sent.id] && waiting[0].account == alice.node.identity.account)
                #expect(waiting[0].content == Array("hello".utf8) && waiting[0].state == .waiting)
                try await alice.until("delivered") {
                    try await $0.messages.message(sent.id).deliveries?.map(\.state) == [.delivered]
                }
                let about = MessageReference(kind: .reply, message: sent.id)
                let answer = try await bob.node.messages.send(draft("hello yourself", about: about), zone: zone.text)
                try await bob.node.messages.finishMessage(sent.id)
                try await bob.node.messages.finishMessage(sent.id)
                #expect(try await bob.node.messages.inbox(limit: 10, waitMilliseconds: 0).isEmpty)
                try await alice.until("read") {
                    try await $0.messages.message(sent.id).deliveries?.map(\.state) == [.read]
                }
                let answers = try await alice.node.messages.inbox(limit: 10, waitMilliseconds: 60_000)
                #expect(answers.map(\.id) == [answer.id] && answers[0].about == about)
                #expect(try await alice.node.messages.list(zone: "chat", after: nil, limit: 1).next != nil)
                let all = try await alice.node.messages.list(zone: "chat", after: nil, limit: 10)
                #expect(all.messages.map(\.id) == [sent.id, answer.id] && all.next == nil)
            }
        }
    }

    @Test func `a program killed between delivery and finishing gets the message again, and not after finishing it`()
        async throws
    {
        try await withNodes { nodes in
            try await sharing(nodes) { alice, bob, zone in
                var expected: [String] = []
                for number in 0..<5 {
                    expected.append(try await alice.node.messages.send(draft("m\(number)"), zone: "chat").id)
                }
                try await bob.until("all are there") {
                    try await $0.messages.inbox(limit: 10, waitMilliseconds: 0).count == 5
                }
                var finished: [String] = []
                var bob = bob
                while finished.count < expected.count {
                    let handed = try await bob.node.messages.inbox(limit: 10, waitMilliseconds: 60_000).map(\.id)
                    #expect(handed == expected.filter { !finished.contains($0) })
                    let next = try #require(handed.first)
                    try await bob.node.messages.finishMessage(next)
                    finished.append(next)
                    try await nodes.kill(bob)
                    bob = try await nodes.start("bob", in: bob.directory, peers: [alice.address])
                }
                #expect(try await bob.node.messages.inbox(limit: 10, waitMilliseconds: 0).isEmpty)
                for id in expected {
                    try await alice.until("read") {
                        try await $0.messages.message(id).deliveries?.map(\.state) == [.read]
                    }
                }
            }
        }
    }

    @Test func `a message comes again to a device that was rolled back to before the key it was sealed to`()
        async throws
    {
        try await withNodes { nodes in
            try await sharing(nodes) { alice, bob, zone in
                let (account, device) = (bob.node.identity.account.text, bob.node.identity.device.text)
                try await nodes.stop(bob)
                let backup = try bob.directory.copy()
                var bob = try await nodes.start("bob", in: bob.directory, peers: [alice.address])
                let first = try await alice.node.messages.send(draft("the first", to: [account]), zone: "chat")
                try await bob.until("it came") { try await $0.messages.inbox(limit: 9, waitMilliseconds: 0).count == 1 }
                try await bob.node.messages.finishMessage(first.id)
                // With the first message it publishes the prekey that the next one is sealed to.
                try await alice.untilField("device", of: "prekey/" + device, in: "chat", is: .string(device))
                let second = try await alice.node.messages.send(draft("the second", to: [account]), zone: "chat")
                try await bob.until("it came") { try await $0.messages.inbox(limit: 9, waitMilliseconds: 0).count == 1 }
                try await alice.until("delivered") {
                    try await $0.messages.message(second.id).deliveries?.map(\.state) == [.delivered]
                }
                try await nodes.stop(bob)
                try bob.directory.restore(from: backup)
                bob = try await nodes.start("bob", in: bob.directory, peers: [alice.address])
                try await bob.until("it came again") {
                    try await $0.messages.inbox(limit: 9, waitMilliseconds: 0).map(\.content) == [
                        Array("the second".utf8)
                    ]
                }
                try await bob.node.messages.finishMessage(second.id)
                try await alice.until("read") {
                    try await $0.messages.message(second.id).deliveries?.map(\.state) == [.read]
                }
                try await bob.node.keys.look()
                #expect(try await !bob.troubles().contains("messages.unopened"))
            }
        }
    }

    @Test func `a waiting reader is woken by a message, and otherwise returns in time`() async throws {
        try await withNodes { nodes in
            try await sharing(nodes) { alice, bob, zone in
                #expect(try await bob.node.messages.inbox(limit: 1, waitMilliseconds: 1).isEmpty)
                async let waiting = bob.node.messages.inbox(limit: 1, waitMilliseconds: 60_000)
                let sent = try await alice.node.messages.send(draft("wake up"), zone: "chat")
                #expect(try await waiting.map(\.id) == [sent.id])
            }
        }
    }

    @Test func `messages are sent together or not at all, and finished together as far as they are here`() async throws
    {
        try await withNodes { nodes in
            try await sharing(nodes) { alice, bob, zone in
                let stranger = AccountID(Hash(digesting: .treeNode, [1]).digest).text
                let error = await #expect(throws: NodeError.self) {
                    try await alice.node.messages.send([draft("one"), draft("two", to: [stranger])], zone: "chat")
                }
                #expect(error?.code == .messageNotMember && error?.index == 1)
                #expect(try await alice.node.messages.list(zone: "chat", after: nil, limit: 10).messages.isEmpty)
                let texts = (0..<256).map { "message \($0)" }
                let sent = try await alice.node.messages.send(texts.map { draft($0) }, zone: "chat")
                #expect(sent.map { String(decoding: $0.content ?? [], as: UTF8.self) } == texts)
                try await bob.until("all are there") {
                    try await $0.messages.inbox(limit: 1_000, waitMilliseconds: 0).map(\.id) == sent.map(\.id)
                }
                let refused = try await bob.node.messages.finishMessages(sent.map(\.id) + ["no id"])
                #expect(refused.map(\.message) == ["no id"] && refused.first?.error.code == .messageUnknown)
                #expect(try await bob.node.messages.inbox(limit: 1, waitMilliseconds: 0).isEmpty)
                try await alice.until("all are read") { node in
                    for message in sent {
                        let deliveries = try await node.messages.message(message.id).deliveries
                        guard deliveries?.map(\.state) == [.read] else { return false }
                    }
                    return true
                }
                for count in [0, 257] {
                    let drafts = (0..<count).map { _ in draft("too many") }
                    try await alice.refuses(.batchTooLarge) { try await $0.messages.send(drafts, zone: "chat") }
                }
                for count in [0, 1_001] {
                    let ids = (0..<count).map { "\($0)" }
                    try await alice.refuses(.batchTooLarge) { try await $0.messages.finishMessages(ids) }
                }
            }
        }
    }

    @Test func `messages are finished up to a number, of one zone or of all`() async throws {
        try await withNodes { nodes in
            try await sharing(nodes) { alice, bob, zone in
                let sent = try await alice.node.messages.send((0..<5).map { draft("message \($0)") }, zone: "chat")
                try await bob.until("all are there") {
                    try await $0.messages.inbox(limit: 9, waitMilliseconds: 0).count == sent.count
                }
                let waiting = try await bob.node.messages.inbox(limit: 9, waitMilliseconds: 0)
                try await bob.refuses(.zoneUnknown) {
                    try await $0.messages.finishMessages(through: .max, zone: "other")
                }
                let other = bob.node.narrowed(to: ZoneScope(containers: ["org.example.other"], byteCountMax: nil))
                #expect(try await other.messages.finishMessages(through: .max, zone: nil) == 0)
                let third = waiting[2].number
                #expect(try await bob.node.messages.finishMessages(through: third, zone: "chat") == 3)
                #expect(try await bob.node.messages.finishMessages(through: third, zone: nil) == 0)
                let left = try await bob.node.messages.inbox(limit: 9, waitMilliseconds: 0)
                #expect(left.map(\.id) == waiting.suffix(2).map(\.id))
                #expect(try await bob.node.messages.finishMessages(through: .max, zone: nil) == 2)
                try await alice.until("all are read") { node in
                    for message in sent {
                        let deliveries = try await node.messages.message(message.id).deliveries
                        guard deliveries?.map(\.state) == [.read] else { return false }
                    }
                    return true
                }
            }
        }
    }

    @Test func `an impossible message is refused with the reason`() async throws {
        try await withNodes { nodes in
            let alice = try await nodes.start("alice")
            _ = try await alice.makeZone("chat")
            try await alice.refuses(.messageNoRecipient) { try await $0.messages.send(draft("alone"), zone: "chat") }
            try await alice.refuses(.zoneUnknown) { try await $0.messages.send(draft("nowhere"), zone: "other") }
            let stranger = AccountID(Hash(digesting: .treeNode, [1]).digest).text
            try await alice.refuses(.messageNotMember) {
                try await $0.messages.send(draft("who", to: [stranger]), zone: "chat")
            }
            let large = draft(String(repeating: "x", count: (16 << 10) + 1))
            try await alice.refuses(.messageTooLarge) { try await $0.messages.send(large, zone: "chat") }
            let about = MessageReference(kind: .reply, message: String(repeating: "0", count: 32))
            try await alice.refuses(.messageUnknown) { try await $0.messages.message(about.message) }
            try await alice.refuses(.messageUnknown) { try await $0.messages.finishMessage("no id") }
            try await alice.refuses(.invalidArgument) { try await $0.messages.inbox(limit: 0, waitMilliseconds: 0) }
            let forged = RecordDraft(name: "m", type: "kairan.message", fields: [])
            try await alice.refuses(.invalidArgument) {
                try await $0.records.write([forged], zone: "chat", atomic: true)
            }
        }
    }

    @Test func `a program that is bound to other containers sees no message of this one`() async throws {
        try await withNodes { nodes in
            try await sharing(nodes) { alice, bob, zone in
                let sent = try await alice.node.messages.send(draft("hello"), zone: "chat")
                #expect(try await bob.node.messages.inbox(limit: 1, waitMilliseconds: 60_000).count == 1)
                let other = bob.node.narrowed(to: ZoneScope(containers: ["org.example.other"], byteCountMax: nil))
                #expect(try await other.messages.inbox(limit: 1, waitMilliseconds: 0).isEmpty)
                await #expect { try await other.messages.message(sent.id) } throws: {
                    ($0 as? NodeError)?.code == .messageUnknown
                }
                await #expect { try await other.messages.finishMessage(sent.id) } throws: { error in
                    (error as? NodeError)?.code == .messageUnknown
                }
            }
        }
    }
}

extension RunningNode {
    /// Fails unless something is refused with a code.
    fileprivate func refuses(
        _ code: NodeError.Code,
        _ body: (Node) async throws -> some Any,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        do {
            _ = try await body(node)
            Issue.record("not refused", sourceLocation: location)
        } catch let error as NodeError {
            #expect(error.code == code, sourceLocation: location)
        }
    }
}
