import KairanInterface
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Containers` {
    private static let container = "org.example.notes"

    @Test func `are listed with their databases, and each caller sees its own`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            for (name, container) in [("b", Self.container), ("a", Self.container), ("m", "org.example.mail")] {
                let zone = try await desk.node.zones.createZone(name: name, container: container, history: .full)
                try await desk.put("r", in: zone.zone.text, text: "x")
            }
            _ = try await desk.makeInternalZone()
            let all = try await desk.node.containers.list()
            #expect(all.map(\.container) == ["org.example.mail", Self.container])
            let notes = try await desk.node.containers.container(Self.container)
            #expect(notes.databases.map(\.database) == [.private, .shared, .public])
            #expect(notes.databases.map(\.zones.count) == [2, 0, 0])
            #expect(notes.databases.first?.zones.map(\.name) == ["a", "b"])
            #expect(notes.databases.first?.zones.allSatisfy { $0.records == 1 && $0.bytes > 0 } == true)
            #expect(notes.byteCountMax == nil && notes.usedByteCount == nil)
            try await expectRefusal(.containerUnknown) { try await desk.node.containers.container("org.example.none") }
            try await expectRefusal(.containerUnknown) { try await desk.node.containers.container("kairan.account") }

            let scope = ZoneScope(containers: ["org.example.mail", "org.example.empty"], byteCountMax: 9_000)
            let narrowed = desk.node.narrowed(to: scope)
            let seen = try await narrowed.containers.list()
            #expect(seen.map(\.container) == ["org.example.empty", "org.example.mail"])
            #expect(seen.allSatisfy { $0.byteCountMax == 9_000 && $0.usedByteCount ?? 0 > 0 })
            try await expectRefusal(.containerUnknown) { try await narrowed.containers.container(Self.container) }

            try await desk.node.zones.deleteZone("m")
            #expect(try await desk.node.containers.list().map(\.container) == [Self.container])
            #expect(try await narrowed.containers.list().allSatisfy { $0.usedByteCount == 0 })
        }
    }

    @Test func `have a default zone that two devices make apart and that is one`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let path = Self.container + "/default"
            // A write makes it, here and there; nothing but a write does.
            try await expectRefusal(.zoneUnknown) { try await desk.node.zones.zone(path) }
            try await desk.put("from desk", in: path, text: "1")
            try await lap.put("from lap", in: path, text: "2")
            let zone = try await desk.node.zones.zone(path)
            #expect(zone.kind == .default && zone.name == "default" && zone.database == .private)
            let found = try await lap.node.zones.defaultZone(of: Self.container)
            #expect(found.zone.zone == zone.zone && !found.isNew)
            try await converged(zone.zone, desk, lap)
            #expect(try await desk.names(in: path) == ["from desk", "from lap"])
            let other = try await desk.node.zones.defaultZone(of: "org.example.mail")
            #expect(other.isNew && other.zone.zone != zone.zone)
        }
    }

    @Test func `keep their default zone to the account`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let zone = try await desk.node.zones.defaultZone(of: Self.container).zone.zone.text
            let account = String(repeating: "a", count: 51) + "q"
            try await expectRefusal(.zoneIsDefault) { try await desk.node.zones.deleteZone(zone) }
            try await expectRefusal(.zoneIsDefault) {
                try await desk.node.sharing.share(zone: zone, with: account, terms: ShareTerms(level: .read))
            }
            try await expectRefusal(.zoneIsDefault) {
                try await desk.node.inviting.invite(zone: zone, terms: ShareTerms(level: .read), limits: InviteLimits())
            }
            try await expectRefusal(.zoneIsDefault) {
                try await desk.node.sharing.setPublicAccess(zone: zone, PublicAccessChange(world: .read))
            }
            try await expectRefusal(.zoneIsDefault) {
                try await desk.node.transfers.offerTransfer(of: zone, to: account, keeping: nil)
            }
            try await expectRefusal(.invalidArgument) {
                try await desk.node.zones.createZone(name: "default", container: Self.container, history: .full)
            }
            let narrowed = desk.node.narrowed(to: ZoneScope(containers: ["org.example.mail"], byteCountMax: nil))
            try await expectRefusal(.forbidden) { try await narrowed.zones.defaultZone(of: Self.container) }
            try await expectRefusal(.zoneUnknown) {
                try await narrowed.records.write(
                    [RecordDraft(name: "r")],
                    zone: Self.container + "/default",
                    atomic: true
                )
            }
            try await expectRefusal(.invalidArgument) { try await desk.node.zones.defaultZone(of: "kairan.account") }
        }
    }

    @Test func `name their zones, also where a name alone is ambiguous`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let first = try await desk.node.zones.createZone(name: "a", container: "org.one", history: .full)
            let second = try await desk.node.zones.createZone(name: "a", container: "org.two", history: .full)
            try await expectRefusal(.zoneAmbiguous) { try await desk.node.zones.zone("a") }
            #expect(try await desk.node.zones.zone("org.one/a").zone == first.zone)
            #expect(try await desk.node.zones.zone("org.two/a").zone == second.zone)
            try await expectRefusal(.zoneUnknown) { try await desk.node.zones.zone("org.three/a") }
        }
    }

    @Test func `report whether a program may write, and why not`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let readiness = try await lap.node.containers.accountReadiness()
            #expect(
                readiness.state == .available && readiness.obstacle == nil
                    && readiness.account == desk.node.identity.account
            )
            let zone = try await lap.node.zones.createZone(name: "n", container: Self.container, history: .full)
            try await lap.put("r", in: zone.zone.text, text: "long enough to be over the limit")
            let narrow = lap.node.narrowed(to: ZoneScope(containers: [Self.container], byteCountMax: 1))
            let over = try await narrow.containers.accountReadiness()
            #expect(over.state == .restricted && over.obstacle?.code == .storageLimit && over.usedByteCount > 1)
            try await desk.node.devices.removeDevice(lap.node.identity.device, words: nil)
            try await lap.until("it knows") { node in
                try await node.containers.accountReadiness().state == .noAccount
            }
            #expect(try await lap.node.containers.accountReadiness().obstacle != nil)
        }
    }
}
