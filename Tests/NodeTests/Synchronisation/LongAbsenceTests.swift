import KairanInterface
import Records
import Sync
import Testing
import Wire

@testable import Node

/// A machine that was off for so long that its peers no longer waited for it.
@Suite(.timeLimit(.minutes(5))) struct `A device that comes back after a hundred days` {
    private static let day: UInt64 = 24 * 60 * 60 * 1_000

    @Test func `does not show records deleted meanwhile, although no device has the deletions any more`()
        async throws
    {
        let clock = TurnedClock()
        try await withNodes { nodes in
            let desk = try await nodes.start("desk", clock: clock.clock)
            var lap = try await nodes.start("lap", clock: clock.clock)
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            for name in ["gone", "kept", "gone too"] { try await desk.put(name, in: "notes", text: name) }
            try await converged(zone, desk, lap)
            try await nodes.stop(lap)
            clock.pass(100 * Self.day)
            try await desk.put("new", in: "notes", text: "0")
            for name in ["gone", "gone too"] { try await desk.remove(name, in: "notes") }
            for version in 1...3 {
                try await desk.put("new", in: "notes", text: "\(version)")
                clock.pass(2 * Self.day)
                await desk.node.maintenance.work()
            }
            let adopted = try await desk.node.store.storage.read { try $0.zone(zone)?.adopted }
            let held = try await desk.node.store.storage.read { store in
                try store.summaries(zone: zone, after: nil, limit: 1_000).filter(\.isTombstone).count
            }
            #expect(adopted != nil)
            #expect(held == 0, "the deletions are forgotten")
            lap = try await nodes.start("lap", in: lap.directory, peers: [desk.address], clock: clock.clock)
            try await lap.untilField("text", of: "new", in: "notes", is: .string("3"))
            try await lap.until("what was deleted is gone") { node in
                try await node.store.storage.read { try $0.zone(zone)?.isUnverified } == false
            }
            #expect(try await lap.names(in: "notes") == ["kept", "new"])
            try await converged(zone, desk, lap)
        }
    }
}
