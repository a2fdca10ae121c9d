import KairanInterface
import Testing
import TestSupport
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `The backlog of a zone` {
    @Test func `is counted by zone and device, with the oldest write and the reason, until it is empty`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("n0", in: "notes", text: "x")
            try await desk.until("all is in step") { try await $0.peers.pending(zone: nil).entries.isEmpty }
            try await nodes.stop(lap)
            try await desk.untilDisconnected(from: lap)
            let before = desk.node.commitService.clock.wall()
            for index in 1...3 { try await desk.put("n\(index)", in: "notes", text: "x") }
            let report = try await desk.node.peers.pending(zone: "notes")
            let entry = try #require(report.entries.first)
            #expect(report.entries.count == 1 && report.heldBack.isEmpty)
            #expect(entry.zone == zone && entry.device == lap.node.identity.device && entry.name == "notes")
            #expect(entry.count == 3 && entry.behind == 3 && entry.missing == 0)
            #expect(entry.reason == .peerAway && entry.state == .away)
            #expect(try #require(entry.oldestMilliseconds) >= before && entry.ageMilliseconds != nil)
            // An application of another container receives nothing of it.
            let scope = ZoneScope(containers: ["org.example.other"], byteCountMax: nil)
            #expect(try await desk.node.narrowed(to: scope).peers.pending(zone: nil).entries.isEmpty)
            try await expectRefusal(.zoneUnknown) {
                try await desk.node.narrowed(to: scope).peers.pending(zone: "notes")
            }
            _ = try await nodes.start(in: lap.directory, peers: [desk.address])
            try await desk.until("all is in step again") { try await $0.peers.pending(zone: nil).entries.isEmpty }
        }
    }
}
