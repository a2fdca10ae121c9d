import KairanInterface
import Session
import Sync
import Testing
import Wire

@testable import Node

/// Programs of different age: those that speak both versions of the channel, and those that know the first one only.
@Suite(.timeLimit(.minutes(5))) struct `Nodes of different age` {
    private func untilSpoken(_ version: ChannelVersion, _ node: RunningNode, _ other: RunningNode) async throws {
        let device = other.node.identity.device
        try await node.until("version \(version)") {
            try await $0.peers.list().contains { $0.device == device && $0.channelVersion == version }
        }
    }

    private func areQuiet(_ nodes: RunningNode...) async throws -> Bool {
        for node in nodes
        where try await node.node.health.status().health.contains(where: { $0.code == "channel.downgraded" }) {
            return false
        }
        return true
    }

    @Test func `of the same age agree on the second version`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            try await untilSpoken(.hybrid, desk, lap)
            try await untilSpoken(.hybrid, lap, desk)
            #expect(try await areQuiet(desk, lap))
        }
    }

    @Test(arguments: [ChannelVersion.classical, .hybrid])
    func `exchange their program versions, whichever side has dialled`(version: ChannelVersion) async throws {
        try await withNodes { nodes in
            let desk = try await version == .hybrid ? nodes.start() : nodes.start(agreement: .classical)
            let lap = try await nodes.start()
            try await pair(desk, lap)
            for (node, other) in [(desk, lap), (lap, desk)] {
                let device = other.node.identity.device
                try await node.until("a version") {
                    try await $0.peers.list().contains {
                        $0.device == device && $0.program == ProgramNote(version: Node.version)
                    }
                }
                let checks = try await node.node.health.examine()
                #expect(
                    checks.contains { $0.code == "peers.program" && $0.isGood && $0.message.contains(Node.version) }
                )
            }
        }
    }

    @Test(arguments: [true, false])
    func `connect in the first version, whichever of them is old, and stay in step`(hostIsOld: Bool) async throws {
        try await withNodes { nodes in
            let old = ChannelAgreement.classical
            let host = hostIsOld ? try await nodes.start(agreement: old) : try await nodes.start()
            let guest = hostIsOld ? try await nodes.start() : try await nodes.start(agreement: old)
            try await pair(host, guest)
            try await untilSpoken(.classical, host, guest)
            try await untilSpoken(.classical, guest, host)
            let zone = try await host.makeZone("notes")
            try await host.put("milk", in: "notes", text: "one")
            try await guest.untilField("text", of: "milk", in: "notes", is: .string("one"))
            try await converged(zone, host, guest)
            #expect(try await areQuiet(host, guest))
        }
    }

    @Test func `go up when the old one is updated, and never down again`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start()
            var lap = try await nodes.start(agreement: .classical)
            try await pair(desk, lap)
            try await untilSpoken(.classical, desk, lap)
            try await nodes.stop(lap)
            lap = try await nodes.start(in: lap.directory, peers: [desk.address])
            try await untilSpoken(.hybrid, desk, lap)
            try await untilSpoken(.hybrid, lap, desk)

            // The older program again, and a desk that has nothing but its files.
            try await nodes.stop(lap)
            desk = try await nodes.restart(desk)
            let device = lap.node.identity.device
            let rows = try await desk.storage.read { try $0.peers() }
            #expect(rows.first { $0.device == device }?.channelVersion == .hybrid)
            lap = try await nodes.start(in: lap.directory, peers: [desk.address], agreement: .classical)
            try await desk.until("a warning") {
                try await $0.health.status().health.contains { $0.code == "channel.downgraded" }
            }
            let status = try #require(try await desk.node.peers.list().first { $0.device == device })
            #expect(status.state != .connected && status.channelVersion == nil && status.pinnedVersion == .hybrid)

            // Updated at last.
            try await nodes.stop(lap)
            lap = try await nodes.start(in: lap.directory, peers: [desk.address])
            try await untilSpoken(.hybrid, desk, lap)
            #expect(try await areQuiet(desk))
        }
    }

    @Test func `that could do better are refused, and of strangers nothing is kept`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let impostor = try Impostor(account: desk.node.identity.account)
            // As if an attacker in between had swallowed its attempt in the second version.
            try await impostor.meet(desk, secret: desk.node.identity.fleetSecret, version: .classical) { encounters in
                #expect(await encounters.closeReason() == .peer(CloseCode(rawValue: SyncCloseCode.refused.rawValue)))
            }
            #expect(try await areQuiet(desk))
            #expect(try await desk.storage.read { try $0.peers() }.isEmpty)
        }
    }
}
