import Records
import Sync
import Testing
import Wire

@Suite struct MembershipTests {
    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a device that only one node knows is known to all, and gets everything`(seed: UInt64) throws {
        let known = [[0, 1, 2, 3], [0, 1, 2], [0, 1, 2], [0, 1, 2, 3]]
        let simulation = try Simulation(nodeCount: 4, seed: seed, known: known)
        try FaultPlan(actionCount: 10, duration: 10_000).perform(on: simulation)
        #expect(try simulation.runUntilConverged(within: 120_000) != nil, "seed \(seed)")
        for node in simulation.nodes {
            #expect(node.account == simulation.nodes[0].account, "seed \(seed)")
            #expect(try node.store.zones().isEmpty == false, "seed \(seed)")
        }
        #expect(simulation.traffic.violations == [], "seed \(seed)")
    }

    @Test func `two devices without knowledge of each other connect by addresses from a third`() throws {
        // Node 0 added first 1, then 2; it is gone by the time they meet.
        let simulation = try Simulation(nodeCount: 3, seed: 5, known: [[0, 1, 2], [0, 1], [0, 1, 2]])
        for node in simulation.nodes.dropFirst() { try node.start() }
        try simulation.nodes[1].found(SimulatedZone.genesis(0))
        try simulation.nodes[1].settle()
        try simulation.run(until: simulation.now + 30_000)
        #expect(try simulation.nodes[2].store.zone(SimulatedZone.id(0)) != nil)
        #expect(simulation.nodes[1].account == simulation.nodes[2].account)
    }

    @Test func `devices that no account log joins stay apart`() throws {
        let simulation = try Simulation(nodeCount: 2, seed: 5, known: [[0], [0]])
        for node in simulation.nodes { try node.start() }
        try simulation.nodes[0].found(SimulatedZone.genesis(0))
        try simulation.nodes[0].settle()
        simulation.traffic = Simulation.Traffic()
        try simulation.run(until: simulation.now + 300_000)
        #expect(try simulation.nodes[1].store.zones().isEmpty)
        #expect(simulation.traffic.messages.keys.allSatisfy { [1, 2, 3, 8, 9].contains($0) }, "nobody speaks of zones")
        // They try again and again, but not in a hurry.
        #expect(simulation.traffic.messages[8, default: 0] < 100)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a removed device gets nothing more, and nothing more is accepted from it`(seed: UInt64) throws {
        let simulation = try Simulation(nodeCount: 4, seed: seed)
        let plan = FaultPlan(actionCount: 20, duration: 15_000)
        try plan.perform(on: simulation)
        let remover = simulation.nodes[0]
        let removed = simulation.nodes[3]
        // At the moment of the removal the device is on another network, and goes on writing.
        simulation.divide([0, 0, 0, 1])
        try plan.write(at: removed, of: simulation)
        var cuts: [ZoneID: [ActorLane: LogCut]] = [:]
        for zone in try remover.store.zones() {
            for (row, size, root) in try ZonePositions(of: zone.id).all(in: remover.store)
            where row.device == removed.author.device {
                cuts[zone.id, default: [:]][row.key.actorLane] = LogCut(size: size, root: root)
            }
        }
        simulation.cuts[3] = cuts
        try remover.add(SimulatedAccount.Entry(node: 3, isRemoval: true))
        try simulation.run(until: simulation.now + 90_000)
        let before = try sizes(removed)
        simulation.divide([0, 0, 0, 0])
        for node in simulation.nodes { try plan.write(at: node, of: simulation) }
        let own = try sizes(removed)
        #expect(try simulation.runUntilConverged(within: 120_000) != nil, "seed \(seed)")
        try simulation.run(until: simulation.now + 60_000)
        #expect(try simulation.hasConverged(), "seed \(seed)")
        #expect(try sizes(removed) == own, "seed \(seed): it got something")
        #expect(before.count <= own.count)
        for zone in try remover.store.zones() {
            for (row, size, _) in try ZonePositions(of: zone.id).all(in: remover.store)
            where row.device == removed.author.device {
                #expect(size <= cuts[zone.id]?[row.key.actorLane]?.size ?? 0, "seed \(seed)")
            }
        }
    }

    private func sizes(_ node: SimulatedNode) throws -> [LogKey: UInt64] {
        var sizes: [LogKey: UInt64] = [:]
        for zone in try node.store.zones() {
            for row in try node.store.logs(zone: zone.id) { sizes[row.key] = row.size }
        }
        return sizes
    }
}
