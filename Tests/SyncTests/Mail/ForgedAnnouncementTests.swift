import Identity
import Records
import Sodium
import TestSupport
import Testing
import Wire

@testable import Sync

/// The relays of an account, in a record in which any member of the zone may write.
@Suite struct `The announcement of an account's relays` {
    /// The number of the relay that the account uses.
    private static let own: UInt8 = 1
    /// The account's first device, which announces, and its second one.
    private static let (first, second) = (0, 1)
    /// A device of another account, which reads the announcement.
    private static let reader = 2
    /// A member of a third account, with a modified program.
    private static let liar = 3

    /// A zone of the first device in which all accounts may write, and in which it has announced a relay.
    private func announced() throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours([2, 1, 1], envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: Self.first)
        for account in 1...2 { _ = try neighbours.grant(.write, to: account, by: Self.first, zone: zone) }
        try neighbours.settle(zone)
        try use(Self.link(Self.own), on: Self.first, &neighbours)
        try announce(Self.first, &neighbours, zone)
        let relay = try Self.link(Self.own).relay
        #expect(try relays(on: Self.reader, neighbours) == [relay])
        return (neighbours, zone)
    }

    private static func link(_ number: UInt8) throws -> RelayLink {
        try RelayLink(
            relay: Identifier(digesting: .treeNode, [number]),
            channelSecret: [UInt8](repeating: number, count: 32),
            admissionSecret: [UInt8](repeating: number &+ 1, count: 32),
            addresses: ["relay.example:7620"]
        )
    }

    private func use(_ link: RelayLink, on index: Int, _ neighbours: inout Neighbours) throws {
        try neighbours.change(index) { _ = try RelayUses($0).add(link, in: &$2) }
    }

    /// Lets a device announce the relays in every zone where that is due, and all devices learn of it.
    private func announce(
        _ index: Int,
        _ neighbours: inout Neighbours,
        _ zone: ZoneID,
        among indices: [Int]? = nil
    ) throws {
        for due in try facts(index, neighbours).unannounced {
            try neighbours.change(index) { _ = try RelayAnnouncements($0).announce(in: due, &$2) }
        }
        try neighbours.settle(zone, among: indices)
    }

    private func facts(_ index: Int, _ neighbours: Neighbours) throws -> MailFacts {
        try RelayAnnouncements(neighbours.committer(index)).facts(in: neighbours.homes[index].store)
    }

    /// The relays of other accounts that a device knows.
    private func relays(on index: Int, _ neighbours: Neighbours) throws -> [RelayID] {
        try facts(index, neighbours).relays.filter { !$0.isOwn }.flatMap(\.links).map(\.relay)
    }

    private func record(on index: Int, _ neighbours: Neighbours, _ zone: ZoneID) throws -> RecordRow {
        try neighbours.record(RelayAnnouncement.name(of: neighbours.account(0)), on: index, zone: zone)
    }

    /// The values of the fields that announce a relay, with the pass of a zone and a signature for a record.
    private func values(
        _ link: RelayLink,
        in place: StatementPlace,
        passFor zone: ZoneID,
        by device: Int,
        _ neighbours: Neighbours
    ) -> [String: FieldValue] {
        let announcement = RelayAnnouncement(account: neighbours.account(0), links: [link.pass(for: zone)])
        let write = announcement.write(in: place, signedBy: neighbours.homes[device].keys)
        return Dictionary(uniqueKeysWithValues: write.set.map { ($0.field, $0.value) }).filter { $0.key != "account" }
    }

    /// States fields of the record under the dot that its values have.
    private func forge(
        _ values: [String: FieldValue],
        _ neighbours: inout Neighbours,
        _ zone: ZoneID,
        among indices: [Int]? = nil
    ) throws {
        let before = try record(on: Self.liar, neighbours, zone)
        try neighbours.forge(
            before.name,
            values,
            type: ReservedType.relays,
            under: before.live[0],
            on: Self.liar,
            zone: zone
        )
        try neighbours.settle(zone, among: indices)
    }

    enum Signing: CaseIterable {
        /// A link without any signature.
        case none
        case zero
        case byLiar
        /// The signature of the link that the account announces.
        case ofAnotherLink
        /// A signature of the account's device for another record.
        case forAnotherRecord
    }

    @Test(arguments: Signing.allCases)
    func `names no relay that a member has added in the name of the account's device`(signing: Signing) throws {
        var (neighbours, zone) = try announced()
        let before = try record(on: Self.liar, neighbours, zone)
        let (forged, genuine) = (try Self.link(7), try Self.link(Self.own))
        let bytes = forged.pass(for: zone).exportBytes()
        let fields: [String: FieldValue]
        switch signing {
        case .none: fields = [forged.relay.text: .bytes(bytes)]
        case .zero: fields = [forged.relay.text: .bytes([UInt8](repeating: 0, count: 64) + bytes)]
        case .byLiar:
            fields = values(forged, in: StatementPlace(before), passFor: zone, by: Self.liar, neighbours)
        case .ofAnotherLink:
            guard case .bytes(let value)? = try before.content().field(named: genuine.relay.text)?.winner?.value else {
                Issue.record("the announcement names the relay")
                return
            }
            fields = [forged.relay.text: .bytes(Array(value.prefix(64)) + bytes)]
        case .forAnotherRecord:
            let store = neighbours.homes[0].store
            let place = StatementPlace(zone: zone, tag: try RecordTag(of: "relays/x", zone: zone, in: store))
            fields = values(forged, in: place, passFor: zone, by: Self.first, neighbours)
        }
        try forge(fields, &neighbours, zone)
        // The genuine link has its signature, and is still there.
        for index in [Self.reader, Self.liar] {
            #expect(try relays(on: index, neighbours) == [genuine.relay], "device \(index)")
        }
    }

    @Test func `with a changed address is ignored, and stated again by the account`() throws {
        var (neighbours, zone) = try announced()
        let genuine = try Self.link(Self.own)
        let moved = try RelayLink(
            relay: genuine.relay,
            channelSecret: genuine.channelSecret,
            admissionSecret: genuine.admissionSecret,
            addresses: ["elsewhere.example:7620"]
        )
        let place = StatementPlace(try record(on: Self.liar, neighbours, zone))
        try forge(values(moved, in: place, passFor: zone, by: Self.liar, neighbours), &neighbours, zone)
        #expect(try relays(on: Self.reader, neighbours).isEmpty)
        #expect(try facts(Self.first, neighbours).unannounced == [zone])
        try announce(Self.first, &neighbours, zone)
        #expect(try facts(Self.reader, neighbours).relays.flatMap(\.links) == [genuine.pass(for: zone)])
        #expect(try facts(Self.first, neighbours).unannounced.isEmpty)
    }

    @Test func `that a member states again as it is remains valid`() throws {
        var (neighbours, zone) = try announced()
        try forge([:], &neighbours, zone)
        let stated = try record(on: Self.reader, neighbours, zone)
        let author = try MessageRecords(neighbours.committer(Self.reader))
            .authors(in: zone, neighbours.homes[Self.reader].store)
        #expect(stated.live.map { author($0.actor) } == [neighbours.homes[Self.liar].keys.deviceID])
        let genuine = try Self.link(Self.own).relay
        #expect(try relays(on: Self.reader, neighbours) == [genuine])
        #expect(try facts(Self.first, neighbours).unannounced.isEmpty)
    }

    @Test func `of before, which a member states again, lasts until the account states its own again`() throws {
        var (neighbours, zone) = try announced()
        let before = try record(on: Self.liar, neighbours, zone)
        let field = try Self.link(Self.own).relay
        let old = try before.content().field(named: field.text)?.winner?.value
        try neighbours.change(Self.first) { _ = try RelayUses($0).forget(field, in: &$2) }
        try announce(Self.first, &neighbours, zone)
        #expect(try relays(on: Self.reader, neighbours).isEmpty)
        try forge([field.text: try #require(old)], &neighbours, zone)
        #expect(try relays(on: Self.reader, neighbours) == [field])
        #expect(try facts(Self.first, neighbours).unannounced == [zone])
        try announce(Self.first, &neighbours, zone)
        #expect(try relays(on: Self.reader, neighbours).isEmpty)
    }

    @Test func `with more values than are considered is stated again`() throws {
        var (neighbours, zone) = try announced()
        let genuine = try Self.link(Self.own).relay
        var fields: [String: FieldValue] = [:]
        // Names in front of the genuine one.
        var random = SeededGenerator(seed: 1)
        while fields.count < 2 * RelayAnnouncement.relayCountMax {
            let relay = RelayID(Digest32(word0: random.next(), word1: 0, word2: 0, word3: 0))
            if relay.text < genuine.text { fields[relay.text] = Neighbours.unchecked }
        }
        try forge(fields, &neighbours, zone)
        #expect(try relays(on: Self.reader, neighbours).isEmpty)
        #expect(try facts(Self.first, neighbours).unannounced == [zone])
        try announce(Self.first, &neighbours, zone)
        #expect(try relays(on: Self.reader, neighbours) == [genuine])
    }

    // MARK: Devices of the account

    @Test func `that two devices state apart from each other names each relay once, and is not stated again`() throws {
        var (neighbours, zone) = try announced()
        let other = try Self.link(2)
        for index in [Self.first, Self.second] {
            for link in [try Self.link(Self.own), other] { try use(link, on: index, &neighbours) }
            for due in try facts(index, neighbours).unannounced {
                try neighbours.change(index) { _ = try RelayAnnouncements($0).announce(in: due, &$2) }
            }
        }
        try neighbours.settle(zone)
        #expect(try record(on: Self.reader, neighbours, zone).live.count == 2)
        for index in [Self.first, Self.second] { #expect(try facts(index, neighbours).unannounced.isEmpty) }
        let links = try facts(Self.reader, neighbours).relays.flatMap(\.links)
        let genuine = try Self.link(Self.own)
        #expect(Set(links) == [genuine.pass(for: zone), other.pass(for: zone)])
    }

    @Test func `of a removed device remains valid, unless another account had a part in the record`() throws {
        var (neighbours, zone) = try announced()
        try neighbours.remove(Self.first, by: Self.second)
        try neighbours.write("note", "under a key of the remaining devices", on: Self.second, zone: zone)
        let rest = [Self.second, Self.reader, Self.liar]
        try neighbours.settle(zone, among: rest)
        let genuine = try Self.link(Self.own)
        #expect(try relays(on: Self.reader, neighbours) == [genuine.relay])
        // A thief of the removed device signs something else with its key.
        let place = StatementPlace(try record(on: Self.liar, neighbours, zone))
        let forged = values(try Self.link(7), in: place, passFor: zone, by: Self.first, neighbours)
        try forge(forged, &neighbours, zone, among: rest)
        #expect(try relays(on: Self.reader, neighbours).isEmpty)
        try use(genuine, on: Self.second, &neighbours)
        #expect(try facts(Self.second, neighbours).unannounced == [zone])
        try announce(Self.second, &neighbours, zone, among: rest)
        #expect(try relays(on: Self.reader, neighbours) == [genuine.relay])
    }
}
