import KairanInterface
import Queries
import Records
import Testing
import Wire

@testable import Node

/// The records that daemons write by themselves in the zones of programs, which are left out unless they are
/// requested.
@Suite(.timeLimit(.minutes(5))) struct `The daemon's own records` {
    private static let everything = FeedSelection(zone: "notes", showsInternal: true)

    /// A zone of two devices with one record, in which a message was sent and delivered.
    private func withMessage(
        _ body: (_ desk: RunningNode, _ zone: ZoneID, _ before: ChangePage) async throws -> Void
    ) async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("n1", in: "notes", text: "x")
            let before = try await desk.node.feed.changes(zone: "notes", since: nil, limit: 100)
            let draft = MessageDraft(content: Array("hello".utf8), contentType: "text/plain; charset=utf-8")
            try await desk.until("the other device has the zone") {
                try await $0.zones.zone("notes").peers.contains(where: \.inSync)
            }
            let message = try await desk.node.messages.send(draft, zone: "notes")
            try await desk.until("delivered") {
                try await $0.messages.message(message.id).deliveries?.map(\.state) == [.delivered]
            }
            try await body(desk, zone, before)
        }
    }

    @Test func `are in no list, count or query unless asked for`() async throws {
        try await withMessage { desk, zone, _ in
            let node = desk.node
            #expect(try await desk.names(in: "notes") == ["n1"])
            // Prekeys may still be written between the two requests.
            try await desk.until("the numbers agree") {
                let all = try await $0.records.list(zone: "notes", after: nil, limit: 100, showsInternal: true).records
                let own = all.filter { ReservedType.isReserved($0.type) }
                let status = try await $0.zones.zone("notes")
                return Set(own.map(\.type)).isSuperset(of: [ReservedType.message, ReservedType.receipt])
                    && own.count == all.count - 1 && status.records == 1
                    && status.internalRecords == UInt64(own.count)
            }
            let summary = try #require(
                try await node.containers.container("tests").databases.flatMap(\.zones).first { $0.zone == zone }
            )
            #expect(summary.records == 1 && summary.bytes < 1_000)

            let query = Query(type: ReservedType.message)
            try await expectRefusal(.invalidArgument) {
                try await node.records.query(zone: "notes", QueryRequest(query: query))
            }
            let asked = QueryRequest(query: query, showsInternal: true)
            #expect(try await node.records.query(zone: "notes", asked).records.count == 1)
            try await expectRefusal(.invalidArgument) {
                try await node.feed.changes(FeedSelection(zone: "notes", query: query), since: nil, limit: 10)
            }
            // By its name every record can be read.
            let all = try await node.records.list(zone: "notes", after: nil, limit: 100, showsInternal: true).records
            let message = try #require(all.first { $0.type == ReservedType.message })
            #expect(try await node.records.record(zone: "notes", name: message.name).type == ReservedType.message)
        }
    }

    @Test func `are in no feed unless requested, and a token moves past them`() async throws {
        try await withMessage { desk, _, before in
            let node = desk.node
            #expect(before.changes.map(\.record.name) == ["n1"])
            let hidden = try await node.feed.changes(zone: "notes", since: before.token, limit: 100)
            #expect(hidden.changes.isEmpty && !hidden.more && hidden.token != before.token)
            let all = try await node.feed.changes(Self.everything, since: nil, limit: 100)
            #expect(all.changes.contains { $0.record.type == ReservedType.message })
            // A token is valid for one of the two.
            try await expectRefusal(.tokenExpired) {
                try await node.feed.changes(Self.everything, since: hidden.token, limit: 9)
            }
            try await expectRefusal(.tokenExpired) {
                try await node.feed.changes(zone: "notes", since: all.token, limit: 9)
            }
            try await desk.put("n2", in: "notes", text: "y")
            let next = try await node.feed.changes(zone: "notes", since: hidden.token, limit: 100)
            #expect(next.changes.map(\.record.name) == ["n2"])

            var told: [String] = []
            for await event in try await node.feed.events(zone: "notes", since: before.token) {
                guard case .change(let change, _) = event else { continue }
                told.append(change.record.name)
                if change.record.name == "n2" { break }
            }
            #expect(told == ["n2"])
            var types: Set<String> = []
            for await event in try await node.feed.events(Self.everything, since: all.token) {
                guard case .change(let change, _) = event else { continue }
                types.insert(change.record.type)
                if change.record.name == "n2" { break }
            }
            #expect(types.contains("Record"))
        }
    }
}
