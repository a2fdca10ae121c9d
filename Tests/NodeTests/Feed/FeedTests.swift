import KairanInterface
import Testing
import TestSupport
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Change tokens` {
    @Test(arguments: [UInt64(1), 2, 3])
    func `return exactly the changes that a reader lacks, in any steps, across restarts`(seed: UInt64) async throws {
        try await withNodes { nodes in
            var random = SeededGenerator(seed: seed)
            var desk = try await nodes.start()
            try await desk.makeZone("notes")
            var model: [String: Int64] = [:]
            var copy: [String: Int64] = [:]
            var token: String?
            for step in 0..<60 {
                let name = "n\(Int.random(in: 0..<8, using: &random))"
                if model[name] != nil, Int.random(in: 0..<4, using: &random) == 0 {
                    try await desk.remove(name, in: "notes")
                    model[name] = nil
                } else {
                    let value = Int64(step)
                    try await desk.put(name, in: "notes", [("v", .int64(value))])
                    model[name] = value
                }
                if step % 20 == 13 { desk = try await nodes.restart(desk) }
                guard Int.random(in: 0..<3, using: &random) == 0 || step == 59 else { continue }
                var more = true
                while more {
                    let limit = Int.random(in: 1...5, using: &random)
                    let page = try await desk.node.feed.changes(zone: "notes", since: token, limit: limit)
                    for change in page.changes {
                        let value = change.record.fields.first { $0.name == "v" }?.value
                        guard !change.record.isDeleted, case .int64(let number) = value else {
                            copy[change.record.name] = nil
                            continue
                        }
                        copy[change.record.name] = number
                    }
                    (token, more) = (page.token, page.more)
                }
                #expect(copy == model, "seed \(seed), step \(step)")
            }
        }
    }

    @Test func `of another store, and damaged ones, are expired`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await lap.makeZone("notes")
            let token = try await desk.node.feed.changes(zone: nil, since: nil, limit: 10).token
            for wrong in [token, "nonsense", token + "a", String(token.dropLast())] {
                #expect(
                    try await refusal { try await lap.node.feed.changes(zone: nil, since: wrong, limit: 10) }
                        == .tokenExpired
                )
                try await expectRefusal(.tokenExpired) { try await lap.node.feed.events(zone: nil, since: wrong) }
            }
            // A refused reader takes no place.
            #expect(lap.node.commitService.hub.subscriberCount == 0)
        }
    }

    @Test func `report nothing of deleted zones, nor of those of a left account`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            let start = try await lap.node.feed.changes(zone: nil, since: nil, limit: 1).token
            try await lap.makeZone("notes")
            try await lap.put("milk", in: "notes", text: "x")
            let deleted = try await lap.makeZone("deleted")
            try await lap.put("gone", in: "deleted", text: "x")
            try await lap.node.zones.deleteZone(deleted.text)
            try await pair(desk, lap)
            let page = try await lap.node.feed.changes(zone: nil, since: nil, limit: 1_000)
            #expect(page.changes.map(\.record.name) == ["milk"])
            #expect(try await lap.node.zones.zone("notes").zone == page.changes.first?.record.zone)
            var events = try await lap.node.feed.events(zone: nil, since: start).makeAsyncIterator()
            try await lap.put("bread", in: "notes", text: "x")
            var names: [String] = []
            while names.last != "bread", let event = await events.next() {
                if case .change(let change, _) = event { names.append(change.record.name) }
            }
            #expect(names == ["milk", "bread"])
        }
    }

    @Test func `of all zones follow all zones`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            try await desk.makeZone("tasks")
            let start = try await desk.node.feed.changes(zone: nil, since: nil, limit: 10).token
            try await desk.put("a", in: "notes", text: "x")
            try await desk.put("b", in: "tasks", text: "x")
            let page = try await desk.node.feed.changes(zone: nil, since: start, limit: 1)
            #expect(page.changes.map(\.record.name) == ["a"] && page.more)
            let rest = try await desk.node.feed.changes(zone: nil, since: page.token, limit: 10)
            #expect(rest.changes.map(\.record.name) == ["b"] && !rest.more)
            // The token of a quiet zone does not age.
            let quiet = try await desk.node.feed.changes(zone: "notes", since: page.token, limit: 10)
            #expect(quiet.changes.isEmpty && !quiet.more)
            // A zone's token has no meaning for the others.
            try await expectRefusal(.tokenExpired) {
                try await desk.node.feed.changes(zone: nil, since: quiet.token, limit: 10)
            }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Events` {
    @Test func `begin with a snapshot, then tell each change once, from the token on`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            let token = try await desk.node.feed.changes(zone: "notes", since: nil, limit: 1).token
            for index in 0..<100 { try await desk.put("n\(index)", in: "notes", text: "x") }
            var events = try await desk.node.feed.events(zone: "notes", since: token).makeAsyncIterator()
            guard case .snapshot(let first, let zones) = await events.next() else {
                Issue.record("the first event is no snapshot")
                return
            }
            #expect(first == token && zones.map(\.name) == ["notes"])
            var names: [String] = []
            while names.count < 101, let event = await events.next() {
                guard case .change(let change, _) = event else { continue }
                names.append(change.record.name)
                if names.count == 100 { try await desk.put("last", in: "notes", text: "x") }
            }
            #expect(names == (0..<100).map { "n\($0)" } + ["last"])
        }
    }

    @Test func `of one zone disclose nothing of another`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            var events = try await desk.node.feed.events(zone: "notes", since: nil).makeAsyncIterator()
            _ = await events.next()
            try await desk.makeZone("tasks")
            try await desk.put("hidden", in: "tasks", text: "x")
            try await desk.put("shown", in: "notes", text: "x")
            guard case .change(let change, _) = await events.next() else {
                Issue.record("another event came first")
                return
            }
            #expect(change.record.name == "shown")
        }
    }

    @Test func `end with a reason when the daemon stops`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            var events = try await desk.node.feed.events(zone: nil, since: nil).makeAsyncIterator()
            _ = await events.next()
            try await nodes.stop(desk)
            guard case .end(let reason) = await events.next() else {
                Issue.record("no end was told")
                return
            }
            #expect(reason == "stopping")
            #expect(await events.next() == nil)
        }
    }

    @Test func `take no place any more when their reader releases them`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            for _ in 0..<10 {
                var events = try await desk.node.feed.events(zone: nil, since: nil).makeAsyncIterator()
                _ = await events.next()
            }
            #expect(desk.node.commitService.hub.subscriberCount == 0)
        }
    }

    @Test func `of a connection are sent when a peer connects and disconnects`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            let device = lap.node.identity.device
            var events = try await desk.node.feed.events(zone: nil, since: nil).makeAsyncIterator()
            try await pair(desk, lap)
            try await desk.untilConnected(to: lap)
            try await nodes.stop(lap)
            var states: [Peer.State] = []
            while states.last != .away || !states.contains(.connected), let event = await events.next() {
                if case .peer(let peer) = event, peer.device == device { states.append(peer.state) }
            }
            #expect(states.last == .away && states.contains(.connected))
        }
    }
}
