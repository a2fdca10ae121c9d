import KairanInterface
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A narrowed node` {
    private static let notes = ZoneScope(containers: ["org.example.notes"], byteCountMax: nil)

    private static func zone(_ name: String, in container: String, of desk: RunningNode) async throws -> ZoneID {
        try await desk.node.zones.createZone(name: name, container: container, history: .full).zone
    }

    @Test func `lists, reads and writes the zones of its containers, and no others exist for it`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let own = try await Self.zone("one name", in: "org.example.notes", of: desk)
            let foreign = try await Self.zone("one name", in: "org.example.mail", of: desk)
            let gone = try await Self.zone("gone", in: "org.example.mail", of: desk)
            for zone in [own, foreign, gone] { try await desk.put("r", in: zone.text, text: zone.text) }
            try await desk.node.zones.deleteZone(gone.text)
            let node = desk.node.narrowed(to: Self.notes)
            #expect(try await node.zones.list().map(\.zone) == [own])
            // For a caller that sees both, the name is ambiguous.
            try await expectRefusal(.zoneAmbiguous) { try await desk.node.zones.zone("one name") }
            #expect(try await node.records.record(zone: "one name", name: "r").zone == own)
            for reference in [foreign.text, gone.text, "gone"] {
                try await expectRefusal(.zoneUnknown) { try await node.zones.zone(reference) }
                try await expectRefusal(.zoneUnknown) { try await node.records.record(zone: reference, name: "r") }
                try await expectRefusal(.zoneUnknown) {
                    try await node.records.list(zone: reference, after: nil, limit: 9)
                }
                try await expectRefusal(.zoneUnknown) {
                    try await node.feed.changes(zone: reference, since: "x", limit: 9)
                }
                try await expectRefusal(.zoneUnknown) { try await node.feed.events(zone: reference, since: "x") }
                try await expectRefusal(.zoneUnknown) {
                    try await node.conflicts.open(zone: reference, name: nil, after: nil, limit: 9)
                }
                try await expectRefusal(.zoneUnknown) { try await node.zones.deleteZone(reference) }
                try await expectRefusal(.zoneUnknown) {
                    try await node.records.write([RecordDraft(name: "r")], zone: reference, atomic: false)
                }
                try await expectRefusal(.zoneUnknown) {
                    try await node.conflicts.resolve(zone: reference, name: "r", with: .take(version: "x"))
                }
            }
            #expect(try await node.feed.changes(zone: nil, since: nil, limit: 9).changes.map(\.record.zone) == [own])
            try await expectRefusal(.forbidden) {
                try await node.zones.createZone(name: "new", container: "org.example.mail", history: .full)
            }
            // A zone that exists in another container is no obstacle.
            _ = try await node.zones.createZone(name: "gone", container: "org.example.notes", history: .full)
            #expect(try await desk.node.records.record(zone: foreign.text, name: "r").zone == foreign)
            #expect(desk.node.commitService.hub.subscriberCount == 0)
        }
    }

    @Test func `has no container but by its bytes`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            // The Kelvin sign is, for Unicode, the same text as the letter K.
            let lookalike = try await Self.zone("z", in: "org.example.Kelvin", of: desk)
            let scope = ZoneScope(containers: ["org.example.\u{212A}elvin"], byteCountMax: nil)
            let node = desk.node.narrowed(to: scope)
            #expect(try await node.zones.list().isEmpty)
            try await expectRefusal(.zoneUnknown) { try await node.zones.zone(lookalike.text) }
        }
    }

    @Test func `reports changes and synchronisation of its zones only, and nothing of peers`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            let events = try await lap.node.narrowed(to: Self.notes).feed.events(zone: nil, since: nil)
            try await pair(desk, lap)
            let foreign = try await Self.zone("mail", in: "org.example.mail", of: desk)
            try await desk.put("theirs", in: foreign.text, text: "x")
            try await lap.untilField("text", of: "theirs", in: foreign.text, is: .string("x"))
            let own = try await Self.zone("notes", in: "org.example.notes", of: desk)
            try await desk.put("ours", in: own.text, text: "x")
            var missing: Set<String> = ["snapshot", "zone", "change", "sync"]
            for await event in events {
                switch event {
                case .snapshot(_, let zones):
                    #expect(zones.isEmpty)
                    missing.remove("snapshot")
                case .zone(let change, _):
                    #expect(change.status.zone == own)
                    missing.remove("zone")
                case .change(let change, _):
                    #expect(change.record.zone == own)
                    missing.remove("change")
                case .sync(let sync):
                    #expect(sync.zone == own)
                    missing.remove("sync")
                case .quarantine(let zone):
                    #expect(zone == own)
                case .peer(let peer):
                    Issue.record("told of the peer \(peer.device)")
                case .transfer(let zone):
                    Issue.record("told of the offer of \(zone)")
                case .asset(let asset):
                    #expect(asset.zone == own)
                case .anomaly(let anomaly):
                    Issue.record("told of \(anomaly)")
                case .end(let reason):
                    Issue.record("ended: \(reason)")
                }
                if missing.isEmpty { break }
            }
            #expect(missing.isEmpty)
            try await desk.node.zones.deleteZone(foreign.text)
        }
    }
}
