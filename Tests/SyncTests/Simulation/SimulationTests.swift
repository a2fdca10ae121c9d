import Records
import Sync
import TestSupport
import Testing
import Wire

@Suite struct SimulationTests {
    /// The number of histories that one test case tries.
    private static let seedsPerCase = 25

    @Test(arguments: 0..<8)
    func `after all faults have stopped all nodes agree within two minutes, and are quiet then`(batch: Int) throws {
        for offset in 0..<Self.seedsPerCase {
            let seed = UInt64(batch * Self.seedsPerCase + offset)
            // A third of the histories has runs of few operations and a window of few runs, on slow links.
            let isNarrow = seed % 3 == 0
            let limits = isNarrow ? Self.narrow : SyncLimits()
            let simulation = try Simulation(nodeCount: 2 + Int(seed % 4), seed: seed, limits: limits)
            if isNarrow { simulation.bytesPerMillisecond = 4 }
            try FaultPlan().perform(on: simulation)
            let taken = try simulation.runUntilConverged(within: 120_000)
            #expect(taken != nil, "seed \(seed): not converged")
            #expect(simulation.traffic.violations == [], "seed \(seed)")
            #expect(simulation.breaches == [], "seed \(seed)")
            #expect(!simulation.nodes.contains { $0.foundBehind }, "seed \(seed): no store was ever behind")
            guard taken != nil else { continue }
            try expectEqualRecords(simulation, seed: seed)
            try expectQuiet(simulation, seed: seed)
        }
    }

    private static var narrow: SyncLimits {
        var limits = SyncLimits()
        limits.windowByteCount = 4_000
        limits.runByteCount = 1_000
        return limits
    }

    @Test(arguments: [2, 5])
    func `a bulk of records from one node crosses every slow link about once`(nodeCount: Int) throws {
        let simulation = try Simulation(nodeCount: nodeCount, seed: 7, limits: Self.narrow)
        simulation.bytesPerMillisecond = 4
        for node in simulation.nodes { try node.start() }
        let writer = simulation.nodes[0]
        let zoneCount = 60
        var byteCount = 0
        for zone in 0..<zoneCount {
            try writer.found(SimulatedZone.genesis(zone))
            let text = FieldValue.string(String(repeating: "x", count: 2_000))
            let writes = [RecordWrite(name: "record", type: "note", set: [.init(field: "text", value: text)])]
            try writer.write(writes, isAtomic: false, zone: SimulatedZone.id(zone))
            let run = try RunServing(writer.log(zone)).run(from: 0, byteCount: 1 << 20, in: writer.store)
            byteCount += try #require(run).encoded.count
        }
        try writer.settle()
        let taken = try simulation.runUntilConverged(within: 300_000)
        #expect(taken != nil)
        // Peers pass on operations to one another that the writer would have sent a moment later, so some of them
        // cross twice.
        let limit = (nodeCount == 2 ? 5 : 11) * byteCount * (nodeCount - 1) / 4
        #expect(simulation.traffic.runByteCount < limit)
        #expect(simulation.traffic.misplacedRuns == 0)
    }

    /// The visible records of all nodes are the same.
    private func expectEqualRecords(_ simulation: Simulation, seed: UInt64) throws {
        let all = try simulation.nodes.map { node in
            try node.store.zones().map { zone in
                node.store.allRecords(zone: zone.id).map { "\($0.name) \($0.isDeleted) \($0.version) \($0.body)" }
            }
        }
        #expect(Set(all).count == 1, "seed \(seed): the records differ")
    }

    /// Nothing but pings and one short comparison for each pair and interval.
    private func expectQuiet(_ simulation: Simulation, seed: UInt64) throws {
        // Silent channels end, pauses pass, the comparison after the last difference is made.
        try simulation.run(until: simulation.now + 130_000)
        simulation.traffic = Simulation.Traffic()
        let ticks = simulation.nodes.map(\.tickCount)
        let intervals = 5
        try simulation.run(until: simulation.now + UInt64(intervals) * simulation.limits.antiEntropyMilliseconds)
        let pairs = simulation.nodes.count * (simulation.nodes.count - 1) / 2
        #expect(simulation.traffic.messages[3, default: 0] <= 2 * pairs * (intervals + 1), "seed \(seed)")
        #expect(simulation.traffic.messages[3, default: 0] >= 2 * pairs * (intervals - 1), "seed \(seed)")
        #expect(simulation.traffic.withoutPings == simulation.traffic.messages[3, default: 0], "seed \(seed)")
        for (node, before) in zip(simulation.nodes, ticks) {
            let limit = (simulation.nodes.count - 1) * intervals * 8
            #expect(node.tickCount - before <= limit, "seed \(seed): node \(node.index) is woken too often")
        }
    }
}
