import Identity
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
}
