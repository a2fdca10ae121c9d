import KairanInterface
import Queries
import TestSupport
import Testing
import Wire

@testable import Node

/// A program that keeps the records that a query selects, by the feed.
private struct SelectedRecords {
    let selection: FeedSelection
    let query: Query
    var token: String?
    var versions: [String: String] = [:]

    init(_ query: Query) {
        self.query = query
        selection = FeedSelection(zone: "notes", query: query)
    }

    mutating func take(_ change: ChangeView) {
        #expect(change.kind == .save || change.record.fields.isEmpty)
        versions[change.record.name] = change.kind == .save ? change.record.version : nil
    }

    mutating func read(_ node: any NodeAPI, limit: Int) async throws {
        var more = true
        while more {
            let page = try await node.feed.changes(selection, since: token, limit: limit)
            for change in page.changes { take(change) }
            (token, more) = (page.token, page.more)
        }
    }

    func answer(_ node: any NodeAPI) async throws -> [String: String] {
        let view = try await node.records.query(zone: "notes", QueryRequest(query: query, cursor: nil, limit: 1_000))
        return Dictionary(uniqueKeysWithValues: view.records.map { ($0.name, $0.version) })
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The feed of some records of a zone` {
    private static let even = Predicate.oneOf(.named("v"), [0, 2, 4, 6, 8].map { .int64($0) })

    @Test(arguments: [UInt64(1), 2, 3])
    func `keeps the answer of a query, across restarts`(seed: UInt64) async throws {
        try await withNodes { nodes in
            var random = SeededGenerator(seed: seed)
            var desk = try await nodes.start()
            try await desk.makeZone("notes")
            var copies = [
                Query(type: "Record", predicate: Self.even), Query(type: "Memo"),
                Query(type: "Record", predicate: .not(Self.even)),
            ].map { SelectedRecords($0) }
            for step in 0..<80 {
                let name = "n\(Int.random(in: 0..<8, using: &random))"
                let chance = Int.random(in: 0..<8, using: &random)
                let change = RecordDraft(
                    name: name,
                    type: chance == 1 ? "Memo" : nil,
                    fields: chance == 0 ? [] : [(name: "v", value: .int64(Int64.random(in: 0..<10, using: &random)))],
                    isDeletion: chance == 0
                )
                // A refused write (of another type, or of a missing record) is as good as another.
                _ = try await desk.node.records.write([change], zone: "notes", atomic: false)
                if step % 20 == 13 { desk = try await nodes.restart(desk) }
                let index = Int.random(in: 0..<copies.count, using: &random)
                try await copies[index].read(desk.node, limit: Int.random(in: 1...4, using: &random))
                #expect(
                    try await copies[index].versions == copies[index].answer(desk.node),
                    "seed \(seed), step \(step)"
                )
            }
        }
    }

    @Test func `is pushed as it is read, and continues from the token of either`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            func put(_ name: String, _ value: Int64) async throws {
                let change = RecordDraft(name: name, type: "Task", fields: [(name: "v", value: .int64(value))])
                _ = try #require(try await desk.node.records.write([change], zone: "notes", atomic: true).first).get()
            }
            try await put("a", 2)
            try await put("b", 1)
            let selection = FeedSelection(zone: "notes", query: Query(type: "Task", predicate: Self.even))
            let page = try await desk.node.feed.changes(selection, since: nil, limit: 100)
            #expect(page.changes.map(\.record.name) == ["a"])
            var events = try await desk.node.feed.events(selection, since: page.token).makeAsyncIterator()
            func next() async throws -> (change: String, token: String) {
                while let event = await events.next(isolation: nil) {
                    guard case .change(let change, let token) = event else { continue }
                    return ("\(change.kind.rawValue) \(change.record.name)", token)
                }
                throw NodeError(.internalError, "the stream has ended", fix: "")
            }
            try await put("b", 4)
            #expect(try await next().change == "save b")
            try await put("a", 3)
            let out = try await next()
            #expect(out.change == "out a")
            try await desk.remove("b", in: "notes")
            #expect(try await next().change == "delete b")
            let rest = try await desk.node.feed.changes(selection, since: out.token, limit: 100)
            #expect(rest.changes.map(\.kind) == [.delete] && rest.changes.map(\.record.name) == ["b"])
            let other = FeedSelection(zone: "notes", query: Query(type: "Task"))
            try await expectRefusal(.tokenExpired) {
                try await desk.node.feed.changes(other, since: out.token, limit: 1)
            }
            try await expectRefusal(.tokenExpired) { try await desk.node.feed.events(other, since: out.token) }
            try await expectRefusal(.tokenExpired) {
                try await desk.node.feed.changes(zone: "notes", since: out.token, limit: 1)
            }
        }
    }

    @Test func `reports the same to participants as to the owner`() async throws {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("desk"), try await nodes.start("lap"))
            let zone = try await alice.makeZone("notes")
            await bob.node.sync.add(peers: [alice.address])
            let invite = try await alice.node.inviting.invite(
                zone: "notes",
                terms: ShareTerms(level: .write),
                limits: InviteLimits()
            )
            let query = Query(type: "Record", predicate: Self.even)
            try await alice.put("low", in: "notes", [("v", .int64(1))])
            try await alice.put("two", in: "notes", [("v", .int64(2))])
            try await bob.join(invite.invite.link)
            try await bob.untilField("v", of: "two", in: zone.text, is: .int64(2))
            var (hers, his) = (SelectedRecords(query), SelectedRecords(query))
            try await hers.read(alice.node, limit: 10)
            try await his.read(bob.node, limit: 10)
            #expect(his.versions.keys.sorted() == ["two"] && hers.versions == his.versions)
            try await bob.put("two", in: zone.text, [("v", .int64(3))])
            try await bob.put("low", in: zone.text, [("v", .int64(4))])
            try await alice.untilField("v", of: "low", in: "notes", is: .int64(4))
            try await hers.read(alice.node, limit: 10)
            try await his.read(bob.node, limit: 10)
            #expect(his.versions.keys.sorted() == ["low"] && hers.versions == his.versions)
        }
    }
}
