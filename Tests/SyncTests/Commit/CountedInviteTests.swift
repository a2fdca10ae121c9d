import Capabilities
import Identity
import Mailbox
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite("Invitations that a relay counts")
struct CountedInviteTests {
    /// Alice (devices 0, 1) owns the zone and uses a relay; Bob (2, 3), Carol (4) and Dora (5) do not know of it.
    private func home() throws -> (Neighbours, ZoneID, MemoryParcels) {
        var neighbours = try Neighbours([2, 2, 1, 1])
        let zone = try neighbours.zone(of: 0)
        try neighbours.exchange(zone)
        try neighbours.change(0) { _ = try RelayUses($0).add(Self.link(), in: &$2) }
        var relay = MemoryParcels()
        try relay.admit(Self.admission)
        return (neighbours, zone, relay)
    }

    private static let admission = Admission(id: .zero, name: "alice", quota: 1 << 20, since: 0)

    private static func link(_ number: UInt8 = 1) throws -> RelayLink {
        try RelayLink(
            relay: Identifier(digesting: .treeNode, [number]),
            channelSecret: [UInt8](repeating: 1, count: 32),
            admissionSecret: [UInt8](repeating: 2, count: 32),
            addresses: ["relay:1"]
        )
    }

    private func invite(
        uses: UInt32 = 1,
        needsApproval: Bool = false,
        _ neighbours: inout Neighbours,
        _ zone: ZoneID
    ) throws -> Invite {
        let invite = try neighbours.invite(
            uses: uses,
            needsApproval: needsApproval,
            isCountedByRelay: true,
            by: 0,
            zone: zone
        )
        try neighbours.exchangeBook(among: [0, 1])
        return invite
    }

    /// Returns the answer of an honest relay to a claim.
    private func ask(_ relay: inout MemoryParcels, _ claim: UseClaim) -> ClaimedUse {
        for index in 0..<claim.uses {
            let outcome = relay.claim(
                SlotClaim(
                    admission: Self.admission.id,
                    slot: claim.slot(index),
                    value: claim.value,
                    until: claim.until,
                    room: ParcelRoom(total: 1 << 30)
                )
            )
            guard case .held(let value) = outcome else { return ClaimedUse(claim, .silent) }
            if value == claim.value { return ClaimedUse(claim, .held) }
        }
        return ClaimedUse(claim, .spent)
    }

    /// Asks a device, and the relay if that is requested.
    private func join(
        _ invite: Invite,
        from joiner: Int,
        at index: Int,
        _ neighbours: inout Neighbours,
        _ relay: inout MemoryParcels
    ) throws -> RedemptionOutcome {
        let outcome = try neighbours.redeem(invite, from: joiner, at: index)
        guard case .claim(let claim) = outcome else { return outcome }
        return try neighbours.redeem(invite, from: joiner, at: index, claimed: ask(&relay, claim))
    }

