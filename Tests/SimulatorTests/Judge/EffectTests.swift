import Identity
import Records
import Sync
import Testing
import Wire

@testable import Simulator

/// The effects of an acknowledged write beyond its values: whether the judge would notice that they are lost.
@Suite struct EffectTests {
    /// One node, and the judge that watches it.
    private struct World {
        let judge = Judge()
        let simulation: Simulation
        let zone: ZoneID

        init() throws {
            var options = SimulationOptions()
            options.nodeCount = 1
            options.staticPeers = .all
            simulation = try Simulation(seed: 5, options: options, judge: judge)
            let node = simulation.nodes[0]
            try node.start()
            let genesis = node.zoneGenesis(0)
            try node.createZone(genesis)
            zone = ZoneID(genesis)
            try simulation.run(until: simulation.now + 5_000)
        }

        func write(_ write: RecordWrite) throws {
            try simulation.nodes[0].submit(WriteRequest([write]), zone: zone)
            try simulation.run(until: simulation.now + 500)
        }

        func add(_ amount: Int64) throws {
            let increment = CounterIncrement(field: Workload.counterField, amount: amount)
            try write(RecordWrite(name: "r0", type: Workload.type, increments: [increment]))
        }

        func look() throws -> StoreLook {
            try #require(StoreLook(at: simulation.nodes[0]))
        }

        /// Returns the places of the data log's operations.
        func places() throws -> [OperationLibrary.Place] {
            let row = try #require(try look().store.logs(zone: zone).first { $0.key.lane == .data })
            return (1...row.size).map { OperationLibrary.Place(key: row.key, counter: $0) }
        }
    }

    @Test func `additions that are all there are no loss`() throws {
        let world = try World()
        try world.add(4)
        try world.add(3)
        try world.judge.checkPromises(world.look())
    }

    @Test func `an addition that the final value lacks is a loss`() throws {
        let world = try World()
        try world.add(4)
        try world.add(3)
        // The application received a larger sum than the store shows.
        let first = try #require(try world.places().first)
        _ = world.judge.evidence.ledger.acknowledge(first, adding: [Workload.counterField: 5])
        #expect(throws: Violation.self) { try world.judge.checkPromises(world.look()) }
    }

    @Test func `additions to a record that is deleted afterwards are no loss`() throws {
        let world = try World()
        try world.add(4)
        try world.write(RecordWrite(name: "r0", delete: true))
        try world.judge.checkPromises(world.look())
        try world.add(2)
        try world.judge.checkPromises(world.look())
    }

    @Test func `a deletion after which the record is shown is a loss`() throws {
        let world = try World()
        let assignment = FieldAssignment(field: "title", value: .string("w1.................."))
        try world.write(RecordWrite(name: "r0", type: Workload.type, set: [assignment]))
        try world.judge.checkPromises(world.look())
        try world.add(1)
        // The application was informed that its last write deleted the record.
        let last = try #require(try world.places().last)
        _ = world.judge.evidence.ledger.acknowledge(last, isDeletion: true)
        #expect(throws: Violation.self) { try world.judge.checkPromises(world.look()) }
    }

    @Test func `a record that is made again after its deletion is no loss`() throws {
        let world = try World()
        try world.add(1)
        try world.write(RecordWrite(name: "r0", delete: true))
        try world.add(1)
        try world.judge.checkPromises(world.look())
    }

    @Test func `a rolled-back disk excuses only the writes that were on it`() throws {
        let world = try World()
        try world.add(1)
        let (judge, node) = (world.judge, world.simulation.nodes[0])
        // Another node wrote this, and no disk has it: that was so before this disk was rolled back.
        let digest = Digest32(word0: 1, word1: 2, word2: 3, word3: 4)
        let elsewhere = OperationLibrary.Place(
            key: LogKey(zone: world.zone, actor: ActorID(digest), lane: .data),
            counter: 1
        )
        judge.evidence.ledger.add(
            WriteLedger.Write(place: elsewhere, tag: RecordTag(digest), node: 1, brought: [], replaced: [])
        )
        let here = try #require(try world.places().first)
        try node.stop()
        try node.loseDatabase()
        #expect(judge.evidence.ledger.isLost(here))
        #expect(!judge.evidence.ledger.isLost(elsewhere))
    }

    @Test func `writes after the end of a right must not be effective`() throws {
        let world = try World()
        try world.add(1)
        let node = world.simulation.nodes[0]
        world.judge.endings.end("its device was removed", devices: [node.device])
        try world.judge.check(world.look())
        try world.add(1)
        #expect(throws: Violation.self) { try world.judge.check(world.look()) }
    }

    @Test func `a control operation after the end of a right must not be effective`() throws {
        let world = try World()
        let node = world.simulation.nodes[0]
        world.judge.endings.end("its device was removed", devices: [node.device])
        node.lie(.publicAccess(.none), in: world.zone)
        try world.simulation.run(until: world.simulation.now + 500)
        #expect(throws: Violation.self) { try world.judge.check(world.look()) }
    }
}
