import Identity
import Mailbox
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite("Claims of a client of mailboxes")
struct MailboxClaimTests {
    private typealias Effect = MailboxClient.Effect

    /// A client, the claims of some accounts, and the client's effects.
    private struct Desk {
        var client = MailboxClient(localDevice: DeviceID(digesting: .treeNode, [1]))
        var random = SeededGenerator(seed: 1)
        var now: UInt64 = 1_000
        var wall: UInt64
        let link: RelayLink
        private var neighbours: Neighbours
        private let invite: Invite

        init(uses: UInt32 = 1) throws {
            link = try RelayLink(
                relay: Identifier(digesting: .treeNode, [10]),
                channelSecret: [UInt8](repeating: 1, count: 32),
                admissionSecret: [UInt8](repeating: 2, count: 32),
                addresses: ["relay:1"]
            )
            neighbours = try Neighbours([1, 1, 1, 1])
            wall = neighbours.homes[0].wall
            let zone = try neighbours.zone(of: 0)
            let link = link
            try neighbours.change(0) { _ = try RelayUses($0).add(link, in: &$2) }
            invite = try neighbours.invite(uses: uses, isCountedByRelay: true, by: 0, zone: zone)
        }

        /// Returns the claim that an account has to make.
        mutating func claim(of joiner: Int) throws -> UseClaim {
            guard case .claim(let claim) = try neighbours.redeem(invite, from: joiner, at: 0) else {
                throw InviteError.unknownInvite
            }
            return claim
        }

        /// The account uses these relays.
        func facts(_ links: [RelayLink]) -> MailFacts {
            MailFacts(relays: links.map { MailRelay(links: [$0], isOwn: true, accounts: [neighbours.account(0)]) })
        }

        mutating func feed(_ input: MailboxClient.Input) -> [Effect] {
            var effects: [Effect] = []
            client.handle(input, at: now, wall: wall, random: &random, into: &effects)
            return effects
        }

        mutating func hear(_ reply: MailboxReply) -> [Effect] { feed(.received(link.relay, reply)) }

        /// Lets the client enter: the relay has admitted it, and has nothing for it.
        mutating func enter() {
            _ = feed(.factsChanged(facts([link]), partners: [:]))
            _ = feed(.opened(link.relay))
            _ = hear(.entered(quota: 9, used: 1, backend: "memory"))
            _ = hear(.listed([], isComplete: true))
            _ = feed(.postedRead(link.relay, []))
        }
    }

    private func requests(_ effects: [Effect]) -> [MailboxRequest] {
        effects.compactMap { if case .send(_, let request) = $0 { request } else { nil } }
    }

    private func answers(_ effects: [Effect]) -> [ClaimedUse.Answer] {
        effects.compactMap { if case .claimed(let claimed) = $0 { claimed.answer } else { nil } }
    }

    private let stranger = Hash(digesting: .treeNode, [77])

    @Test func `a slot that holds the account is its use`() throws {
        var desk = try Desk()
        desk.enter()
        let claim = try desk.claim(of: 1)
        let asked = requests(desk.feed(.claim(claim, isAwaited: true)))
        #expect(asked == [.claim(claim.slot(0), value: claim.value, until: claim.until)])
        #expect(answers(desk.hear(.claimed(claim.value))) == [.held])
        #expect(answers(desk.feed(.tick)).isEmpty)
    }

