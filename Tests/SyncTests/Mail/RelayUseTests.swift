import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `Relays of an account` {
    private static func link(_ number: UInt8, addresses: [String] = ["relay.example:7620"]) throws -> RelayLink {
        try RelayLink(
            relay: Identifier(digesting: .treeNode, [number]),
            channelSecret: [UInt8](repeating: number, count: 32),
            admissionSecret: [UInt8](repeating: number &+ 1, count: 32),
            addresses: addresses
        )
    }

    @Test func `are used by all its devices, in the order in which they came`() throws {
        var household = try Household(2)
        let (first, second) = (try Self.link(1), try Self.link(2))
        for link in [second, first] {
            household.homes[0].wall += 1
            #expect(try RelayUses(household.committer(0)).add(link, in: &household.homes[0].store).number != nil)
        }
        #expect(try RelayUses(household.committer(0)).add(first, in: &household.homes[0].store).number == nil)
        let book = ZoneID(AccountZone(household.committer(0)).genesis)
        _ = try ZoneLifecycle(household.committer(1)).learn(
            book,
            genesis: AccountZone(household.committer(0)).genesis,
            in: &household.homes[1].store
        )
        try household.pull(book, from: 0, to: 1)
        let uses = try RelayUses(household.committer(1)).all(household.homes[1].store)
        #expect(uses.map(\.link) == [second, first])
    }

    @Test func `are deleted, and used again as new ones`() throws {
        var household = try Household(1)
        let link = try Self.link(1)
        _ = try RelayUses(household.committer(0)).add(link, in: &household.homes[0].store)
        let before = try RelayUses(household.committer(0)).all(household.homes[0].store)
        household.homes[0].wall += 5
        #expect(try RelayUses(household.committer(0)).forget(link.relay, in: &household.homes[0].store).number != nil)
        #expect(try RelayUses(household.committer(0)).all(household.homes[0].store).isEmpty)
        #expect(try RelayUses(household.committer(0)).forget(link.relay, in: &household.homes[0].store).number == nil)
        let moved = try Self.link(1, addresses: ["[::1]:9", "b.example:1"])
        _ = try RelayUses(household.committer(0)).add(moved, in: &household.homes[0].store)
        let after = try RelayUses(household.committer(0)).all(household.homes[0].store)
        #expect(after.map(\.link) == [moved])
        #expect(after.first?.since != before.first?.since)
    }

    // MARK: Links

    @Test func `are named by links that come back as they were`() throws {
        let link = try Self.link(3, addresses: ["a.example:1", "[2001:db8::1]:7620"])
        #expect(link.text.hasPrefix("kairan://relay#"))
        #expect(try RelayLink(typed: " \(link.text)\n") == link)
        #expect("\(link)" == "relay link")
    }

    @Test func `are not found by an invalid link`() throws {
        let text = try Self.link(3).text
        #expect(throws: RelayLinkError.notALink) { try RelayLink(typed: "kairan://join#aaaa") }
        #expect(throws: RelayLinkError.mistyped) { try RelayLink(typed: String(text.dropLast())) }
        #expect(throws: RelayLinkError.malformed) { try RelayLink(bytes: [1, 2, 3]) }
        #expect(throws: RelayLinkError.addressCount) { try Self.link(1, addresses: []) }
        #expect(throws: RelayLinkError.addressCount) { try Self.link(1, addresses: (1...9).map { "a:\($0)" }) }
        #expect(throws: RelayLinkError.badAddress("nowhere")) { try Self.link(1, addresses: ["nowhere"]) }
    }
}
