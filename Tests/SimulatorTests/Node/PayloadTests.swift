import Identity
import Records
import Sync
import Testing
import Wire

@testable import Simulator

/// The payloads of messages, which travel apart from their records, among nodes.
@Suite struct PayloadTests {
    private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 251) }

    private func world(_ nodeCount: Int, seed: UInt64 = 1) throws -> (Simulation, ZoneID, Messenger) {
        let (simulation, zone) = try HandMadeWorld.running(nodeCount, seed: seed) { $0.hasMessages = true }
        return (simulation, zone, Messenger(simulation, seed: seed))
    }

    /// A node sends a message with a payload; it is durable a second later.
    private func send(from node: SimulatedNode, _ zone: ZoneID, _ messenger: Messenger) throws -> PayloadID {
        messenger.handIn(Self.bytes, on: node, zone: zone) { payload in
            let draft = SentMessages.Draft(
                content: .bytes([]),
                payload: payload,
                contentType: "application/octet-stream"
            )
            node.process?.commits.enqueue { process, transaction in
                try SentMessages(process.committer()).send([draft], zone: zone, in: &transaction).notice
            }
        }
        try node.simulation.run(until: node.simulation.now + 1_000)
        return try #require(messenger.handedIn.keys.first)
    }

    private func has(_ payload: PayloadID, _ node: SimulatedNode) throws -> Bool {
        try node.store?.payload(payload)?.state == .present
    }

    private func check(_ payload: PayloadID, on node: SimulatedNode, _ messenger: Messenger) throws {
        let store = try #require(node.store)
        let committer = try #require(node.process?.committer())
        let row = try #require(try store.waitingMessages(after: 0, limit: 10).first { $0.payload == payload })
        try messenger.checkHanded(payload, of: row, on: node, committer, store)
    }

    @Test func `a payload reaches all devices, and reads as it was uploaded`() throws {
        let (simulation, zone, messenger) = try world(3)
        let payload = try send(from: simulation.nodes[0], zone, messenger)
        let others = simulation.nodes.dropFirst()
        let time = try simulation.run(within: 10_000) { try others.allSatisfy { try has(payload, $0) } }
        #expect(time != nil)
        for node in others { try check(payload, on: node, messenger) }
    }

    @Test func `a payload is fetched from any peer that has it when its sender is off`() throws {
        let (simulation, zone, messenger) = try world(3)
        try simulation.nodes[2].stop()
        let payload = try send(from: simulation.nodes[0], zone, messenger)
        #expect(try simulation.run(within: 10_000) { try has(payload, simulation.nodes[1]) } != nil)
        try simulation.nodes[0].stop()
        try simulation.nodes[2].start()
        #expect(try simulation.run(within: 60_000) { try has(payload, simulation.nodes[2]) } != nil)
        try check(payload, on: simulation.nodes[2], messenger)
    }

    @Test func `a payload comes whole, at whichever step its receiver loses its power`() throws {
        for step in stride(from: 0, to: 40, by: 3) {
            let (simulation, zone, messenger) = try world(2, seed: UInt64(step))
            let node = simulation.nodes[1]
            let payload = try send(from: simulation.nodes[0], zone, messenger)
            node.disk.faults.operationsUntilPowerLoss = step
            try simulation.run(until: simulation.now + 2_000)
            if node.isRunning { try node.crash() }
            try node.start()
            #expect(try simulation.run(within: 120_000) { try has(payload, node) } != nil, "step \(step)")
            try check(payload, on: node, messenger)
        }
    }

    @Test(arguments: Misdeed.ofPayloads)
    func `a peer that lies about payloads costs time and nothing else`(_ misdeed: Misdeed) throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            let (simulation, zone, messenger) = try world(4, seed: seed)
            try simulation.nodes[3].stop()
            let payload = try send(from: simulation.nodes[0], zone, messenger)
            let helpers = simulation.nodes[1...2]
            #expect(try simulation.run(within: 10_000) { try helpers.allSatisfy { try has(payload, $0) } } != nil)
            try simulation.nodes[0].stop()
            simulation.nodes[1].misdeed = misdeed
            try simulation.nodes[3].start()
            let time = try simulation.run(within: 180_000) { try has(payload, simulation.nodes[3]) }
            #expect(time != nil, "seed \(seed)")
            try check(payload, on: simulation.nodes[3], messenger)
        }
    }
}
