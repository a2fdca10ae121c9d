import KairanInterface
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Two accounts` {
    @Test func `share a zone, each sees it in its own database with the other, until one is revoked`() async throws {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("alice's desk"), try await nodes.start("bob's lap"))
            let zone = try await alice.makeZone("notes")
            try await alice.put("n1", in: "notes", text: "hers")
            await bob.node.sync.add(peers: [alice.address])
            let limits = InviteLimits()
            let invite = try await alice.node.inviting.invite(
                zone: "notes",
                terms: ShareTerms(level: .write),
                limits: limits
            )
            let joined = try await bob.join(invite.invite.link)
            #expect(joined.state == .joined && joined.zone == zone)
            try await bob.untilField("text", of: "n1", in: zone.text, is: .string("hers"))
            try await bob.put("n2", in: zone.text, text: "his")
            try await alice.untilField("text", of: "n2", in: "notes", is: .string("his"))
            #expect(try await bob.node.joining.joins().isEmpty)

            let (aliceAccount, bobAccount) = (alice.node.identity.account, bob.node.identity.account)
            let (hers, his) = (try await alice.node.zones.zone(zone.text), try await bob.node.zones.zone(zone.text))
            #expect(hers.database == .private && his.database == .shared && his.owner == aliceAccount)
            #expect(hers.rights == .admin && his.rights == .write && hers.isOwn && !his.isOwn)
            #expect(hers.peers.map(\.account) == [bobAccount] && his.peers.map(\.account) == [aliceAccount])
            #expect(try await bob.node.zones.list(in: .shared).map(\.zone) == [zone])
            try await expectRefusal(.zoneForeign) { try await bob.node.zones.deleteZone(zone.text) }
            try await expectRefusal(.rightNotDelegable) {
                try await bob.node.inviting.invite(
                    zone: zone.text,
                    terms: ShareTerms(level: .read),
                    limits: InviteLimits()
                )
            }
            let share = try await bob.node.sharing.share(of: zone.text)
            #expect(share.owner == aliceAccount && share.ownerDevices.map(\.name) == ["alice's desk"])
            #expect(share.participants.map(\.account) == [bobAccount] && share.participants.map(\.isThis) == [true])
            #expect(share.invites.isEmpty && share.waitsFor.isEmpty)
            let listed = try await alice.node.sharing.share(of: "notes")
            #expect(listed.participants.first?.devices.map(\.name) == ["bob's lap"])
            #expect(listed.invites.map(\.state) == [.spent])

            // An account that was met is known by the beginning of its id.
            let part = String(bobAccount.text.prefix(8))
            let revoked = try await alice.node.sharing.revokeShare(
                zone: "notes",
                account: part,
                reason: "enough",
                keepsBelow: false
            )
            #expect(revoked.accounts == [bobAccount] && revoked.remaining == nil)
            try await bob.until("put out") { try await $0.zones.zone(zone.text).rights == nil }
            try await expectRefusal(.rightNone) { try await bob.put("n3", in: zone.text, text: "late") }
            #expect(try await bob.names(in: zone.text) == ["n1", "n2"])
            // A revoked member has no right to give up, and need not keep the zone any longer.
            #expect(try await bob.node.sharing.leave(zone: zone.text) == zone)
            #expect(try await bob.node.zones.list().isEmpty)
        }
    }

    @Test func `part when one leaves, and the zone is gone there`() async throws {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("desk"), try await nodes.start("lap"))
            let zone = try await alice.makeZone("notes")
            await bob.node.sync.add(peers: [alice.address])
            let limits = InviteLimits()
            let invite = try await alice.node.inviting.invite(
                zone: "notes",
                terms: ShareTerms(level: .write),
                limits: limits
            )
            try await bob.join(invite.invite.link)
            try await bob.until("it may write") { try await $0.zones.zone(zone.text).rights == .write }
            #expect(try await bob.node.sharing.leave(zone: zone.text) == zone)
            #expect(try await bob.node.zones.list().isEmpty)
            try await alice.until("he has left") { try await $0.sharing.share(of: "notes").participants.isEmpty }

            // The owner bounds the end that the leave stated, once.
            let account = bob.node.identity.account
            let revoked = try await alice.node.sharing.revokeShare(
                zone: "notes",
                account: account.text,
                reason: "bounded",
                keepsBelow: false
            )
            #expect(revoked.accounts == [account] && revoked.remaining == nil && revoked.quarantined == 0)
            try await expectRefusal(.shareUnknown) {
                try await alice.node.sharing.revokeShare(
                    zone: "notes",
                    account: account.text,
                    reason: "",
                    keepsBelow: false
                )
            }
        }
    }
}
