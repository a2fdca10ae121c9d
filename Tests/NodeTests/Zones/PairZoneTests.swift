import KairanInterface
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A pair zone of two daemons` {
    private static let container = "org.example.chat"

    /// Two accounts that know each other by a zone which one of them shared.
    private func acquainted(_ nodes: Neighbourhood) async throws -> (alice: RunningNode, bob: RunningNode) {
        let (alice, bob) = (try await nodes.start("desk"), try await nodes.start("lap"))
        try await alice.makeZone("meeting")
        await bob.node.sync.add(peers: [alice.address])
        let invite = try await alice.node.inviting.invite(
            zone: "meeting",
            terms: ShareTerms(level: .read),
            limits: InviteLimits()
        )
        try await bob.join(invite.invite.link)
        try await bob.until("it may read") { try await $0.zones.zone("meeting").rights == .read }
        return (alice, bob)
    }

    private func pair(_ node: RunningNode, with other: RunningNode) async throws -> (zone: ZoneStatus, isNew: Bool) {
        try await node.node.zones.pairZone(
            name: "chat",
            container: Self.container,
            with: other.node.identity.account.text
        )
    }

    @Test func `is one that both have made, and both write in it`() async throws {
        try await withNodes { nodes in
            let (alice, bob) = try await acquainted(nodes)
            let (hers, his) = (try await pair(alice, with: bob), try await pair(bob, with: alice))
            #expect(hers.zone.zone == his.zone.zone && hers.isNew && his.isNew)
            #expect(try await !pair(alice, with: bob).isNew)
            let zone = hers.zone.zone
            #expect(hers.zone.kind == .pair && hers.zone.database == .shared && hers.zone.rights == .write)
            #expect(hers.zone.isOwn && hers.zone.owner == alice.node.identity.account)
            #expect(hers.zone.pairedWith == bob.node.identity.account)
            try await alice.put("n1", in: zone.text, text: "hers")
            try await bob.put("n2", in: zone.text, text: "his")
            try await bob.untilField("text", of: "n1", in: zone.text, is: .string("hers"))
            try await alice.untilField("text", of: "n2", in: zone.text, is: .string("his"))
            try await converged(zone, alice, bob)
            #expect(
                try await alice.node.containers.container(Self.container).databases.map(\.zones.count) == [0, 1, 0]
            )

            let third = String(repeating: "a", count: 51) + "q"
            for node in [alice.node, bob.node] {
                try await expectRefusal(.zoneIsPair) { try await node.zones.deleteZone(zone.text) }
                try await expectRefusal(.zoneIsPair) {
                    try await node.sharing.share(zone: zone.text, with: third, terms: ShareTerms(level: .read))
                }
                try await expectRefusal(.zoneIsPair) {
                    try await node.inviting.invite(
                        zone: zone.text,
                        terms: ShareTerms(level: .read),
                        limits: InviteLimits()
                    )
                }
                try await expectRefusal(.zoneIsPair) {
                    try await node.transfers.offerTransfer(of: zone.text, to: third, keeping: nil)
                }
                try await expectRefusal(.zoneIsPair) {
                    try await node.sharing.setPublicAccess(zone: zone.text, PublicAccessChange(world: .read))
                }
            }
            try await expectRefusal(.zoneIsPair) {
                try await bob.node.sharing.revokeShare(
                    zone: zone.text,
                    account: alice.node.identity.account.text,
                    reason: "mine",
                    keepsBelow: false
                )
            }
        }
    }

    @Test func `is offered to the account that has not made it, which leaves it and comes back`() async throws {
        try await withNodes { nodes in
            let (alice, bob) = try await acquainted(nodes)
            let zone = try await pair(alice, with: bob).zone.zone
            try await alice.put("n1", in: zone.text, text: "hers")
            try await bob.until("it is offered") { try await $0.joining.joins().contains { $0.zoneName == "chat" } }
            #expect(try await bob.node.zones.zoneIfKnown(zone.text) == nil)
            #expect(try await pair(bob, with: alice).zone.zone == zone)
            try await bob.untilField("text", of: "n1", in: zone.text, is: .string("hers"))

            #expect(try await bob.node.sharing.leave(zone: zone.text) == zone)
            #expect(try await bob.node.zones.zoneIfKnown(zone.text) == nil)
            try await alice.put("n2", in: zone.text, text: "alone")
            #expect(try await alice.node.zones.zone(zone.text).rights == .write)
            let back = try await pair(bob, with: alice)
            #expect(back.zone.zone == zone && back.isNew)
            try await bob.untilField("text", of: "n2", in: zone.text, is: .string("alone"))
            try await bob.put("n3", in: zone.text, text: "back")
            try await alice.untilField("text", of: "n3", in: zone.text, is: .string("back"))
        }
    }

    @Test func `is made only with an account that is known, another one, and not blocked`() async throws {
        try await withNodes { nodes in
            let (alice, bob) = try await acquainted(nodes)
            try await expectRefusal(.shareNeedless) { try await pair(alice, with: alice) }
            let stranger = try await nodes.start("stranger")
            try await expectRefusal(.accountUnknown) { try await pair(alice, with: stranger) }
            _ = try await alice.node.inviting.block(account: bob.node.identity.account.text)
            try await expectRefusal(.accountBlocked) { try await pair(alice, with: bob) }
            let narrowed = alice.node.narrowed(to: ZoneScope(containers: ["org.example.other"], byteCountMax: nil))
            let account = bob.node.identity.account.text
            try await expectRefusal(.forbidden) {
                try await narrowed.zones.pairZone(name: "chat", container: Self.container, with: account)
            }
        }
    }

    @Test func `continues after a restart, and by its own key once nothing else is shared`() async throws {
        try await withNodes { nodes in
            var (alice, bob) = try await acquainted(nodes)
            let zone = try await pair(alice, with: bob).zone.zone
            _ = try await pair(bob, with: alice)
            try await alice.put("n1", in: zone.text, text: "hers")
            try await bob.untilField("text", of: "n1", in: zone.text, is: .string("hers"))
            _ = try await bob.node.sharing.leave(zone: "meeting")
            try await alice.node.zones.deleteZone("meeting")
            bob = try await nodes.restart(bob)
            alice = try await nodes.restart(alice)
            await bob.node.sync.add(peers: [alice.address])
            try await alice.put("n2", in: zone.text, text: "later")
            try await bob.untilField("text", of: "n2", in: zone.text, is: .string("later"))
        }
    }
}
