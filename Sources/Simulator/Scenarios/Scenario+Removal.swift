import Identity
import Records
import Sync

extension Scenario {
    /// A device is removed by one who lacks its last writes.
    static let lateCut = Scenario(
        name: "late-cut",
        summary: "a device is removed by one who lacks its last writes, which others hold: nobody may show them",
        shape: { options, random in
            options.duration = 600_000
            options.nodeCount = 3 + random.index(below: 2)
            options.recordCount = 1 + random.index(below: 3)
            options.zoneCount = 1
            options.hasPartialLogs = false
            options.staticPeers = .all
            options.faults = []
        },
        script: { history in
            try history.begin()
            try history.disturb(for: 60_000)
            try history.converge()
            let remover = history.nodes[0]
            let removed = history.nodes[history.nodes.count - 1]
            history.isolate(remover)
            for _ in 0..<(1 + history.random.index(below: 10)) {
                try history.workload.write(on: removed)
                try history.wait(history.random.number(10...2_000))
            }
            try history.wait(10_000)
            do {
                try remover.remove(removed.device)
            } catch let error as AccountError {
                throw Violation(invariant: 0, "a device could not be removed: \(error)")
            }
            if history.random.chance(0.5) { try history.workload.write(on: remover) }
            try history.wait(history.random.number(0...5_000))
            try history.settle()
            try history.disturb(for: 60_000)
            try history.settle()
            try history.finish()
        }
    )

    /// A device that has begun a key is removed by one that has not heard of it, while others write under the key.
    static let lateKey = Scenario(
        name: "late-key",
        summary: "a device that has begun a key is removed by one who has not heard of it, while others write under it",
        shape: { options, random in
            options.duration = 600_000
            options.nodeCount = 3 + random.index(below: 2)
            options.recordCount = 1 + random.index(below: 3)
            options.zoneCount = 1
            options.hasPartialLogs = false
            options.staticPeers = .all
            options.faults = []
            options.isSealedAlways = true
        },
        script: { history in
            try history.begin()
            try history.disturb(for: 30_000)
            try history.converge()
            let remover = history.nodes[0]
            let removed = history.nodes[history.nodes.count - 1]
            history.isolate(remover)
            for zone in try removed.store?.zones() ?? [] {
                removed.decide("rotate") { committer, _, transaction in
                    try committer.rotateEpoch(zone.id, in: &transaction).notice
                }
            }
            try history.wait(10_000)
            for node in history.nodes.dropFirst() {
                try history.workload.write(on: node)
                try history.wait(history.random.number(10...2_000))
            }
            try history.wait(history.random.number(0...10_000))
            do {
                try remover.remove(removed.device)
            } catch let error as AccountError {
                throw Violation(invariant: 0, "a device could not be removed: \(error)")
            }
            try history.settle()
            try history.disturb(for: 60_000)
            try history.settle()
            try history.finish()
        }
    )
}
