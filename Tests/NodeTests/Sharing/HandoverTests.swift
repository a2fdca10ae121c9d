import KairanInterface
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Handing a zone over` {
    /// Two nodes of two accounts that share a zone of the first one.
    private static func withTwo(
        clock: TurnedClock = TurnedClock(),
        _ body: (_ alice: RunningNode, _ bob: RunningNode, _ zone: ZoneID) async throws -> Void
    ) async throws {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("desk", clock: clock.clock), try await nodes.start("lap"))
            let zone = try await alice.makeZone("notes")
            try await alice.put("n1", in: "notes", text: "hers")
            await bob.node.sync.add(peers: [alice.address])
            let invite = try await alice.node.inviting.invite(
                zone: "notes",
                terms: ShareTerms(level: .read),
                limits: InviteLimits()
            )
            try await bob.join(invite.invite.link)
            try await bob.untilField("text", of: "n1", in: zone.text, is: .string("hers"))
            try await body(alice, bob, zone)
        }
    }

    private static func state(_ state: ZoneTransfer.State?, of zone: ZoneID) -> (Node) async throws -> Bool {
        { try await $0.sharing.share(of: zone.text).transfer?.state == state }
    }

    @Test func `waits for the other side, which accepts, and happens by itself then`() async throws {
        let clock = TurnedClock()
        try await Self.withTwo(clock: clock) { alice, bob, zone in
            let (old, new) = (alice.node.identity.account, bob.node.identity.account)
            _ = try await alice.node.transfers.offerTransfer(of: "notes", to: new.text, keeping: .write)
            try await bob.until("it is offered", Self.state(.offered, of: zone))
            let seen = try #require(try await bob.node.sharing.share(of: zone.text).transfer)
            #expect(seen == TransferStatus(zone: zone, owner: old, account: new, keeps: .write, state: .offered))
            let listed = try #require(try await bob.node.joining.joins().first)
            #expect(listed.invite == zone.text && listed.state == .transferOffered && listed.zoneName == "notes")
            #expect(listed.account == old && listed.openedMilliseconds > 1_700_000_000_000)
            #expect(try await alice.node.joining.joins().isEmpty)
            #expect(try await alice.node.zones.zone("notes").isOwn)
            #expect(try await !bob.node.zones.zone(zone.text).isOwn)
            let events = try await bob.node.feed.events(zone: zone.text, since: nil)
            #expect(try await bob.node.transfers.answerTransfer(of: zone.text, accepting: true).state == .accepted)
            try await alice.until("it is accepted", Self.state(.accepted, of: zone))
            clock.advance(by: ZoneTransfers.waitMilliseconds)
            await alice.node.maintenance.work()
            for node in [alice, bob] {
                try await node.until("the zone is Bob's") { try await $0.zones.zone(zone.text).owner == new }
            }
            for await event in events {
                if case .transfer(let told) = event {
                    #expect(told == zone)
                    break
                }
            }
            #expect(try await bob.node.joining.joins().isEmpty)
            #expect(try await alice.node.zones.zone(zone.text).rights == .write)
            #expect(try await alice.node.sharing.share(of: zone.text).transfer == nil)
            try await bob.put("n2", in: zone.text, text: "his")
            try await alice.untilField("text", of: "n2", in: zone.text, is: .string("his"))
            try await alice.put("n1", in: zone.text, text: "hers still")
            try await bob.untilField("text", of: "n1", in: zone.text, is: .string("hers still"))
            try await expectRefusal(.rightOwnerOnly) {
                try await alice.node.transfers.withdrawTransfer(of: zone.text)
            }
        }
    }

    @Test func `is a notice at the other side until it answers, or the offer ends`() async throws {
        try await Self.withTwo { alice, bob, zone in
            func isNoticed(_ isWanted: Bool) -> (Node) async throws -> Bool {
                { try await $0.health.status().health.contains { $0.code == "zone.offered" } == isWanted }
            }
            let (old, new) = (alice.node.identity.account, bob.node.identity.account)
            try await alice.node.naming.nameAccount("Alice")
            try await bob.until("her name") { try await $0.naming.accountNames()[old].displayName != nil }
            _ = try await alice.node.transfers.offerTransfer(of: "notes", to: new.text, keeping: nil)
            try await bob.until("a notice", isNoticed(true))
            let notice = try #require(try await bob.node.health.status().health.first { $0.code == "zone.offered" })
            #expect(notice.severity == .info && notice.message.contains("notes by Alice"), "\(notice)")
            #expect(notice.fix.contains("`kairan share accept \(zone.shortText)`"))
            #expect(notice.fix.contains("`kairan share decline \(zone.shortText)`"))
            #expect(
                try await alice.node.health.status().health.allSatisfy { $0.code != "zone.offered" },
                "it is her offer"
            )
            _ = try await bob.node.transfers.answerTransfer(of: zone.text, accepting: false)
            try await bob.until("no notice", isNoticed(false))
            try await alice.until("it is declined", Self.state(.declined, of: zone))

            _ = try await alice.node.transfers.withdrawTransfer(of: "notes")
            _ = try await alice.node.transfers.offerTransfer(of: "notes", to: new.text, keeping: nil)
            try await bob.until("a notice", isNoticed(true))
            _ = try await alice.node.transfers.withdrawTransfer(of: "notes")
            try await bob.until("no notice", isNoticed(false))
        }
    }

    @Test func `does not happen when the other side declines, and the owner sees that`() async throws {
        try await Self.withTwo { alice, bob, zone in
            let new = bob.node.identity.account
            _ = try await alice.node.transfers.offerTransfer(of: "notes", to: new.text, keeping: nil)
            try await bob.until("it is offered", Self.state(.offered, of: zone))
            #expect(try await bob.node.transfers.answerTransfer(of: zone.text, accepting: false).state == .declined)
            try await alice.until("it is declined", Self.state(.declined, of: zone))
            #expect(try await alice.node.zones.zone("notes").isOwn)
            _ = try await alice.node.transfers.withdrawTransfer(of: "notes")
            try await bob.until("it is withdrawn", Self.state(nil, of: zone))
            try await expectRefusal(.transferUnknown) {
                try await bob.node.transfers.answerTransfer(of: zone.text, accepting: true)
            }
            #expect(try await alice.node.zones.zone("notes").isOwn)
        }
    }
}
