import Records
import Sync
import Wire

/// The activity in a simulation until the faults stop: writes of all kinds, and everything that a network and a
/// machine do.
struct FaultPlan {
    /// The number of events.
    var actionCount = 30
    /// The time over which they are spread, in milliseconds.
    var duration: UInt64 = 40_000
    var zoneCount = 3
    var recordCount = 6

    /// Starts the nodes and spreads the events over the time of the faults; ends when they have stopped.
    func perform(on simulation: Simulation) throws {
        let start = simulation.now
        for node in simulation.nodes {
            let moment = start + UInt64.random(in: 0...2_000, using: &simulation.random)
            simulation.schedule(at: moment) { try node.start() }
        }
        simulation.schedule(at: start + 2_001) {
            // The default zone: two nodes make it, each for itself.
            for node in simulation.nodes.prefix(2) { try node.found(SimulatedZone.genesis(0)) }
        }
        for _ in 0..<actionCount {
            let moment = start + UInt64.random(in: 2_100...duration, using: &simulation.random)
            simulation.schedule(at: moment) { try act(on: simulation) }
        }
        try simulation.run(until: start + duration + 1)
        simulation.divide([Int](repeating: 0, count: simulation.nodes.count))
        for node in simulation.nodes { node.refusals = [] }
    }

    private func act(on simulation: Simulation) throws {
        let nodes = simulation.nodes
        let node = nodes[Int.random(in: 0..<nodes.count, using: &simulation.random)]
        switch Int.random(in: 0..<100, using: &simulation.random) {
        case 0..<55:
            try write(at: node, of: simulation)
        case 55..<65:
            try node.found(SimulatedZone.genesis(Int.random(in: 0..<zoneCount, using: &simulation.random)))
        case 65..<77:
            let all = simulation.connections.values.sorted { $0.id < $1.id }
            guard let connection = all.randomElement(using: &simulation.random) else { return }
            simulation.cut(
                connection,
                noticed: [Bool.random(using: &simulation.random), Bool.random(using: &simulation.random)]
            )
        case 77..<85:
            simulation.divide(nodes.map { _ in Int.random(in: 0..<2, using: &simulation.random) })
        case 85..<90:
            simulation.divide([Int](repeating: 0, count: nodes.count))
        case 90..<95:
            try simulation.restart(node)
        default:
            let refusal: RunOutcome = Bool.random(using: &simulation.random) ? .storageFull : .storageFailed
            node.refusals += [RunOutcome](
                repeating: refusal,
                count: Int.random(in: 1...4, using: &simulation.random)
            )
        }
    }

    /// Commits some writes to records that others write too.
    func write(at node: SimulatedNode, of simulation: Simulation) throws {
        guard let zone = try node.store.zones().randomElement(using: &simulation.random) else { return }
        let count = Int.random(in: 1...4, using: &simulation.random)
        let writes = (0..<count).map { _ in
            let name = "record \(Int.random(in: 0..<recordCount, using: &simulation.random))"
            if Int.random(in: 0..<5, using: &simulation.random) == 0 { return RecordWrite(name: name, delete: true) }
            let value = Int64.random(in: 0..<1_000, using: &simulation.random)
            return RecordWrite(name: name, type: "note", set: [.init(field: "number", value: .int64(value))])
        }
        try node.write(writes, isAtomic: Bool.random(using: &simulation.random), zone: zone.id)
        try node.settle()
    }
}
