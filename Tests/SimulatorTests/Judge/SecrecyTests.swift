import Identity
import Records
import Simulator
import Sync
import Testing
import Wire

@testable import Simulator

@Suite struct SecrecyTests {
    @Test func `a canary is found at every position, and nothing else is`() {
        var finder = CanaryFinder()
        let secret = (0..<32).map { UInt8(200 + $0) }
        finder.add(secret, as: "a key")
        #expect(finder.find(in: [1, 2, 3] + secret + [4]) == "a key")
        #expect(finder.find(in: secret) == "a key")
        #expect(finder.find(in: Array(secret.dropLast())) == nil)
        #expect(finder.find(in: Array(secret.dropFirst())) == nil)
        #expect(finder.find(in: []) == nil)
    }

    @Test func `of two canaries that begin alike each is found`() {
        var finder = CanaryFinder()
        let start: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        finder.add(start + [9, 9, 9], as: "first")
        finder.add(start + [7, 7, 7], as: "second")
        finder.add(start + [7, 7, 7], as: "second")
        #expect(finder.count == 2)
        #expect(finder.find(in: start + [7, 7, 7]) == "second")
        #expect(finder.find(in: start + [9, 9, 9]) == "first")
        #expect(finder.find(in: start + [8, 8, 8]) == nil)
    }

    @Test func `texts that are too short are not searched for`() {
        var finder = CanaryFinder()
        finder.add([1, 2, 3], as: "a value")
        #expect(finder.count == 0)
    }

    /// Makes two nodes, a sealed zone and a record, and the judge that watches.
    private func world() throws -> (Simulation, Judge, Connection) {
        var options = SimulationOptions()
        options.nodeCount = 2
        options.staticPeers = .all
        options.isSealed = true
        let judge = Judge()
        let simulation = try Simulation(seed: 3, options: options, judge: judge)
        for node in simulation.nodes { try node.start() }
        let genesis = simulation.nodes[0].zoneGenesis(0)
        try simulation.nodes[0].createZone(genesis)
        try simulation.run(until: simulation.now + 5_000)
        let assignment = FieldAssignment(field: "title", value: .string("a value that was never written before"))
        let write = RecordWrite(name: "r0", type: Workload.type, set: [assignment])
        try simulation.nodes[0].submit(WriteRequest([write]), zone: ZoneID(genesis))
        try simulation.run(until: simulation.now + 10_000)
        return (simulation, judge, try #require(simulation.network.openConnections.first))
    }

    @Test func `a value, a key and an identifier in clear are seen on the wire and at a relay`() throws {
        let (simulation, judge, connection) = try world()
        let node = simulation.nodes[0]
        let zone = try #require(try node.store?.zones().first { !$0.isInternal })
        let epoch = try #require(node.store?.keyring.epochs.first { _ in true })
        let key = try #require(node.store?.keyring.key(epoch)?.exportBytes())
        let secrets: [[UInt8]] = [
            Array("a value that was never written before".utf8), node.device.bytes, node.accountID.bytes,
            zone.id.bytes, zone.tagKey, key,
        ]
        for secret in secrets {
            let bytes = [0, 1, 2] + secret + [3]
            #expect(throws: Violation.self) { try judge.sent(bytes, on: connection, side: 0, in: simulation) }
            #expect(throws: Violation.self) { try judge.left(bytes, by: node, in: simulation) }
        }
        try judge.left([UInt8](repeating: 7, count: 500), by: node, in: simulation)
    }
}
