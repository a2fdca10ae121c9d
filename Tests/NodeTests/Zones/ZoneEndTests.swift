import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A zone that is gone` {
    @Test func `reports the reason, on all devices, to readers that saw it`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await lap.until("it is there") { try await $0.zones.zoneIfKnown(zone.text) != nil }
            try await desk.node.zones.deleteZone("notes", reason: "merged into papers")
            try await lap.until("it is gone") { try await !$0.zones.goneZones().isEmpty }
            for node in [desk.node, lap.node] {
                let error = await #expect(throws: NodeError.self) { try await node.zones.zone(zone.text) }
                #expect(
                    error?.code == .zoneDeleted && error?.facts == [.kind(.deleted), .reason("merged into papers")]
                )
                let changes = await #expect(throws: NodeError.self) {
                    try await node.feed.changes(zone: zone.text, since: nil, limit: 1)
                }
                #expect(changes?.facts.first == .kind(.deleted))
                #expect(
                    try await node.zones.goneZones().map(\.end) == [ZoneEnd(.deleted, reason: "merged into papers")]
                )
                #expect(try await node.zones.list().isEmpty)
            }
            let narrowed = desk.node.narrowed(to: ZoneScope(containers: ["org.example.other"], byteCountMax: nil))
            #expect(try await narrowed.zones.goneZones().isEmpty)
            try await expectRefusal(.zoneUnknown) { try await narrowed.zones.zone(zone.text) }
            try await expectRefusal(.invalidArgument) {
                try await desk.node.zones.deleteZone("notes", reason: String(repeating: "x", count: 256))
            }
        }
    }

    @Test func `by leaving it, and by joining another account`() async throws {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("desk"), try await nodes.start("lap"))
            let shared = try await alice.makeZone("shared")
            let own = try await bob.makeZone("own")
            try await bob.put("r", in: own.text, text: "x")
            await bob.node.sync.add(peers: [alice.address])
            let invite = try await alice.node.inviting.invite(
                zone: "shared",
                terms: ShareTerms(level: .write),
                limits: InviteLimits()
            )
            try await bob.join(invite.invite.link)
            try await bob.until("it may write") { try await $0.zones.zone(shared.text).rights == .write }
            _ = try await bob.node.sharing.leave(zone: shared.text)
            #expect(try await bob.node.zones.goneZones().map(\.end) == [ZoneEnd(.left)])
            let error = await #expect(throws: NodeError.self) { try await bob.node.zones.zone(shared.text) }
            #expect(error?.code == .zoneDeleted && error?.facts == [.kind(.left)])

            let other = try await nodes.start("other")
            try await pair(other, bob)
            try await bob.until("its zone goes on") { try await $0.zones.goneZones().contains { $0.zone == own } }
            let ends = try await bob.node.zones.goneZones()
            #expect(ends.first { $0.zone == own }?.end == ZoneEnd(.accountChanged))
            #expect(try await bob.names(in: "own") == ["r"])
        }
    }
}
