import Records
import Testing
import Wire

@testable import Simulator

@Suite struct TraceTests {
    /// A short history with crashes, writes and a lossy network.
    private func hash(seed: UInt64) throws -> UInt64 {
        let (simulation, zone) = try HandMadeWorld.running(3, seed: seed) { $0.hasDiscovery = true }
        for step in 0..<40 as Range<Int64> {
            let node = simulation.nodes[simulation.random.index(below: 3)]
            try node.submit(HandMadeWorld.write(step), zone: zone)
            try simulation.run(until: simulation.now + simulation.random.number(1...4_000))
            switch simulation.random.index(below: 8) {
            case 0: try node.crash()
            case 1: try node.kill()
            case 2: try node.restart()
            case 3: if let one = simulation.network.openConnections.first { simulation.network.silence(one) }
            default: break
            }
            for other in simulation.nodes { try other.start() }
        }
        try simulation.run(until: simulation.now + 200_000)
        #expect(try HandMadeWorld.isEqual(simulation, zone), "seed \(seed)")
        return simulation.trace.hash
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a seed run twice in one process is the same history`(seed: UInt64) throws {
        #expect(try hash(seed: seed) == hash(seed: seed), "seed \(seed)")
    }

    @Test func `two seeds are two histories`() throws {
        #expect(try hash(seed: 1) != hash(seed: 2))
    }

    @Test func `every byte counts`() {
        func hash(_ bytes: [UInt8]) -> UInt64 {
            var trace = Trace()
            trace.mix(bytes)
            return trace.hash
        }
        let bytes = [UInt8](0..<20)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(hash(bytes) != hash(other))
        }
        #expect(hash([]) != hash([0]))
        #expect(hash([0]) != hash([0, 0]))
    }
}
