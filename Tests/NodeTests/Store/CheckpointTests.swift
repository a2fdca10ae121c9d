import KairanInterface
@testable import Node
import Records
import Sync
import TestSupport
import Testing
import Wire

/// The checkpoints that a daemon makes and adopts for its zones.
@Suite(.timeLimit(.minutes(5))) struct `The checkpoints of a daemon` {
    @Test func `are made, adopted and followed by forgetting in a round of maintenance, also in a large zone`()
        async throws
    {
        try await withNodes { nodes in
            let clock = TurnedClock()
            let desk = try await nodes.start(clock: clock.clock)
            let zone = try await desk.makeZone("notes")
            for text in ["old", "new"] {
                for part in 0..<2 {
                    let changes = (0..<300).map { index in
                        RecordDraft(name: "r\(part).\(index)", fields: [(name: "text", value: .string(text))])
                    }
                    for result in try await desk.node.records.write(changes, zone: "notes", atomic: false) {
                        _ = try result.get()
                    }
                }
            }
            let size = try await desk.storage.read { transaction in
                try transaction.logs(zone: zone).reduce(UInt64(0)) { $0 + $1.size }
            }
            #expect(size > ReplicaLimits.soonAdoptedCount)
            clock.pass(2 * 24 * 60 * 60 * 1_000)
            await desk.node.maintenance.work()
            let (adopted, gapCount) = try await desk.storage.read { transaction in
                let logs = try transaction.logs(zone: zone).filter { $0.key.lane == .data }
                let items = try logs.flatMap { try transaction.items($0.key, from: 0, to: $0.size) }
                return (
                    try transaction.zone(zone)?.adopted,
                    items.reduce(UInt64(0)) { count, item in
                        if case .gap = item.content { count + item.leafCount } else { count }
                    }
                )
            }
            #expect(adopted?.liveCount == 600)
            #expect(gapCount == 600)
        }
    }
}