    @Test func `slots that hold others are passed over, and all of them make the invitation spent`() throws {
        var desk = try Desk(uses: 3)
        desk.enter()
        let (first, second) = (try desk.claim(of: 1), try desk.claim(of: 2))
        _ = desk.feed(.claim(first, isAwaited: true))
        let next = desk.hear(.claimed(stranger))
        #expect(requests(next) == [.claim(first.slot(1), value: first.value, until: first.until)])
        #expect(answers(desk.hear(.claimed(first.value))) == [.held])
        _ = desk.feed(.claim(second, isAwaited: true))
        for _ in 0..<2 { #expect(answers(desk.hear(.claimed(stranger))).isEmpty) }
        #expect(answers(desk.hear(.claimed(stranger))) == [.spent])
    }

    @Test func `a relay that is silent, has no room, or is none of the account's gives no use`() throws {
        var desk = try Desk()
        let claim = try desk.claim(of: 1)
        #expect(answers(desk.feed(.claim(claim, isAwaited: true))) == [.silent], "the account uses no such relay")
        _ = desk.feed(.factsChanged(desk.facts([desk.link]), partners: [:]))
        #expect(answers(desk.feed(.claim(claim, isAwaited: true))).isEmpty, "it is being called")
        #expect(desk.client.nextDeadline == desk.now + 4_000)
        desk.now += 4_000
        #expect(answers(desk.feed(.tick)) == [.silent])
        desk.enter()
        _ = desk.feed(.claim(claim, isAwaited: true))
        #expect(answers(desk.hear(.refused(.full))) == [.silent])
        _ = desk.feed(.claim(claim, isAwaited: true))
        desk.now += 4_000
        #expect(answers(desk.feed(.tick)) == [.silent])
        #expect(answers(desk.hear(.claimed(claim.value))).isEmpty, "nobody waits any more")
        _ = desk.feed(.claim(claim, isAwaited: true))
        #expect(answers(desk.feed(.factsChanged(desk.facts([]), partners: [:]))) == [.silent])
    }

    @Test func `a late answer is not taken for that to another slot`() throws {
        var desk = try Desk(uses: 2)
        desk.enter()
        let claim = try desk.claim(of: 1)
        _ = desk.feed(.claim(claim, isAwaited: true))
        _ = desk.hear(.claimed(stranger))
        desk.now += 4_000
        #expect(answers(desk.feed(.tick)) == [.silent])
        // Requested again while the second slot's answer is on its way: it begins at the first one.
        _ = desk.feed(.claim(claim, isAwaited: true))
        let asked = requests(desk.hear(.claimed(stranger)))
        #expect(asked.contains(.claim(claim.slot(0), value: claim.value, until: claim.until)))
    }

    @Test func `the end of a session interrupts a claim, and the next session continues it`() throws {
        var desk = try Desk(uses: 2)
        desk.enter()
        let claim = try desk.claim(of: 1)
        _ = desk.feed(.claim(claim, isAwaited: false))
        #expect(requests(desk.hear(.claimed(stranger))).count == 1)
        _ = desk.feed(.closed(desk.link.relay))
        desk.now += 3_600_000
        _ = desk.feed(.tick)
        _ = desk.feed(.opened(desk.link.relay))
        var asked = requests(desk.hear(.entered(quota: 9, used: 1, backend: "memory")))
        asked += requests(desk.hear(.listed([], isComplete: true)))
        #expect(asked.contains(.claim(claim.slot(1), value: claim.value, until: claim.until)))
    }

    @Test func `a claim without a waiting caller is left to other devices for a while`() throws {
        var desk = try Desk()
        desk.enter()
        var claim = try desk.claim(of: 1)
        claim = claim.delayed(by: 4_000)
        #expect(requests(desk.feed(.claim(claim, isAwaited: false))).isEmpty)
        #expect(desk.client.nextDeadline == desk.now + 4_000)
        desk.now += 4_000
        #expect(requests(desk.feed(.tick)).count == 1)
        #expect(answers(desk.hear(.claimed(claim.value))) == [.held])
        _ = desk.feed(.claim(claim, isAwaited: false))
        #expect(requests(desk.feed(.claim(claim, isAwaited: true))).count == 1, "somebody waits now")
    }

    @Test func `too many claims are answered with silence, and claims take turns with parcels`() throws {
        var desk = try Desk(uses: 1_000)
        _ = desk.feed(.factsChanged(desk.facts([desk.link]), partners: [:]))
        var settings = MailboxClient.Settings()
        settings.claimCountMax = 1
        desk.client = MailboxClient(localDevice: DeviceID(digesting: .treeNode, [1]), settings: settings)
        desk.enter()
        let (first, second) = (try desk.claim(of: 1), try desk.claim(of: 2))
        _ = desk.feed(.claim(first, isAwaited: true))
        #expect(answers(desk.feed(.claim(second, isAwaited: true))) == [.silent])
        #expect(answers(desk.feed(.claim(first, isAwaited: true))).isEmpty, "the same again is no other one")
        desk.now += 3_000
        #expect(answers(desk.feed(.tick)).isEmpty)
        // A look is due: it comes between two slots.
        var kinds: [UInt8] = []
        desk.wall += 1
        desk.now += 0
        for _ in 0..<4 {
            let asked = requests(desk.hear(kinds.last == 3 ? .listed([], isComplete: true) : .claimed(stranger)))
            kinds += asked.map(\.tag)
            if kinds.count == 2 { _ = desk.feed(.received(desk.link.relay, .arrived(.zero))) }
        }
        #expect(kinds.allSatisfy { $0 == 7 || $0 == 3 } && kinds.contains(7))
    }
}
