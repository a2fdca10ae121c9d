import KairanInterface
import Capabilities
import Identity
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A public zone` {
    @Test func `is opened by its link, without approval, and kept in step`() async throws {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("alice"), try await nodes.start("bob"))
            let zone = try await alice.makeZone("news")
            try await alice.put("one", in: "news", text: "alice")
            let status = try await alice.node.sharing.setPublicAccess(zone: "news", PublicAccessChange(world: .read))
            let link = try #require(status.link)
            #expect(try await alice.node.sharing.share(of: "news").publicAccess == status)
            await bob.node.sync.add(peers: [alice.address])
            let joined = try await bob.join(link)
            #expect(joined == JoinStatus(zone: zone, rights: nil, state: .joined))
            try await bob.untilField("text", of: "one", in: zone.text, is: .string("alice"))
            try await alice.put("one", in: "news", text: "again")
            try await bob.untilField("text", of: "one", in: zone.text, is: .string("again"))
            try await converged(zone, alice, bob)
            let shown = try #require(try await bob.node.zones.list().first { $0.zone == zone })
            #expect(shown.database == .public && shown.rights == nil)
            // No trace is kept of the readers.
            #expect(alice.node.identity.contacts.all.isEmpty)
            try await expectRefusal(.inviteOwnAccount) { try await alice.node.joining.join(link: link) }
            let cut = String(link.dropLast())
            try await expectRefusal(.inviteMalformed) { try await bob.node.joining.join(link: cut) }
        }
    }

    @Test func `is not served once it is private, and keeps the records read before`() async throws {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("alice"), try await nodes.start("bob"))
            let zone = try await alice.makeZone("news")
            try await alice.put("one", in: "news", text: "alice")
            let link = try #require(
                try await alice.node.sharing.setPublicAccess(zone: "news", PublicAccessChange(world: .read)).link
            )
            await bob.node.sync.add(peers: [alice.address])
            try await bob.join(link)
            try await bob.untilField("text", of: "one", in: zone.text, is: .string("alice"))
            let closed = try await alice.node.sharing.setPublicAccess(zone: "news", PublicAccessChange(world: []))
            #expect(closed.link == nil)
            try await alice.untilDisconnected(from: bob)
            try await alice.put("one", in: "news", text: "secret")
            #expect(try await bob.node.records.field("text", of: "one", in: zone.text) == .string("alice"))
            // It is tried again by itself, ever more rarely; a person who opens the link again does not have to wait.
            _ = try await alice.node.sharing.setPublicAccess(zone: "news", PublicAccessChange(world: .read))
            try await bob.join(link)
            try await bob.untilField("text", of: "one", in: zone.text, is: .string("secret"))
        }
    }

    @Test func `is left on one device silently, and opened again`() async throws {
        try await withNodes { nodes in
            let alice = try await nodes.start("alice")
            var bob = try await nodes.start("bob")
            let zone = try await alice.makeZone("news")
            let link = try #require(
                try await alice.node.sharing.setPublicAccess(zone: "news", PublicAccessChange(world: .read)).link
            )
            await bob.node.sync.add(peers: [alice.address])
            try await bob.join(link)
            try await alice.put("one", in: "news", text: "alice")
            try await bob.untilField("text", of: "one", in: zone.text, is: .string("alice"))
            #expect(try await bob.node.sharing.leave(zone: zone.text) == zone)
            #expect(try await bob.node.zones.list().isEmpty)
            bob = try await nodes.restart(bob)
            #expect(try await bob.node.zones.list().isEmpty)
            await bob.node.sync.add(peers: [alice.address])
            try await bob.join(link)
            try await alice.put("one", in: "news", text: "again")
            try await bob.untilField("text", of: "one", in: zone.text, is: .string("again"))
        }
    }

    @Test func `accepts a long record from an unknown account with the longest log`()
        async throws
    {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("alice"), try await nodes.start("bob"))
            // Less than 512 KiB by the room for the daemon's own entries in the log meanwhile.
            try bob.fillAccountLog(to: 522_000)
            let zone = try await alice.makeZone("news")
            let access = PublicAccessChange(world: [.read, .create])
            let link = try #require(try await alice.node.sharing.setPublicAccess(zone: "news", access).link)
            await bob.node.sync.add(peers: [alice.address])
            try await bob.join(link)
            try await bob.until("he has heard what everybody may do") {
                try await $0.zones.zone(zone.text).publicAccess.world.contains(.create)
            }
            let text = FieldValue.string(String(repeating: "x", count: 480_000))
            let change = RecordDraft(name: "long", fields: [(name: "text", value: text)])
            let made = try await bob.node.records.write([change], zone: zone.text, atomic: true)
            #expect(try made.first?.get().createdBy == bob.node.identity.device)
            #expect(try await alice.node.records.field("text", of: "long", in: "news") == text)
            #expect(alice.node.identity.contacts.all.isEmpty)
        }
    }
}
