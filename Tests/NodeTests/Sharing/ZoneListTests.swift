import struct KairanInterface.DaemonEvent
import Records
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `The list of zones` {
    @Test func `leaves out the node's own, and no caller sees or makes one`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let events = try await desk.node.feed.events(zone: nil, since: nil)
            let own = try await desk.makeInternalZone()
            try await desk.change { committer, _, transaction in
                let write = RecordWrite(name: "secret", type: "invite")
                return try committer.commit([WriteRequest([write])], zone: own, in: &transaction).notice
            }
            try await desk.makeZone("notes")
            try await desk.put("n1", in: "notes", text: "x")
            #expect(try await desk.node.zones.list().map(\.name) == ["notes"])
            #expect(try await desk.node.health.status().zones == 1)
            #expect(
                try await desk.node.feed.changes(zone: nil, since: nil, limit: 9).changes.map(\.record.name) == ["n1"]
            )
            #expect(try await desk.node.quarantine.list(zone: nil).isEmpty)
            for reference in [own.text, "book"] {
                try await expectRefusal(.zoneUnknown) { try await desk.node.zones.zone(reference) }
                try await expectRefusal(.zoneUnknown) {
                    try await desk.node.records.record(zone: reference, name: "secret")
                }
                try await expectRefusal(.zoneUnknown) { try await desk.node.zones.deleteZone(reference) }
                try await expectRefusal(.zoneUnknown) { try await desk.node.feed.events(zone: reference, since: nil) }
            }
            let scope = ZoneScope(containers: ["kairan.account"], byteCountMax: nil)
            #expect(try await desk.node.narrowed(to: scope).zones.list().isEmpty)
            try await expectRefusal(.invalidArgument) {
                try await desk.node.zones.createZone(name: "x", container: "kairan.other", history: .full)
            }
            for await event in events {
                if case .zone(let change, _) = event { #expect(change.status.name == "notes") }
                guard case .change(let change, _) = event else { continue }
                #expect(change.record.name == "n1")
                break
            }
            await desk.node.maintenance.work()
        }
    }

    @Test func `of a device that follows does not tell of the synchronisation of the node's own`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let events = try await lap.node.feed.events(zone: nil, since: nil)
            let own = try await desk.makeInternalZone()
            let notes = try await desk.makeZone("notes")
            try await lap.until("the node's own zone has come") { node in
                try await node.store.storage.read { try $0.zone(own) != nil }
            }
            try await desk.put("n1", in: "notes", text: "x")
            for await event in events {
                if case .sync(let sync) = event { #expect(sync.zone == notes || sync.kind == .setup) }
                if case .zone(let change, _) = event { #expect(change.status.zone == notes) }
                if case .change = event { break }
            }
        }
    }

    @Test func `shows each in its database, by its present owner`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let heir = try KnownAccount(knownTo: desk)
            let other = heir.account
            let (mine, given, open) = (
                try await desk.makeZone("mine"), try await desk.makeZone("given"), try await desk.makeZone("open")
            )
            let keeping = try await desk.makeZone("handed over without a word")
            try await desk.transfer(given, to: heir, keeping: .write)
            try await desk.transfer(keeping, to: heir, keeping: nil)
            try await desk.change { committer, _, transaction in
                let access = PublicAccess(world: .read, authenticated: [], creator: [])
                return try ZoneSharing(committer).setPublicAccess(access, zone: open, in: &transaction)
            }
            let found = try await desk.node.zones.list()
            #expect(found.map(\.zone) == [given, mine, open])
            #expect(found.map(\.database) == [.shared, .private, .public])
            #expect(found.map(\.owner) == [other, desk.node.identity.account, desk.node.identity.account])
            #expect(found.map(\.isOwn) == [false, true, true])
            #expect(found.map(\.rights) == [.write, .admin, .admin])
            for database in ZoneDatabase.allCases {
                #expect(try await desk.node.zones.list(in: database).map(\.database) == [database])
            }
            try await desk.put("n1", in: "given", text: "x")
            try await expectRefusal(.zoneForeign) { try await desk.node.zones.deleteZone("given") }
            try await desk.node.zones.deleteZone("open")
            #expect(try await desk.node.zones.list().map(\.zone) == [given, mine])
            #expect(try await desk.node.health.status().zones == 2)
        }
    }
}
