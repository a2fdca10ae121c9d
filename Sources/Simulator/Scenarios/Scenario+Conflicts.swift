import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// Two or three programs resolve the same conflict again and again.
    static let conflictStorm = Scenario(
        name: "conflict-storm",
        summary: "two or three mergers resolve the same conflicts again and again: they terminate",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 3)
            options.recordCount = 2
            options.zoneCount = 1
            options.faults = []
            options.requestsPerMinute = 0
        },
        script: { history in
            try history.begin()
            for _ in 0..<4 { try history.provoke() }
            let before = history.judge.evidence.library.count
            let period = history.random.number(200...5_000)
            // Each merger resolves every conflict that it sees at once.
            for _ in 0..<120 {
                for node in history.nodes where node.isRunning { try history.decide(on: node) }
                try history.wait(history.random.number(1...period))
                if try history.isConverged(), try history.conflictCount() == 0 { break }
            }
            try history.settle()
            for _ in 0..<60 where try history.conflictCount() > 0 {
                // From now on one merger is enough.
                try history.decide(on: history.nodes[0])
                try history.wait(3_000)
            }
            try history.converge()
            guard try history.conflictCount() == 0 else {
                throw Violation(.convergence, in: history.simulation, "conflicts were never resolved")
            }
            let made = history.judge.evidence.library.count - before
            let bound = 120 * history.nodes.count * 2
            guard made <= bound else {
                throw Violation(.caps, in: history.simulation, "\(made) operations for 4 conflicts")
            }
            try history.finish()
        }
    )

    /// Clocks that are thirty years off.
    static let clockOff = Scenario(
        name: "clock-off",
        summary: "wall clocks off by thirty years either way, and jumping while the node runs",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 4)
            options.faults = [.clockJump, .crash, .restart, .cut]
            options.staticPeers = .all
            options.faultsPerMinute *= 2
        },
        script: { history in
            let year = History.yearMilliseconds
            for node in history.nodes where history.random.chance(0.6) {
                node.setWallOffset(Int64(history.random.number(0...UInt64(60 * year))) - 30 * year)
            }
            try history.begin()
            try history.disturb()
            try history.settle()
            // All clocks are right again, and so are the times of all writes from now on.
            let written = try history.members.filter { try history.workload.set("r0", on: $0) != nil }
            try history.wait(10_000)
            for node in written {
                guard let latest = try node.store?.clock().latest.milliseconds,
                    latest > node.wallMilliseconds + HybridClock.leadMillisecondsMax
                else { continue }
                throw Violation(
                    .clocks,
                    at: node,
                    "the clock is at \(latest) although the wall clock is at \(node.wallMilliseconds)"
                )
            }
            try history.conclude()
        }
    )

    /// One clock that is ahead for a while.
    static let clockAhead = Scenario(
        name: "clock-ahead",
        summary: "one clock is ahead for a while: expired records are hidden there, and lost nowhere",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 3)
            options.faults = []
            options.hasMessages = true
            options.staticPeers = .all
        },
        script: { history in
            try history.begin()
            try history.wait(10_000)
            try history.converge()
            let (right, wrong) = (history.nodes[0], history.nodes[1])
            for node in [right, wrong] { try history.messenger.sendGoodForAnHour(on: node) }
            try history.wait(10_000)
            try history.converge()
            wrong.setWallOffset(Int64(history.random.number(7_200_000...20 * UInt64(History.yearMilliseconds))))
            try history.wait(5_000)
            try history.messenger.sendGoodForAnHour(on: right)
            try history.wait(150_000)
            try history.converge()
            wrong.setWallOffset(0)
            try history.wait(150_000)
            try history.converge()
            try history.messenger.checkGoodForAnHour(history.members)
            try history.conclude()
        }
    )

    /// Operations from the far future.
    static let futureStamp = Scenario(
        name: "future-stamp",
        summary: "a peer's writes have a time thirty years ahead: later writes of others still win",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 3)
            options.faults = []
            options.staticPeers = .all
        },
        script: { history in
            history.nodes[0].setWallOffset(30 * History.yearMilliseconds)
            try history.begin()
            for round in 0..<6 {
                let name = "r\(round % 2)"
                try history.workload.set(name, on: history.nodes[0])
                try history.wait(10_000)
                try history.converge()
                let other = history.nodes[1 + history.random.index(below: history.nodes.count - 1)]
                guard let mark = try history.workload.set(name, on: other) else { continue }
                try history.wait(10_000)
                try history.converge()
                for node in history.nodes where try history.shown(name, on: node) != mark {
                    throw Violation(.acknowledgedIsKept, at: node, "a later write with an honest clock is not visible")
                }
            }
            try history.conclude()
        }
    )
}

extension History {
    /// Writes the same field on all nodes at the same time, apart from each other.
    func provoke() throws {
        simulation.network.divide(nodes.map(\.index), isFatal: false)
        for node in nodes where node.isRunning {
            try workload.set("r\(random.index(below: options.recordCount))", on: node)
        }
        try wait(2_000)
        simulation.network.heal()
        try wait(5_000)
    }

    /// Resolves one conflict on a node, if it shows one.
    func decide(on node: SimulatedNode) throws {
        guard let store = node.store, let row = try store.conflictedRecords(zone: nil, limit: 1).first else { return }
        let write = try workload.resolution(row.name, zone: row.zone, store: store)
        try workload.write(WriteRequest([write]), zone: row.zone, on: node)
    }

    /// The number of conflicts that all nodes show together.
    func conflictCount() throws -> Int {
        try nodes.reduce(0) { sum, node in
            sum + (try node.store?.conflictedRecords(zone: nil, limit: 1_000).count ?? 0)
        }
    }

    /// The title of a record of the default zone on a node.
    func shown(_ name: String, on node: SimulatedNode) throws -> String? {
        let zone = ZoneID(node.zoneGenesis(0))
        guard let store = node.store, try store.zone(zone) != nil else { return nil }
        let tag = try RecordTag(of: name, zone: zone, in: store)
        guard
            case .string(let text) = try store.record(zone: zone, tag: tag)?.content().field(named: "title")?.winner?
                .value
        else { return nil }
        return text
    }
}
