import Identity
import Records
import Sync
import Wire

@testable import Simulator

/// A world in which nothing goes wrong by itself.
enum HandMadeWorld {
    /// A name that every test writes.
    static let record = "record"

    /// Nodes that know each other's addresses; switched on, with one zone.
    static func running(
        _ nodeCount: Int = 2,
        seed: UInt64 = 1,
        shape: (inout SimulationOptions) -> Void = { _ in }
    ) throws -> (Simulation, ZoneID) {
        let simulation = try off(nodeCount, seed: seed, shape: shape)
        for node in simulation.nodes { try node.start() }
        let genesis = simulation.nodes[0].zoneGenesis(0)
        try simulation.nodes[0].createZone(genesis)
        try simulation.run(until: simulation.now + 10_000)
        return (simulation, ZoneID(genesis))
    }

    /// Machines that are switched off.
    static func off(
        _ nodeCount: Int = 2,
        seed: UInt64 = 1,
        shape: (inout SimulationOptions) -> Void = { _ in }
    ) throws -> Simulation {
        var options = SimulationOptions()
        options.nodeCount = nodeCount
        options.staticPeers = .all
        options.hasDiscovery = false
        shape(&options)
        return try Simulation(seed: seed, options: options)
    }

    /// Adds a machine, switched off, whose device a running node lets into its account.
    static func newcomer(of host: SimulatedNode) throws -> SimulatedNode {
        guard let log = host.process?.log else { throw NodeRefusal.notRunning }
        let simulation = host.simulation
        let name = "late-\(simulation.nodes.count)"
        let device = try FoundedAccount.Device(name: name, isSealed: false, random: &simulation.random)
        let newcomer = try simulation.insert(device: device, log: log, keyring: host.keyring)
        try host.admit(newcomer)
        return newcomer
    }

    /// Returns a request to write a value.
    static func write(_ value: Int64) -> WriteRequest {
        WriteRequest([RecordWrite(name: record, type: "note", set: [.init(field: "number", value: .int64(value))])])
    }

    /// Whether all running nodes hold the zone in one state.
    static func isEqual(_ simulation: Simulation, _ zone: ZoneID) throws -> Bool {
        let stores = simulation.nodes.filter(\.isRunning).map(\.store)
        let digests = try stores.map { store -> Hash? in
            guard let store, try store.zone(zone) != nil else { return nil }
            return try ZonePositions(of: zone).digest(in: store)
        }
        return Set(digests).count == 1 && digests.first != .some(nil)
    }
}

extension SimulatedNode {
    /// The value that its store holds; nil for none.
    func value(_ zone: ZoneID) throws -> Int64? {
        let page = try store?.records(zone: zone, after: nil, limit: 10)
        guard let row = page?.records.first(where: { $0.name == HandMadeWorld.record }),
            let fields = try? row.content().shownFields,
            case .int64(let value)? = fields.first(where: { $0.0 == "number" })?.1
        else { return nil }
        return value
    }
}