    @Test func `are made only by an account with a relay, and differ from those that the device counts`() throws {
        var (neighbours, zone, _) = try home()
        let counted = try invite(&neighbours, zone)
        guard case .relay(let relay, _) = counted.countersigner else {
            Issue.record("nobody counts")
            return
        }
        #expect(relay == (try Self.link().relay) && counted.maker == neighbours.homes[0].keys.deviceID)
        #expect(try invite(&neighbours, zone) == counted, "inviting again gives the one that is open")
        #expect(try neighbours.invite(isCountedByRelay: true, by: 1, zone: zone) == counted, "by any device")
        let own = try neighbours.invite(by: 0, zone: zone)
        #expect(own != counted && own.countersigner == .device)
        let depth = Caveats(delegationDepth: 1)
        _ = try neighbours.grant(.admin, to: 1, by: 0, caveats: depth, canDelegate: true, zone: zone)
        try neighbours.exchange(zone)
        #expect(throws: InviteError.noRelay) {
            _ = try neighbours.invite(.read, isCountedByRelay: true, by: 2, zone: zone)
        }
    }

    @Test func `are granted by any device, once the relay has recorded the use`() throws {
        var (neighbours, zone, relay) = try home()
        let invite = try invite(&neighbours, zone)
        guard case .claim(let claim) = try neighbours.redeem(invite, from: 2, at: 1) else {
            Issue.record("the relay is not asked")
            return
        }
        #expect(try neighbours.participants(of: zone, on: 1).isEmpty && neighbours.requests(on: 1).isEmpty)
        let claimed = ask(&relay, claim)
        let joined = try neighbours.redeem(invite, from: 2, at: 1, claimed: claimed)
        #expect(claimed.answer == .held && joined.capability != nil)
        #expect(try neighbours.redeem(invite, from: 3, at: 1) == joined, "asking again takes no use, and asks no relay")
        #expect(try neighbours.state(of: invite, on: 1) == .spent)
        // The device that made it does not know of this, and asks the relay as well.
        #expect(try join(invite, from: 4, at: 0, &neighbours, &relay) == .refused(.spent))
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
    }

    @Test func `of two concurrent requests at two devices, one is granted`() throws {
        var (neighbours, zone, relay) = try home()
        let invite = try invite(&neighbours, zone)
        guard case .claim(let bobs) = try neighbours.redeem(invite, from: 2, at: 0),
            case .claim(let carols) = try neighbours.redeem(invite, from: 4, at: 1)
        else {
            Issue.record("the relay is not asked")
            return
        }
        #expect(bobs.slot(0) == carols.slot(0) && bobs.value != carols.value)
        let (second, first) = (ask(&relay, carols), ask(&relay, bobs))
        #expect(try neighbours.redeem(invite, from: 2, at: 0, claimed: first) == .refused(.spent))
        #expect(try neighbours.redeem(invite, from: 4, at: 1, claimed: second).capability != nil)
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.exchange(zone)
        #expect(try neighbours.participants(of: zone, on: 0) == [2])
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .refused(.spent))
    }

    @Test func `admit as many accounts as they have uses, and the same ones however often they ask`() throws {
        var (neighbours, zone, relay) = try home()
        let invite = try invite(uses: 2, &neighbours, zone)
        #expect(try join(invite, from: 2, at: 0, &neighbours, &relay).capability != nil)
        #expect(try join(invite, from: 4, at: 1, &neighbours, &relay).capability != nil)
        #expect(try join(invite, from: 5, at: 0, &neighbours, &relay) == .refused(.spent))
        // Where the grant has not come yet, the relay answers the same again: it is the second right of one account,
        // and no second use.
        #expect(try join(invite, from: 3, at: 1, &neighbours, &relay).capability != nil)
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.exchange(zone)
        #expect(try neighbours.participants(of: zone, on: 0) == [1, 2])
        #expect(try Invitations(neighbours.committer(1)).all(in: neighbours.homes[1].store).map(\.taken) == [2])
    }

    @Test func `two devices that admit one account at once leave rights that end together`() throws {
        var (neighbours, zone, relay) = try home()
        let invite = try invite(&neighbours, zone)
        let first = try join(invite, from: 2, at: 0, &neighbours, &relay).capability
        let second = try join(invite, from: 3, at: 1, &neighbours, &relay).capability
        #expect(first != nil && second != nil && first != second)
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.exchange(zone)
        for index in 0...1 {
            let state = try neighbours.controlState(zone, on: index)
            let bob = try #require(state.participants[neighbours.account(1)])
            #expect(Set(bob.capabilities) == Set([first, second].compactMap(\.self)) && bob.rights == Rights(.write))
            #expect(
                try Invitations(neighbours.committer(index)).all(in: neighbours.homes[index].store).map(\.taken) == [1]
            )
            #expect(try neighbours.redeem(invite, from: 2, at: index).capability != nil)
        }
        // A device that revokes the account ends every capability that it holds.
        let held = [first, second].compactMap(\.self)
        try neighbours.change(1) { _ = try ZoneSharing($0).revoke(held, zone: zone, reason: "out", in: &$2) }
        try neighbours.exchange(zone)
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .refused(.refused))
    }

    @Test func `wait while the relay is silent, and are granted when it answers`() throws {
        var (neighbours, zone, relay) = try home()
        let invite = try invite(&neighbours, zone)
        for joiner in [2, 4] {
            guard case .claim(let claim) = try neighbours.redeem(invite, from: joiner, at: 1) else {
                Issue.record("the relay is not asked")
                return
            }
            let silent = ClaimedUse(claim, .silent)
            #expect(try neighbours.redeem(invite, from: joiner, at: 1, claimed: silent) == .waitingRelay)
            #expect(try neighbours.redeem(invite, from: joiner, at: 1, claimed: silent) == .waitingRelay)
            neighbours.homes[1].wall += 1
        }
        #expect(try neighbours.requests(on: 1).map(\.id.account) == [1, 2].map { neighbours.account($0) })
        #expect(try neighbours.participants(of: zone, on: 1).isEmpty)
        try neighbours.exchangeBook(among: [0, 1])
        // No more claims are made than there are uses.
        let claims = try neighbours.change(0) { try Redemptions($0).grantWaiting(random: &$1, in: &$2).claims }
        #expect(claims.map(\.id.account) == [neighbours.account(1)])
        let claimed = ask(&relay, try #require(claims.first))
        #expect(try neighbours.change(0) { try Redemptions($0).grant(claimed, random: &$1, in: &$2).number } != nil)
        #expect(try neighbours.change(0) { try Redemptions($0).grant(claimed, random: &$1, in: &$2).number } == nil)
        #expect(try neighbours.participants(of: zone, on: 0) == [1])
        #expect(try join(invite, from: 4, at: 1, &neighbours, &relay) == .refused(.spent))
    }

    @Test func `are granted by no other answer than that of the relay to this very claim`() throws {
        var (neighbours, zone, relay) = try home()
        let first = try invite(&neighbours, zone)
        let other = try neighbours.invite(.read, isCountedByRelay: true, by: 0, zone: zone)
        guard case .claim(let bobs) = try neighbours.redeem(first, from: 2, at: 0),
            case .claim(let carols) = try neighbours.redeem(first, from: 4, at: 0)
        else {
            Issue.record("the relay is not asked")
            return
        }
        let claimed = ask(&relay, bobs)
        #expect(claimed.answer == .held)
        #expect(try neighbours.redeem(first, from: 4, at: 0, claimed: claimed) == .waitingRelay)
        #expect(try neighbours.redeem(other, from: 2, at: 0, claimed: claimed) == .waitingRelay)
        for answer in [ClaimedUse(carols, .spent), ClaimedUse(carols, .silent), ask(&relay, carols)] {
            #expect(try neighbours.change(0) { try Redemptions($0).grant(answer, random: &$1, in: &$2).number } == nil)
        }
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
    }

    @Test func `a withdrawal, a denial or a block between claim and grant is effective`() throws {
        var (neighbours, zone, relay) = try home()
        let invite = try invite(uses: 3, &neighbours, zone)
        guard case .claim(let claim) = try neighbours.redeem(invite, from: 2, at: 0),
            case .claim(let carols) = try neighbours.redeem(invite, from: 4, at: 0)
        else {
            Issue.record("the relay is not asked")
            return
        }
        let carol = neighbours.account(2)
        try neighbours.change(0) { _ = try Blocklist($0).block(carol, in: &$2) }
        #expect(try neighbours.redeem(invite, from: 4, at: 0, claimed: ask(&relay, carols)) == .refused(.refused))
        try neighbours.change(0) { _ = try Invitations($0).withdraw(invite.identifier, in: &$2) }
        #expect(try neighbours.redeem(invite, from: 2, at: 0, claimed: ask(&relay, claim)) == .refused(.expired))
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
    }

    @Test func `with a person's yes are claimed after it, by whichever device`() throws {
        var (neighbours, zone, relay) = try home()
        let invite = try invite(needsApproval: true, &neighbours, zone)
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .waitingApproval)
        let id = try #require(try neighbours.requests(on: 1).first).id
        #expect(try neighbours.change(1) { try Redemptions($0).approve(id, random: &$1, in: &$2).capability } == nil)
        try neighbours.exchangeBook(among: [0, 1])
        let claims = try (0...1).map { index in
            try neighbours.change(index) { try Redemptions($0).grantWaiting(random: &$1, in: &$2).claims }
        }
        #expect(claims.map(\.count) == [1, 1])
        #expect(Set(claims.joined().map(\.delay)) == [0, 2_000], "one after the other")
        let claimed = ask(&relay, try #require(claims[0].first))
        #expect(try neighbours.change(0) { try Redemptions($0).grant(claimed, random: &$1, in: &$2).number } != nil)
        #expect(try neighbours.participants(of: zone, on: 0) == [1])
    }

    @Test func `admit no account when the relay is not used any more`() throws {
        var (neighbours, zone, _) = try home()
        let invite = try invite(&neighbours, zone)
        let relay = try Self.link().relay
        try neighbours.change(0) { _ = try RelayUses($0).forget(relay, in: &$2) }
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .refused(.expired))
        #expect(try neighbours.state(of: invite, on: 0) == .orphaned)
        neighbours.homes[0].wall += 1
        try neighbours.change(0) { _ = try RelayUses($0).add(Self.link(), in: &$2) }
        #expect(try neighbours.state(of: invite, on: 0) == .open)
    }

    @Test func `are stored in the book in a form that versions without relay counting ignore`() throws {
        var (neighbours, zone, _) = try home()
        let invite = try invite(&neighbours, zone)
        let book = ZoneID(AccountZone(neighbours.committer(0)).genesis)
        let store = neighbours.homes[1].store
        let tag = try RecordTag(of: "invite/" + invite.text, zone: book, in: store)
        let fields = try #require(try store.record(zone: book, tag: tag)).content().fields.map(\.name)
        #expect(!fields.contains("countersigner") && Set(["maker", "relay", "slots"]).isSubset(of: fields))
    }
}
