import Identity
import Records
import Sodium
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A zone with as many writers as there may be` {
    /// Adds logs of other stores, each with one operation that was applied.
    private func fill(_ zone: ZoneID, _ count: Int, _ lane: Lane, on node: RunningNode) async throws {
        try await node.change { _, random, transaction in
            for _ in 0..<count {
                let bytes = (0..<48).map { _ in UInt8.random(in: 0...255, using: &random) }
                let device = try #require(DeviceID(Array(bytes.prefix(32))))
                let incarnation = try #require(Incarnation(Array(bytes.suffix(16))))
                let actor = ActorID(device: device, incarnation: incarnation, right: .zero)
                let key = LogKey(zone: zone, actor: actor, lane: lane)
                var row = LogRow(key: key, device: device, incarnation: incarnation, right: .zero)
                row.frontier.append(Hash(digesting: .treeNode, bytes))
                row.size = 1
                row.appliedSize = 1
                try transaction.save(row)
            }
            return CommitNotice(number: try transaction.nextCommitNumber())
        }
    }

    @Test func `continues, accepts no other writer, reports it, and can be deleted`() async throws {
        try await withNodes { nodes in
            var node = try await nodes.start()
            let (old, new) = (try await node.makeZone("old"), try await node.makeZone("new"))
            try await node.put("first", in: "old", text: "x")
            try await fill(old, Limits.actorCountMax - 1, .data, on: node)
            try await fill(old, Limits.actorCountMax - 1, .control, on: node)
            try await fill(new, Limits.actorCountMax, .data, on: node)
            try await node.put("second", in: "old", text: "x")
            try await expectRefusal(.zoneTooManyActors) { try await node.put("first", in: "new", text: "x") }
            await node.node.maintenance.work()
            #expect(try await node.troubles() == ["zone.crowded"])
            #expect(try await node.names(in: "old") == ["first", "second"])
            #expect(try await node.names(in: "new").isEmpty)

            node = try await nodes.restart(node)
            try await node.put("third", in: "old", text: "x")
            #expect(try await node.names(in: "old") == ["first", "second", "third"])
            #expect(try await !node.troubles().contains("storage.damaged"))
            try await node.node.zones.deleteZone("old")
            try await node.node.zones.deleteZone("new")
            await node.node.maintenance.work()
            #expect(try await node.troubles().isEmpty)
        }
    }
}
