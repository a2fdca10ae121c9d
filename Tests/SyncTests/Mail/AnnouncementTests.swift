import Capabilities
import Identity
import Mailbox
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `Relays of the participants of a zone` {
    /// Alice, who uses a relay, and Bob with two devices; they share a zone.
    private struct Street {
        var neighbours: Neighbours
        let zone: ZoneID
        let link: RelayLink
        let right: Hash

        static let alice = 0
        static let bob = 1

        init(_ level: AccessLevel = .write, caveats: Caveats = Caveats(), isSealed: Bool = true) throws {
            neighbours = try Neighbours([1, 2], envelopes: isSealed ? BoxEnvelopes() : nil)
            zone = try neighbours.zone(of: 0)
            right = try neighbours.grant(level, to: 1, by: 0, caveats: caveats, zone: zone)
            link = try Self.link(1)
            try neighbours.exchange(zone)
        }

        static func link(_ number: UInt8) throws -> RelayLink {
            try RelayLink(
                relay: Identifier(digesting: .treeNode, [number]),
                channelSecret: [UInt8](repeating: number, count: 32),
                admissionSecret: [UInt8](repeating: number &+ 1, count: 32),
                addresses: ["relay.example:7620"]
            )
        }

        func facts(_ index: Int) throws -> MailFacts {
            try RelayAnnouncements(neighbours.committer(index)).facts(in: neighbours.homes[index].store)
        }

        mutating func use(_ link: RelayLink, on index: Int = alice) throws {
            _ = try neighbours.change(index) { try RelayUses($0).add(link, in: &$2) }
        }

        /// Announces the relays in every zone where that is due.
        mutating func announce(_ index: Int = alice) throws {
            for zone in try facts(index).unannounced {
                _ = try neighbours.change(index) { try RelayAnnouncements($0).announce(in: zone, &$2) }
            }
            try neighbours.exchange(zone)
        }

        func device(_ index: Int) -> DeviceID { neighbours.homes[index].keys.deviceID }

        func draft(for index: Int, by writer: Int, acknowledges: Bool = false) throws -> ParcelDraft? {
            let account = neighbours.account(neighbours.homes[index].account)
            let demand = ParcelDemand(
                device: device(index),
                account: account,
                zones: try facts(writer).zones[account] ?? [],
                acknowledges: acknowledges,
                forwards: true
            )
            return try ParcelDrafting(neighbours.committer(writer)).draft(demand, in: neighbours.homes[writer].store)
        }
    }

    @Test func `are announced with a pass, which differs in each zone and from the admission`() throws {
        var street = try Street()
        #expect(try street.facts(Street.alice).unannounced.isEmpty)
        try street.use(street.link)
        #expect(try street.facts(Street.alice).unannounced == [street.zone])
        try street.announce()
        #expect(try street.facts(Street.alice).unannounced.isEmpty)
        let pass = street.link.pass(for: street.zone)
        let (alice, bob) = (street.neighbours.account(0), street.neighbours.account(1))
        #expect(
            try street.facts(Street.alice).relays == [
                MailRelay(
                    links: [street.link],
                    isOwn: true,
                    accounts: [alice, bob],
                    passes: [AdmissionID(secret: pass.admissionSecret)]
                )
            ]
        )
        for index in 1...2 {
            let facts = try street.facts(index)
            #expect(facts.relays == [MailRelay(links: [pass], isOwn: false, accounts: [alice])])
            #expect(facts.zones == [alice: [street.zone]])
        }
        #expect(pass.relay == street.link.relay && pass.addresses == street.link.addresses)
        #expect(pass.admissionSecret != street.link.admissionSecret)
        #expect(street.link.pass(for: .zero).admissionSecret != pass.admissionSecret)
    }

    @Test func `that are not used any more are withdrawn`() throws {
        var street = try Street()
        try street.use(street.link)
        try street.announce()
        let relay = street.link.relay
        _ = try street.neighbours.change(0) { try RelayUses($0).forget(relay, in: &$2) }
        #expect(try street.facts(Street.alice).unannounced == [street.zone])
        try street.announce()
        #expect(try street.facts(Street.bob).relays.isEmpty)
        #expect(try street.facts(Street.alice).unannounced.isEmpty)
    }

    @Test func `are announced by members that may write, and not in clear or public zones`() throws {
        var reader = try Street(.read)
        try reader.use(reader.link, on: Street.bob)
        #expect(try reader.facts(Street.bob).unannounced.isEmpty)
        var narrow = try Street(.write, caveats: Caveats(recordTypes: ["note"]))
        try narrow.use(narrow.link, on: Street.bob)
        #expect(try narrow.facts(Street.bob).unannounced.isEmpty)
        var clear = try Street(isSealed: false)
        try clear.use(clear.link)
        #expect(try clear.facts(Street.alice).unannounced.isEmpty)
        var open = try Street()
        try open.use(open.link)
        let zone = open.zone
        let access = PublicAccess(world: [.read], authenticated: [.read], creator: [])
        _ = try open.neighbours.change(0) { try ZoneSharing($0).setPublicAccess(access, zone: zone, in: &$2) }
        #expect(try open.facts(Street.alice).unannounced.isEmpty)
    }

    @Test func `that another account announced in its name are ignored`() throws {
        var street = try Street()
        try street.use(street.link)
        try street.announce()
        let account = street.neighbours.account(0)
        let forged = try Street.link(7)
        try street.neighbours.write(
            "relays/\(account.text)",
            [forged.relay.text: .bytes(forged.exportBytes())],
            type: "kairan.relays",
            on: Street.bob,
            zone: street.zone
        )
        try street.neighbours.exchange(street.zone)
        #expect(try street.facts(2).relays.isEmpty)
        // The account whose name the record has announces again.
        #expect(try street.facts(Street.alice).unannounced == [street.zone])
        try street.announce()
        #expect(try street.facts(2).relays.map(\.links) == [[street.link.pass(for: street.zone)]])
    }

    @Test func `are announced in a record that another account has made before, with another type`() throws {
        var street = try Street()
        let name = "relays/\(street.neighbours.account(0).text)"
        try street.neighbours.write(name, "mine", on: Street.bob, zone: street.zone)
        try street.neighbours.exchange(street.zone)
        try street.use(street.link)
        try street.announce()
        #expect(try street.facts(Street.alice).unannounced.isEmpty)
        #expect(try street.facts(2).relays.map(\.links) == [[street.link.pass(for: street.zone)]])
    }

    @Test func `of an account that is blocked are not looked at`() throws {
        var street = try Street()
        try street.use(street.link)
        try street.announce()
        let alice = street.neighbours.account(0)
        _ = try street.neighbours.change(Street.bob) { try Blocklist($0).block(alice, in: &$2) }
        #expect(try street.facts(Street.bob).relays.isEmpty)
        #expect(try street.facts(Street.bob).zones.isEmpty)
    }

    @Test func `of two accounts that use the same relay are used once, by the own admission`() throws {
        var street = try Street()
        try street.use(street.link)
        try street.announce()
        let theirs = try RelayLink(
            relay: street.link.relay,
            channelSecret: street.link.channelSecret,
            admissionSecret: [UInt8](repeating: 99, count: 32),
            addresses: ["other.example:1"]
        )
        try street.use(theirs, on: Street.bob)
        let facts = try street.facts(Street.bob)
        let accounts = Set([street.neighbours.account(0), street.neighbours.account(1)])
        #expect(facts.relays == [MailRelay(links: [theirs], isOwn: true, accounts: accounts)])
    }

    @Test func `carry only data that another account's device may have and lacks`() throws {
        var street = try Street()
        try street.use(street.link)
        try street.announce()
        // A zone of Alice's own, which is not shared.
        let own = try street.neighbours.zone(of: 0)
        _ = try street.neighbours.write("diary", "x", on: Street.alice, zone: own)
        let written = try street.neighbours.write("note", "hello", on: Street.alice, zone: street.zone)
        #expect(written == nil)
        let draft = try #require(try street.draft(for: Street.bob, by: Street.alice))
        let messages = try draft.messages.map { try PeerMessage(decoding: $0) }
        let zones = Set(draft.stretches.map(\.key.zone))
        #expect(zones == [street.zone])
        let isRun = messages.allSatisfy { if case .run = $0 { true } else { false } }
        #expect(isRun, "what the zone is comes by an invitation alone")
        // Nothing is left for an account that has no right any more.
        let (zone, right) = (street.zone, street.right)
        _ = try street.neighbours.change(0) { try ZoneSharing($0).revoke([right], zone: zone, reason: "", in: &$2) }
        #expect(try street.draft(for: Street.bob, by: Street.alice) == nil)
    }
}
