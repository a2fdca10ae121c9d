import Records
import Sync
import Testing
import Wire

@Suite struct ForkTests {
    /// Nodes 0 and 1 hold two histories of a log of node 2, which is gone; node 3 holds neither.
    ///
    /// - Parameters:
    ///   - sizes: The size of the history that each of the two holds; the first commit is common.
    ///   - nodes: The nodes that are present.
    /// - Returns: The simulation, and the log.
    /// - Throws: An error of a replica.
    private func simulation(_ sizes: [Int], nodes: [Int] = [0, 1, 3]) throws -> (Simulation, LogKey) {
        let simulation = try Simulation(nodeCount: 4, seed: 11)
        let zone = SimulatedZone.id(0)
        let forger = simulation.nodes[2]
        try forger.found(SimulatedZone.genesis(0))
        try forger.write([write("common", 0)], isAtomic: false, zone: zone)
        let common = forger.store
        for (index, size) in sizes.enumerated() {
            forger.store = common
            for step in 0..<size { try forger.write([write("own", index * 1_000 + step)], isAtomic: false, zone: zone) }
            simulation.nodes[index].store = forger.store
        }
        for index in nodes { try simulation.nodes[index].start() }
        return (simulation, forger.log(0))
    }

    private func write(_ name: String, _ value: Int) -> RecordWrite {
        RecordWrite(name: name, type: "note", set: [.init(field: "number", value: .int64(Int64(value)))])
    }

    /// Expects that nodes hold the same and show the same of the zone.
    private func expectEqual(_ simulation: Simulation, _ nodes: [Int], zone: ZoneID) throws {
        let first = simulation.nodes[nodes[0]].store
        let digest = try ZonePositions(of: zone).digest(in: first)
        let records = first.allRecords(zone: zone).filter { !$0.isDeleted }
        for index in nodes.dropFirst() {
            let store = simulation.nodes[index].store
            #expect(try ZonePositions(of: zone).digest(in: store) == digest, "node \(index)")
            #expect(store.allRecords(zone: zone).filter { !$0.isDeleted } == records, "node \(index)")
        }
    }

    /// All numbers that can be read, the losing ones of conflicts included.
    private func numbers(_ store: MemoryReplica, zone: ZoneID) throws -> Set<Int64> {
        var numbers: Set<Int64> = []
        for row in store.allRecords(zone: zone) where !row.isDeleted {
            for entry in try row.content().fields.flatMap(\.entries) {
                if case .int64(let number) = entry.value { numbers.insert(number) }
            }
        }
        return numbers
    }

    @Test(arguments: [[1, 1], [3, 1], [1, 4], [300, 40]], [[0, 1], [0, 1, 3]])
    func `two histories of a log become one, and the records of both can be read`(sizes: [Int], nodes: [Int]) throws {
        let (simulation, log) = try simulation(sizes, nodes: nodes)
        try simulation.run(until: simulation.now + 60_000)
        for index in nodes {
            let row = try #require(try simulation.nodes[index].store.log(log), "node \(index)")
            #expect(row.forkProof?.forkPoint == 1, "node \(index)")
        }
        #expect(simulation.traffic.violations == [])
        try expectEqual(simulation, nodes, zone: log.zone)
        // The last value of each history; the values that it had replaced itself are gone.
        let said = try numbers(simulation.nodes[0].store, zone: log.zone)
        for (index, size) in sizes.enumerated() { #expect(said.contains(Int64(index * 1_000 + size - 1))) }
        // The sessions stand: the writes of others still reach all nodes.
        let writer = simulation.nodes[0]
        try writer.write([write("later", 7)], isAtomic: false, zone: log.zone)
        try writer.settle()
        try simulation.run(until: simulation.now + 5_000)
        for index in nodes.dropFirst() {
            let store = simulation.nodes[index].store
            #expect(try numbers(store, zone: log.zone).contains(7), "node \(index)")
        }
        try expectEqual(simulation, nodes, zone: log.zone)
    }

    @Test func `three histories of a log, that part at two places, become one`() throws {
        let simulation = try Simulation(nodeCount: 4, seed: 12)
        let zone = SimulatedZone.id(0)
        let forger = simulation.nodes[3]
        try forger.found(SimulatedZone.genesis(0))
        try forger.write([write("common", 0)], isAtomic: false, zone: zone)
        let first = forger.store
        try forger.write([write("common", 1)], isAtomic: false, zone: zone)
        let second = forger.store
        for (index, start) in [first, second, second].enumerated() {
            forger.store = start
            for step in 0..<5 { try forger.write([write("own", index * 100 + step)], isAtomic: false, zone: zone) }
            simulation.nodes[index].store = forger.store
        }
        for index in 0..<3 { try simulation.nodes[index].start() }
        try simulation.run(until: simulation.now + 120_000)
        for index in 0..<3 {
            #expect(try simulation.nodes[index].store.log(forger.log(0))?.forkProof?.forkPoint == 1, "node \(index)")
        }
        try expectEqual(simulation, [0, 1, 2], zone: zone)
        #expect(try numbers(simulation.nodes[0].store, zone: zone).isSuperset(of: [1, 4, 104, 204]))
        #expect(simulation.traffic.violations == [])
    }

    @Test func `a node that comes later, and holds neither history, learns of the fork`() throws {
        let (simulation, log) = try simulation([3, 1], nodes: [0, 1])
        try simulation.run(until: simulation.now + 60_000)
        try simulation.nodes[3].start()
        try simulation.run(until: simulation.now + 30_000)
        #expect(try simulation.nodes[3].store.log(log)?.isForked == true)
        try expectEqual(simulation, [0, 1, 3], zone: log.zone)
    }

    @Test func `two histories that have become one cost nothing any more`() throws {
        let (simulation, _) = try simulation([3, 1])
        try simulation.run(until: simulation.now + 300_000)
        simulation.traffic = Simulation.Traffic()
        try simulation.run(until: simulation.now + 3_600_000)
        // An hour: three pairs, a comparison a minute, which finds two equal digests.
        #expect(simulation.traffic.withoutPings < 60 * 3 * 3)
        #expect(simulation.traffic.messages[6, default: 0] == 0)
    }
}
