import Identity
import Records
import Sync
import Testing
import Wire

@testable import Simulator

/// Devices that are added and removed while not all others learn of it.
@Suite struct MembershipTests {
    @Test(arguments: 0..<5 as Range<UInt64>)
    func `a device that only one node knows becomes known to all, and gets everything`(seed: UInt64) throws {
        var options = SimulationOptions()
        options.hasDiscovery = false
        options.staticPeers = .all
        options.faults = [.cut, .silentDeath, .partition, .restart]
        options.faultsPerMinute = 30
        options.requestsPerMinute = 30
        let history = try History(seed: seed, options: options)
        try history.begin()
        let simulation = history.simulation
        simulation.network.divide([0, 1, 1], isFatal: false)
        let newcomer = try HandMadeWorld.newcomer(of: simulation.nodes[0])
        for node in simulation.nodes[1...2] { #expect(node.process?.standing(of: newcomer.device) == .unknown) }
        try newcomer.start()
        try history.disturb(for: 10_000)
        try history.settle()
        let time = try simulation.run(within: 180_000) {
            Set(simulation.nodes.map { Set($0.process?.log.entries ?? []) }).count == 1
        }
        #expect(time != nil, "seed \(seed)")
        for node in simulation.nodes {
            #expect(node.process?.standing(of: newcomer.device) == .active, "seed \(seed)")
            #expect(try node.store?.zones().isEmpty == false, "seed \(seed)")
        }
    }

    @Test func `two devices meet without the third that added both, and the older one learns of the newer`() throws {
        let simulation = try HandMadeWorld.off(1)
        let host = simulation.nodes[0]
        try host.start()
        let older = try HandMadeWorld.newcomer(of: host)
        let newer = try HandMadeWorld.newcomer(of: host)
        try host.stop()
        for node in [older, newer] { try node.start() }
        #expect(older.process?.standing(of: newer.device) == .unknown)
        let genesis = older.zoneGenesis(1)
        try older.createZone(genesis)
        try simulation.run(until: simulation.now + 30_000)
        #expect(try newer.store?.zone(ZoneID(genesis)) != nil)
        #expect(older.process?.standing(of: newer.device) == .active)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a removed device gets nothing more, and its late writes are shown nowhere else`(seed: UInt64) throws {
        let (simulation, zone) = try HandMadeWorld.running(4, seed: seed)
        let (remover, removed) = (simulation.nodes[0], simulation.nodes[3])
        try simulation.nodes[1].submit(HandMadeWorld.write(1), zone: zone)
        try simulation.run(until: simulation.now + 5_000)
        // At the moment of the removal the device is on another network, and goes on writing.
        simulation.network.divide([0, 0, 0, 1], isFatal: seed.isMultiple(of: 2))
        let set = FieldAssignment(field: "number", value: .int64(2))
        let late = WriteRequest([RecordWrite(name: "late", type: "note", set: [set])])
        try removed.submit(late, zone: zone)
        try simulation.run(until: simulation.now + 1_000)
        try remover.remove(removed.device)
        try simulation.run(until: simulation.now + 90_000)
        simulation.network.heal()
        try removed.submit(late, zone: zone)
        try simulation.nodes[1].submit(HandMadeWorld.write(3), zone: zone)
        try simulation.run(until: simulation.now + 180_000)
        for node in simulation.nodes.dropLast() {
            let shown = try #require(node.store).records(zone: zone, after: nil, limit: 10).records.map(\.name)
            #expect(shown == [HandMadeWorld.record], "seed \(seed), node \(node.index)")
            #expect(try node.value(zone) == 3, "seed \(seed), node \(node.index)")
        }
        #expect(try removed.value(zone) == 1, "seed \(seed)")
    }
}
