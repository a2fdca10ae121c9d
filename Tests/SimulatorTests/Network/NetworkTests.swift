import Records
import Testing
import Wire

@testable import Simulator

@Suite struct NetworkTests {
    /// Lets a stranger send messages to a node, and collects the answers.
    private final class Listener {
        var heard: [UInt8] = []
    }

    @Test func `a partition keeps writes apart, and its end brings them together`() throws {
        let (simulation, zone) = try HandMadeWorld.running(3)
        simulation.network.divide([0, 0, 1], isFatal: false)
        try simulation.nodes[0].submit(HandMadeWorld.write(1), zone: zone)
        try simulation.run(until: simulation.now + 120_000)
        #expect(try simulation.nodes[1].value(zone) == 1)
        #expect(try simulation.nodes[2].value(zone) == nil)
        simulation.network.heal()
        let time = try simulation.run(within: 120_000) { try simulation.nodes[2].value(zone) == 1 }
        #expect(time != nil)
    }

    @Test func `bytes that waited at a blocked link arrive in their order`() throws {
        let (simulation, zone) = try HandMadeWorld.running(2)
        let handshakes = simulation.statistics.handshakes
        for value in 1...30 as ClosedRange<Int64> {
            if value.isMultiple(of: 3) { simulation.network.block(from: 0, to: 1) }
            try simulation.nodes[0].submit(HandMadeWorld.write(value), zone: zone)
            try simulation.run(until: simulation.now + 37)
            if value.isMultiple(of: 3) { simulation.network.unblock(from: 0, to: 1) }
            try simulation.run(until: simulation.now + simulation.random.number(0...9))
        }
        try simulation.run(until: simulation.now + 5_000)
        #expect(try simulation.nodes[1].value(zone) == 30)
        // Bytes out of their order would not open, and the channel would have ended.
        #expect(simulation.statistics.handshakes == handshakes)
    }

    @Test func `while only one direction works no session lasts for long`() throws {
        let (simulation, _) = try HandMadeWorld.running(2)
        simulation.network.block(from: 0, to: 1)
        try simulation.run(until: simulation.now + 120_000)
        #expect(simulation.nodes.allSatisfy { $0.process?.sessionDevices == [] })
        simulation.network.heal()
        try simulation.run(until: simulation.now + 60_000)
        #expect(simulation.nodes.allSatisfy { $0.process?.sessionDevices.count == 1 })
    }

    @Test(arguments: ["silence", "cut", "truncate", "flip"])
    func `a connection that is disturbed is replaced`(fault: String) throws {
        let (simulation, zone) = try HandMadeWorld.running(2)
        let network = simulation.network
        let connection = try #require(network.openConnections.first)
        switch fault {
        case "silence": network.silence(connection)
        case "cut": network.cut(connection, noticed: [true, false])
        case "truncate": network.truncate(connection, side: 0)
        default: network.flip(connection, side: 0)
        }
        try simulation.nodes[0].submit(HandMadeWorld.write(5), zone: zone)
        let time = try simulation.run(within: 200_000) { try simulation.nodes[1].value(zone) == 5 }
        #expect(time != nil)
        #expect(network.openConnections.contains { $0.id == connection.id } == false)
    }

    @Test func `bytes of an earlier connection lead nowhere when they are sent again`() throws {
        let (simulation, zone) = try HandMadeWorld.running(2) { $0.faults = [.replay] }
        try simulation.nodes[0].submit(HandMadeWorld.write(5), zone: zone)
        try simulation.run(until: simulation.now + 5_000)
        let handshakes = simulation.statistics.handshakes
        let connection = try #require(simulation.network.openConnections.first)
        try simulation.network.replay(connection)
        try simulation.run(until: simulation.now + 20_000)
        #expect(simulation.statistics.handshakes == handshakes)
        #expect(simulation.nodes.allSatisfy { $0.process?.sessionDevices.count == 1 })
    }

    @Test func `a stranger gets no answer, whatever it sends`() throws {
        let (simulation, _) = try HandMadeWorld.running(2)
        let listener = Listener()
        let connection = try #require(
            try simulation.network.connectStranger(to: simulation.nodes[0]) { listener.heard += $0 }
        )
        simulation.network.send(simulation.random.bytes(500), on: connection, side: 0)
        try simulation.run(until: simulation.now + 10_000)
        #expect(listener.heard == [])
        #expect(
            !simulation.network.openConnections.contains {
                $0.id == connection.id && $0.directions[1].hasEnded == false
            }
        )
    }

    @Test func `a machine that moved is found again`() throws {
        let (simulation, zone) = try HandMadeWorld.running(2) { options in
            options.hasDiscovery = true
            options.staticPeers = .none
        }
        simulation.network.move(1)
        simulation.discovery.repeatAnnouncement(simulation.nodes[1])
        try simulation.nodes[0].submit(HandMadeWorld.write(5), zone: zone)
        let time = try simulation.run(within: 200_000) { try simulation.nodes[1].value(zone) == 5 }
        #expect(time != nil)
    }

    @Test func `a flood of false addresses is forgotten, and delays no connection`() throws {
        let (simulation, zone) = try HandMadeWorld.running(2) { options in
            options.hasDiscovery = true
            options.staticPeers = .none
        }
        try simulation.discovery.flood(simulation.nodes[0], count: 300)
        try simulation.nodes[1].restart()
        try simulation.nodes[0].submit(HandMadeWorld.write(5), zone: zone)
        let time = try simulation.run(within: 200_000) { try simulation.nodes[1].value(zone) == 5 }
        #expect(time != nil)
    }
}
