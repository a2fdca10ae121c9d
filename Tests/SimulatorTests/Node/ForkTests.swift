import Identity
import Records
import Sync
import Testing
import Wire

@testable import Simulator

/// Histories of one log that its device wrote from rolled back disks, after which it is gone.
@Suite struct ForkTests {
    /// A history of the forged log.
    private struct ForgedHistory {
        /// The number of operations at its beginning that are in all others too, of at most two.
        var shared = 1
        /// The number of its own operations.
        var own: Int
    }

    /// Has machine 3 write histories of its log, and pass each to another machine alone; in the end
    /// all are off.
    ///
    /// - Parameter histories: The histories, for the first machines.
    /// - Returns: The world, and the log.
    /// - Throws: ``Violation``.
    private func world(_ histories: [ForgedHistory]) throws -> (Simulation, LogKey) {
        let simulation = try HandMadeWorld.off(4, seed: 11)
        let judge = Judge()
        judge.authorship.toleratesForks = true
        simulation.judge = judge
        let forger = simulation.nodes[3]
        try forger.start()
        let genesis = forger.zoneGenesis(0)
        let zone = ZoneID(genesis)
        try forger.createZone(genesis)
        var images: [DiskImage] = []
        for value in 1...2 {
            try write("shared", value, on: forger, zone)
            images.append(forger.disk.image())
        }
        for (index, history) in histories.enumerated() {
            try forger.stop()
            try forger.restore(images[history.shared - 1], parts: .disk)
            try forger.start()
            for step in 0..<history.own { try write("own", value(index, step), on: forger, zone) }
            let node = simulation.nodes[index]
            try node.start()
            let time = try simulation.run(within: 60_000) { try HandMadeWorld.isEqual(simulation, zone) }
            #expect(time != nil, "history \(index)")
            try node.stop()
        }
        try forger.stop()
        let store = try #require(forger.store)
        let log = try store.logs(zone: zone).first { $0.device == forger.device && $0.key.lane == .data }
        return (simulation, try #require(log).key)
    }

    /// A value that one step of one history writes, and no other.
    private func value(_ history: Int, _ step: Int) -> Int { (history + 1) * 1_000 + step }

    /// Writes a value; it is durable a moment later.
    private func write(_ name: String, _ value: Int, on node: SimulatedNode, _ zone: ZoneID) throws {
        let set = FieldAssignment(field: "number", value: .int64(Int64(value)))
        try node.submit(WriteRequest([RecordWrite(name: name, type: "note", set: [set])]), zone: zone)
        try node.simulation.run(until: node.simulation.now + 20)
    }

    /// Expects that nodes hold the same and show the same of a zone.
    private func expectEqual(_ simulation: Simulation, _ nodes: [Int], zone: ZoneID) throws {
        let stores = try nodes.map { try #require(simulation.nodes[$0].store) }
        let digests = try stores.map { try ZonePositions(of: zone).digest(in: $0) }
        let records = stores.map { store in store.allRecords(zone: zone).filter { !$0.isDeleted } }
        #expect(Set(digests).count == 1)
        #expect(records.allSatisfy { $0 == records[0] })
    }

    /// All numbers that can be read, the losing ones of conflicts included.
    private func numbers(on node: SimulatedNode, zone: ZoneID) throws -> Set<Int64> {
        var numbers: Set<Int64> = []
        for row in try #require(node.store).allRecords(zone: zone) where !row.isDeleted {
            for entry in try row.content().fields.flatMap(\.entries) {
                if case .int64(let number) = entry.value { numbers.insert(number) }
            }
        }
        return numbers
    }

    /// The place where a node knows the histories of a log to part.
    private func forkPoint(_ log: LogKey, on node: SimulatedNode) throws -> UInt64? {
        try node.store?.log(log)?.forkProof?.forkPoint
    }

    @Test(arguments: [[1, 1], [3, 1], [1, 4], [300, 40]], [[0, 1], [0, 1, 2]])
    func `two histories of a log become one, and the records of both can be read`(sizes: [Int], nodes: [Int]) throws {
        let (simulation, log) = try world(sizes.map { ForgedHistory(own: $0) })
        for index in nodes { try simulation.nodes[index].start() }
        try simulation.run(until: simulation.now + 60_000)
        for index in nodes { #expect(try forkPoint(log, on: simulation.nodes[index]) == 1, "node \(index)") }
        try expectEqual(simulation, nodes, zone: log.zone)
        // The last value of each history; the values that it had replaced itself are gone.
        let read = try numbers(on: simulation.nodes[0], zone: log.zone)
        for (index, size) in sizes.enumerated() { #expect(read.contains(Int64(value(index, size - 1)))) }
        // The sessions stand: the writes of others still reach all nodes.
        try write("later", 7, on: simulation.nodes[0], log.zone)
        try simulation.run(until: simulation.now + 5_000)
        for index in nodes {
            #expect(try numbers(on: simulation.nodes[index], zone: log.zone).contains(7), "node \(index)")
        }
        try expectEqual(simulation, nodes, zone: log.zone)
    }

    @Test func `three histories of a log, that part at two places, become one`() throws {
        let (simulation, log) = try world([1, 2, 2].map { ForgedHistory(shared: $0, own: 5) })
        for node in simulation.nodes.prefix(3) { try node.start() }
        try simulation.run(until: simulation.now + 120_000)
        for node in simulation.nodes.prefix(3) {
            #expect(try forkPoint(log, on: node) == 1, "node \(node.index)")
        }
        try expectEqual(simulation, [0, 1, 2], zone: log.zone)
        let lasts = (0..<3).map { Int64(value($0, 4)) }
        #expect(try numbers(on: simulation.nodes[0], zone: log.zone).isSuperset(of: [2] + lasts))
    }

    @Test func `a node that comes later, and holds neither history, learns of the fork`() throws {
        let (simulation, log) = try world([ForgedHistory(own: 3), ForgedHistory(own: 1)])
        for node in simulation.nodes.prefix(2) { try node.start() }
        try simulation.run(until: simulation.now + 60_000)
        try simulation.nodes[2].start()
        try simulation.run(until: simulation.now + 30_000)
        #expect(try simulation.nodes[2].store?.log(log)?.isForked == true)
        try expectEqual(simulation, [0, 1, 2], zone: log.zone)
    }

    @Test func `two histories that have become one cost nothing any more`() throws {
        let (simulation, _) = try world([ForgedHistory(own: 3), ForgedHistory(own: 1)])
        for node in simulation.nodes.prefix(3) { try node.start() }
        try simulation.run(until: simulation.now + 300_000)
        let before = simulation.statistics.messagesByTag
        try simulation.run(until: simulation.now + 3_600_000)
        let counts = zip(simulation.statistics.messagesByTag, before).map { $0 - $1 }
        // An hour: three pairs, a comparison a minute, which finds two equal digests, and another
        // session four times.
        #expect(counts.reduce(0, +) - counts[8] - counts[9] < 60 * 3 * 4)
        #expect(counts[6] == 0, "no run is sent")
    }
}
