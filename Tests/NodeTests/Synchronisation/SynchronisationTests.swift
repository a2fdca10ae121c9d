import KairanInterface
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Two nodes of one account` {
    @Test func `carry records, edits and deletions both ways`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "one")
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("one"))
            try await lap.put("milk", in: "notes", text: "two")
            try await lap.put("bread", in: "notes", text: "rye")
            try await desk.untilField("text", of: "milk", in: "notes", is: .string("two"))
            try await desk.untilField("text", of: "bread", in: "notes", is: .string("rye"))
            try await desk.remove("bread", in: "notes")
            try await lap.until("bread is gone") { _ in try await lap.names(in: "notes") == ["milk"] }
            try await converged(zone, desk, lap)
            #expect(try await desk.node.conflicts.open(zone: nil, name: nil, after: nil, limit: 10).conflicts.isEmpty)
        }
    }

    @Test func `carry a change to a watcher from the memory of the commits at both ends`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            try await desk.makeZone("notes")
            try await desk.put("first", in: "notes", text: "x")
            try await lap.untilField("text", of: "first", in: "notes", is: .string("x"))
            var events = try await lap.node.feed.events(zone: "notes", since: nil).makeAsyncIterator()
            let names = (0..<20).map { "n\($0)" }
            let before = [desk, lap].map(\.storage.readCount)
            var seen: [String] = []
            for name in names {
                try await desk.put(name, in: "notes", text: "x")
                while seen.last != name, let event = await events.next() {
                    if case .change(let change, _) = event { seen.append(change.record.name) }
                }
            }
            #expect(seen == names)
            // Some for other reasons, but not one for each.
            for (node, reads) in zip([desk, lap], before) { #expect(node.storage.readCount - reads < names.count) }
        }
    }

    @Test func `tell their watchers of a zone, of its changes by sync, and of its end`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            var events = try await lap.node.feed.events(zone: nil, since: nil).makeAsyncIterator()
            let zone = try await desk.makeZone("notes")
            var seen: [String] = []
            var hasWritten = false
            var hasDeleted = false
            while seen.last != "deleted", let event = await events.next() {
                switch event {
                case .zone(let change, _) where change.status.zone == zone:
                    seen.append(change.departure ?? "created")
                    if !hasWritten { try await desk.put("milk", in: "notes", text: "one") }
                    hasWritten = true
                case .change(let change, _):
                    seen.append("\(change.record.name) \(change.bySync)")
                    if !hasDeleted { try await desk.node.zones.deleteZone("notes") }
                    hasDeleted = true
                default: break
                }
            }
            #expect(seen == ["created", "milk true", "deleted"])
            #expect(try await lap.node.zones.list().isEmpty)
            try await expectRefusal(.zoneDeleted) { try await lap.node.zones.zone(zone.text) }
        }
    }

    @Test func `make a conflict of concurrent edits, on both sides, and end it for both`() async throws {
        try await withNodes { nodes in
            var (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("bread", in: "notes", text: "base")
            try await desk.put("milk", in: "notes", text: "base")
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("base"))
            // Each writes while the other is away.
            try await nodes.stop(lap)
            for name in ["bread", "milk"] { try await desk.put(name, in: "notes", text: "desk") }
            try await nodes.stop(desk)
            lap = try await nodes.start(in: lap.directory)
            for name in ["bread", "milk"] { try await lap.put(name, in: "notes", text: "lap") }
            desk = try await nodes.start(in: desk.directory, peers: [lap.address])
            for node in [desk, lap] {
                for name in ["bread", "milk"] {
                    try await node.until("a conflict") { try await $0.conflicts.isOpen(name, in: "notes") }
                }
            }
            try await converged(zone, desk, lap)
            let first = try await desk.node.conflicts.open(zone: nil, name: nil, after: nil, limit: 1)
            let second = try await desk.node.conflicts.open(zone: nil, name: nil, after: first.cursor, limit: 1)
            #expect(Set((first.conflicts + second.conflicts).map(\.name)) == ["bread", "milk"])
            #expect(first.conflicts.count == 1 && first.cursor != nil && second.cursor == nil)
            try await expectRefusal(.queryBadCursor) {
                try await desk.node.conflicts.open(zone: nil, name: nil, after: "c", limit: 1)
            }
            let named = try await desk.node.conflicts.open(zone: nil, name: "milk", after: nil, limit: 10)
            #expect(named.conflicts.count == 1 && named.cursor == nil)
            let conflict = try #require(named.conflicts.first)
            let sides = Set(conflict.siblings.compactMap { $0.fields.first?.value })
            #expect(sides == [.string("desk"), .string("lap")] && conflict.name == "milk")
            #expect(conflict.ancestor?.fields.first?.value == .string("base"))
            let other = try #require(conflict.siblings.last)
            let winner = try await desk.node.conflicts.resolve(
                zone: "notes",
                name: "milk",
                with: .take(version: other.version)
            )
            #expect(winner.fields.first?.value == other.fields.first?.value && winner.conflicts == 0)
            try await lap.until("no conflict") { try await !$0.conflicts.isOpen("milk", in: "notes") }
            let rest = try await lap.node.conflicts.open(zone: "notes", name: nil, after: nil, limit: 10)
            #expect(rest.conflicts.map(\.name) == ["bread"])
            try await converged(zone, desk, lap)
            #expect(try await lap.node.records.field("text", of: "milk", in: "notes") == other.fields.first?.value)
        }
    }

    @Test func `find each other again by the last known address, without any configuration`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            var lap = try await nodes.start()
            try await pair(desk, lap)
            try await lap.untilConnected(to: desk)
            try await desk.untilConnected(to: lap)
            // The address is remembered by a commit of its own.
            try await lap.node.store.commits.perform { _ in () }
            lap = try await nodes.restart(lap)
            try await lap.untilConnected(to: desk)
            let peer = try #require(try await lap.node.peers.list().first)
            #expect(peer.via == .lastKnown || peer.via == .inbound)
        }
    }

    @Test func `survive being killed`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            var lap = try await nodes.start()
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "one")
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("one"))
            let incarnation = try await lap.node.health.status().incarnation
            try await nodes.kill(lap)
            try await desk.put("milk", in: "notes", text: "two")
            lap = try await nodes.start(in: lap.directory, peers: [desk.address])
            try await converged(zone, desk, lap)
            #expect(try await lap.node.records.field("text", of: "milk", in: "notes") == .string("two"))
            #expect(try await lap.node.health.status().incarnation == incarnation)
        }
    }

    @Test func `report how much the other has not acknowledged`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            var lap = try await nodes.start()
            try await pair(desk, lap)
            try await desk.makeZone("notes")
            try await desk.until("all is acknowledged") { try await $0.health.status().pending == 0 }
            try await nodes.stop(lap)
            for index in 0..<5 { try await desk.put("n\(index)", in: "notes", text: "x") }
            #expect(try await desk.node.health.status().pending == 5)
            lap = try await nodes.start(in: lap.directory, peers: [desk.address])
            try await desk.until("all is acknowledged again") { try await $0.health.status().pending == 0 }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Three nodes of one account` {
    @Test func `pass on records that the third cannot get from their author`() async throws {
        try await withNodes { nodes in
            let (hub, left, right) = (try await nodes.start(), try await nodes.start(), try await nodes.start())
            try await pair(hub, left)
            try await pair(hub, right)
            try await right.until("three devices") { try await $0.devices.account().devices.count == 3 }
            try await left.until("three devices") { try await $0.devices.account().devices.count == 3 }
            let zone = try await left.makeZone("notes")
            try await left.put("milk", in: "notes", text: "one")
            try await converged(zone, left, hub)
            try await nodes.stop(left)
            try await converged(zone, hub, right)
            #expect(try await right.node.records.field("text", of: "milk", in: "notes") == .string("one"))
        }
    }

    @Test func `remove one: it gets nothing more, and its later writes have no effect`() async throws {
        try await withNodes { nodes in
            let (desk, lap, lost) = (try await nodes.start(), try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            try await pair(desk, lost)
            let zone = try await lost.makeZone("notes")
            try await lost.put("before", in: "notes", text: "counts")
            try await converged(zone, lost, desk)
            try await converged(zone, desk, lap)
            try await desk.node.devices.removeDevice(lost.node.identity.device, words: nil)
            try await lost.untilDisconnected(from: desk)
            try await lap.until("two devices") { try await $0.devices.account().devices.count == 2 }
            // The writes of the removed device stay with it from now on.
            try await lost.put("after", in: "notes", text: "counts not")
            try await desk.put("secret", in: "notes", text: "not for the lost one")
            try await converged(zone, desk, lap)
            #expect(try await lap.names(in: "notes") == ["before", "secret"])
            // It comes back, learns of its removal, and is refused by every peer that it asks.
            let back = try await nodes.restart(lost)
            await back.node.sync.add(peers: [desk.address, lap.address])
            try await back.until("it is notified") {
                try await $0.health.status().health.map(\.code).contains("account.removed")
            }
            try await desk.put("another", in: "notes", text: "x")
            try await converged(zone, desk, lap)
            #expect(try await desk.names(in: "notes") == ["another", "before", "secret"])
            #expect(try await back.names(in: "notes") == ["after", "before"])
            try await back.put("still", in: "notes", text: "its person goes on")
            #expect(try await desk.node.peers.list().map(\.device) == [lap.node.identity.device])
            try await expectRefusal(.deviceUnknown) {
                try await desk.node.devices.removeDevice(lost.node.identity.device, words: nil)
            }
            try await expectRefusal(.deviceIsThis) {
                try await desk.node.devices.removeDevice(desk.node.identity.device, words: nil)
            }
        }
    }
}
