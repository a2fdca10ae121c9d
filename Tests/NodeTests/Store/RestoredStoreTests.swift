import KairanInterface
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A rolled-back state directory` {
    @Test func `begins a new incarnation, fetches its missing operations, and forks nothing`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk")
            let lap = try await nodes.start("lap")
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("early", in: "notes", text: "in the backup")
            try await converged(zone, desk, lap)
            let before = try await desk.node.health.status().incarnation
            try await nodes.stop(desk)
            let backup = try desk.directory.copy()
            desk = try await nodes.start("desk", in: desk.directory, peers: [lap.address])
            try await desk.put("late", in: "notes", text: "not in the backup")
            try await desk.put("early", in: "notes", text: "changed")
            try await converged(zone, desk, lap)
            try await nodes.stop(desk)
            try desk.directory.restore(from: backup)
            // It writes before it meets any peer: only its own files can show that it is old.
            desk = try await nodes.start("desk", in: desk.directory)
            #expect(try await desk.node.health.status().incarnation != before)
            #expect(try await desk.node.health.status().health.map(\.code).contains("store.renewed"))
            try await desk.put("new", in: "notes", text: "after the restore")
            await desk.node.sync.add(peers: [lap.address])
            try await desk.untilField("text", of: "late", in: "notes", is: .string("not in the backup"))
            try await desk.untilField("text", of: "early", in: "notes", is: .string("changed"))
            try await lap.untilField("text", of: "new", in: "notes", is: .string("after the restore"))
            try await converged(zone, desk, lap)
            for node in [desk, lap] {
                #expect(try await node.names(in: "notes") == ["early", "late", "new"])
                #expect(try await !node.node.health.status().health.map(\.code).contains("log.forked"))
            }
        }
    }

    @Test func `that was copied to another machine warns on both, and on no other one`() async throws {
        try await withNodes { nodes in
            let lap = try await nodes.start("lap")
            var desk = try await nodes.start("desk")
            try await pair(desk, lap)
            try await desk.makeZone("notes")
            try await desk.put("a", in: "notes", text: "before")
            try await lap.untilField("text", of: "a", in: "notes", is: .string("before"))
            try await nodes.stop(desk)
            let directory = try desk.directory.copy()
            // One after the other, as both would have one place at their peer.
            var copy = try await nodes.start("desk", in: directory, machine: "other", peers: [lap.address])
            try await copy.put("b", in: "notes", text: "by the copy")
            try await lap.untilField("text", of: "b", in: "notes", is: .string("by the copy"))
            try await nodes.stop(copy)
            desk = try await nodes.start("desk", in: desk.directory, peers: [lap.address])
            try await desk.untilField("text", of: "b", in: "notes", is: .string("by the copy"))
            #expect(try await desk.troubles().contains("device.cloned"))
            try await desk.put("c", in: "notes", text: "by the original")
            try await lap.untilField("text", of: "c", in: "notes", is: .string("by the original"))
            try await nodes.stop(desk)
            copy = try await nodes.start("desk", in: directory, machine: "other", peers: [lap.address])
            try await copy.untilField("text", of: "c", in: "notes", is: .string("by the original"))
            #expect(try await copy.troubles().contains("device.cloned"))
            #expect(try await !lap.troubles().contains("device.cloned"))
        }
    }

    @Test func `without a trace finds out from its peer, and forks nothing if it had not written`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk")
            let lap = try await nodes.start("lap")
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await converged(zone, desk, lap)
            let before = try await desk.node.health.status().incarnation
            try await nodes.stop(desk)
            let backup = try desk.directory.copy()
            desk = try await nodes.start("desk", in: desk.directory, peers: [lap.address])
            try await desk.put("late", in: "notes", text: "lost here")
            try await converged(zone, desk, lap)
            try await nodes.stop(desk)
            try desk.directory.rewind(to: backup)
            desk = try await nodes.start("desk", in: desk.directory, peers: [lap.address])
            try await desk.untilField("text", of: "late", in: "notes", is: .string("lost here"))
            try await desk.until("a new incarnation") { try await $0.health.status().incarnation != before }
            try await desk.put("new", in: "notes", text: "again")
            try await lap.untilField("text", of: "new", in: "notes", is: .string("again"))
            try await converged(zone, desk, lap)
            // And it stays with the new one.
            let renewed = try await desk.node.health.status().incarnation
            desk = try await nodes.restart(desk)
            #expect(try await desk.node.health.status().incarnation == renewed)
        }
    }

    @Test func `without a trace, and written to before it met its peer, continues nevertheless`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk")
            let lap = try await nodes.start("lap")
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await converged(zone, desk, lap)
            let before = try await desk.node.health.status().incarnation
            try await nodes.stop(desk)
            let backup = try desk.directory.copy()
            desk = try await nodes.start("desk", in: desk.directory, peers: [lap.address])
            try await desk.put("one", in: "notes", text: "first life")
            try await desk.put("two", in: "notes", text: "first life")
            try await converged(zone, desk, lap)
            try await nodes.stop(desk)
            try desk.directory.rewind(to: backup)
            desk = try await nodes.start("desk", in: desk.directory)
            // Numbers that peers hold for other operations are used a second time: nothing could warn of it.
            try await desk.put("three", in: "notes", text: "second life")
            await desk.node.sync.add(peers: [lap.address])
            // A write by a peer that had seen the other history does not wait for that history.
            try await lap.put("answer", in: "notes", text: "x")
            try await desk.untilField("text", of: "answer", in: "notes", is: .string("x"))
            #expect(try await desk.node.health.status().incarnation != before)
            try await desk.put("new", in: "notes", text: "third life")
            try await lap.untilField("text", of: "new", in: "notes", is: .string("third life"))
            // The writes of both histories are everywhere.
            try await lap.untilField("text", of: "three", in: "notes", is: .string("second life"))
            try await desk.untilField("text", of: "two", in: "notes", is: .string("first life"))
            try await converged(zone, desk, lap)
            // People are warned, also after the next start.
            desk = try await nodes.restart(desk)
            for node in [desk, lap] {
                #expect(try await node.node.health.status().health.map(\.code).contains("log.forked"))
            }
        }
    }

    @Test func `under another machine's name begins a new incarnation, and both copies continue`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let lap = try await nodes.start("lap")
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await converged(zone, desk, lap)
            let before = try await desk.node.health.status().incarnation
            try await nodes.stop(desk)
            let moved = try await nodes.start("desk", in: desk.directory, machine: "another", peers: [lap.address])
            #expect(try await moved.node.health.status().incarnation != before)
            #expect(try await moved.node.health.status().device == desk.node.identity.device)
            try await moved.put("milk", in: "notes", text: "from the new machine")
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("from the new machine"))
            try await converged(zone, moved, lap)
        }
    }

    @Test func `or renamed is distinguished`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start()
            try await desk.makeZone("notes")
            let before = try await desk.node.health.status().incarnation
            desk = try await nodes.restart(desk)
            #expect(try await desk.node.health.status().incarnation == before)
            try await nodes.stop(desk)
            let copy = try await nodes.start(in: try desk.directory.copy())
            #expect(try await copy.node.health.status().incarnation != before)
        }
    }

    @Test func `does not accept tokens of its later incarnation`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start()
            try await desk.makeZone("notes")
            try await desk.put("early", in: "notes", text: "x")
            try await nodes.stop(desk)
            let backup = try desk.directory.copy()
            desk = try await nodes.start(in: desk.directory)
            try await desk.put("late", in: "notes", text: "x")
            let token = try await desk.node.feed.changes(zone: "notes", since: nil, limit: 10).token
            try await nodes.stop(desk)
            try desk.directory.restore(from: backup)
            desk = try await nodes.start(in: desk.directory)
            try await desk.put("other", in: "notes", text: "x")
            // The position exists, but the changes before it were never reported.
            #expect(
                try await refusal { try await desk.node.feed.changes(zone: "notes", since: token, limit: 10) }
                    == .tokenExpired
            )
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A store that was lost` {
    @Test func `comes back from the peers, under a new incarnation`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk")
            let lap = try await nodes.start("lap")
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "two")
            try await converged(zone, desk, lap)
            try await nodes.stop(desk)
            try desk.directory.remove("store")
            desk = try await nodes.start("desk", in: desk.directory)
            #expect(try await desk.node.health.status().state == .recovering)
            #expect(try await desk.node.zones.list().isEmpty)
            await desk.node.sync.add(peers: [lap.address])
            try await desk.untilField("text", of: "milk", in: "notes", is: .string("two"))
            try await desk.until("recovered") { try await $0.health.status().state == .ready }
            try await converged(zone, desk, lap)
            #expect(try await lap.names(in: "notes") == ["milk"])
        }
    }

    @Test func `with the secrets of the account, but not its log, is not quietly replaced`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await nodes.stop(desk)
            try desk.directory.remove("keys/account.key")
            await #expect(throws: NodeStartError.self) { try await nodes.start(in: desk.directory) }
        }
    }
}
