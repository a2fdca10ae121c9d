import Records
import Sync
import Testing
import Wire

@Suite struct ForkTests {
    /// Nodes 0 and 1 hold two histories of a log of node 2, which is gone; node 3 holds neither.
    ///
    /// - Parameters:
    ///   - sizes: How much of its history each of the two holds; the first commit is common.
    ///   - nodes: Who is there.
    /// - Returns: The simulation, and the log.
    /// - Throws: What the replica throws.
    private func simulation(_ sizes: [Int], nodes: [Int] = [0, 1, 3]) throws -> (Simulation, LogKey) {
        let simulation = try Simulation(nodeCount: 4, seed: 11)
        let zone = SimulatedZone.id(0)
        let forger = simulation.nodes[2]
        try forger.found(SimulatedZone.genesis(0))
        try forger.write([write("common", 0)], isAtomic: false, zone: zone)
        let common = forger.store
        for (index, size) in sizes.enumerated() {
            forger.store = common
            for step in 0..<size { try forger.write([write("own", index * 100 + step)], isAtomic: false, zone: zone) }
            simulation.nodes[index].store = forger.store
        }
        for index in nodes { try simulation.nodes[index].start() }
        return (simulation, forger.log(0))
    }

    private func write(_ name: String, _ value: Int) -> RecordWrite {
        RecordWrite(name: name, type: "note", set: [.init(field: "number", value: .int64(Int64(value)))])
    }

    @Test(arguments: [[1, 1], [3, 1], [1, 4]], [[0, 1], [0, 1, 3]])
    func `two histories of a log are found out, and everything else goes on`(sizes: [Int], nodes: [Int]) throws {
        let (simulation, log) = try simulation(sizes, nodes: nodes)
        try simulation.run(until: simulation.now + 60_000)
        for index in nodes {
            #expect(try simulation.nodes[index].store.log(log)?.isForked == true, "node \(index)")
        }
        #expect(simulation.traffic.violations == [])
        // The sessions stand: what others write still reaches everybody.
        let writer = simulation.nodes[0]
        try writer.write([write("later", 7)], isAtomic: false, zone: log.zone)
        try writer.settle()
        try simulation.run(until: simulation.now + 5_000)
        for index in nodes.dropFirst() {
            #expect(try simulation.nodes[index].store.log(writer.log(0))?.size == 1, "node \(index)")
        }
    }

    @Test func `two histories, which never become one, cost little for ever after`() throws {
        let (simulation, _) = try simulation([3, 1])
        try simulation.run(until: simulation.now + 300_000)
        simulation.traffic = Simulation.Traffic()
        try simulation.run(until: simulation.now + 3_600_000)
        // An hour: three pairs, at most a comparison a minute with a state each way.
        #expect(simulation.traffic.withoutPings < 60 * 3 * 8)
        #expect(simulation.traffic.messages[6, default: 0] < 60)
    }
}
