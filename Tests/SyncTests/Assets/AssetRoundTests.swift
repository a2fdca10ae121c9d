import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `A content that a record names` {
    private static let large = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// Two accounts of one device each, and two zones that both may write in.
    private func neighbours() throws -> (neighbours: Neighbours, zones: [ZoneID]) {
        var neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
        let zones = try (0..<2).map { _ in
            let zone = try neighbours.zone(of: 0)
            _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
            try neighbours.settle(zone)
            return zone
        }
        return (neighbours, zones)
    }

    @Test func `is fetched by the readers of the record, and is kept by the device that has it`() throws {
        var (neighbours, zones) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zones[0])
        #expect(try neighbours.attach([payload], to: "photo", on: 0, zone: zones[0]) == true)
        #expect(try neighbours.row(payload, on: 0)?.isAsset == true)
        try neighbours.settle(zones[0])
        let notice = try neighbours.look(1)
        #expect(notice.number != nil && notice.assets == [payload] && notice.hasWants)
        #expect(try neighbours.look(1).number == nil, "a reference is looked at once")
        let want = PayloadWant(
            zone: zones[0],
            payload: payload,
            sender: neighbours.homes[0].keys.deviceID,
            missing: nil,
            needsRoom: true
        )
        #expect(try neighbours.wants(1) == [want] && neighbours.assetState(payload, on: 1) == .queued)
        _ = try neighbours.keepOutline(payload, from: 0, on: 1, zone: zones[0])
        _ = try neighbours.keepChunk(2, of: payload, from: 0, on: 1, zone: zones[0])
        #expect(try neighbours.assetState(payload, on: 1) == .partial(percent: 33))
        // For one of many parts no missing chunks are counted.
        let (assets, asset) = (Assets(neighbours.committer(1)), try neighbours.described(payload, on: 0))
        let store = neighbours.homes[1].store
        #expect(try assets.state(of: asset, withProgress: false, in: store) == .queued)
        #expect(try assets.state(of: asset, in: store) == .partial(percent: 33))
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.assetState(payload, on: 1) == .present)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
        try neighbours.look(0)
        #expect(try neighbours.assetState(payload, on: 0) == .present)
    }

    @Test func `is named by its id where it was uploaded for the zone, or a record of the zone names it`() throws {
        var (neighbours, zones) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zones[0])
        #expect(try neighbours.attach([PayloadID(Hash.zero.digest)], to: "none", on: 0, zone: zones[0]) == false)
        #expect(
            try neighbours.attach([payload], to: "photo", on: 0, zone: zones[1]) == false,
            "it is for another zone"
        )
        #expect(try neighbours.attach([payload], to: "photo", on: 0, zone: zones[0]) == true)
        #expect(
            try neighbours.attach([payload], to: "photo", on: 0, zone: zones[1]) == false,
            "no record there names it"
        )
        try neighbours.exchangeAssets(zones[0])
        #expect(
            try neighbours.attach([payload], to: "copy", on: 1, zone: zones[0]) == true,
            "a record there names it"
        )
        #expect(try neighbours.attach([payload], to: "photo", on: 1, zone: zones[1]) == false)
        let copied = try neighbours.described(payload, on: 0)
        try neighbours.attach([copied], to: "photo", on: 1, zone: zones[1])
        #expect(try neighbours.attach([payload], to: "again", on: 1, zone: zones[1]) == true)
    }

    @Test(arguments: [(1, 1), (75, 3)])
    func `is looked at with many of its record, and few of others`(records: Int, rounds expected: Int) throws {
        var (neighbours, zones) = try neighbours()
        let payload = try neighbours.handIn([1], on: 0, zone: zones[0])
        let secret = try #require(try neighbours.row(payload, on: 0)?.secret)
        for record in 0..<records {
            let assets = (0..<150 / records).map { number in
                let id = PayloadID(Sample.hash(UInt64(150 * record + number)).digest)
                return Neighbours.asset(id, size: 1, secret: secret.bytes)
            }
            try neighbours.attach(assets, to: "album \(record)", on: 0, zone: zones[0])
        }
        try neighbours.settle(zones[0])
        var rounds = 0
        while try Assets(neighbours.committer(1)).isDue(in: neighbours.homes[1].store) {
            try neighbours.change(1) { _ = try Assets($0).round(in: &$2) }
            rounds += 1
        }
        #expect(rounds == expected)
        #expect(try neighbours.homes[1].store.wantedPayloads(limit: .max).count == 150)
    }

    @Test func `is asked for under another zone that names it where its own has ended`() throws {
        var (neighbours, zones) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zones[0])
        try neighbours.attach([payload], to: "photo", on: 0, zone: zones[0])
        try neighbours.exchangeAssets(zones[0])
        #expect(try neighbours.wants(1).map(\.others) == [[]])
        try neighbours.attach([neighbours.described(payload, on: 0)], to: "copy", on: 0, zone: zones[1])
        try neighbours.settle(zones[1])
        let notice = try neighbours.look(1)
        #expect(notice.peers?.unwanted == [payload] && notice.hasWants, "the core learns of the other zone")
        #expect(try neighbours.wants(1).map(\.others) == [[zones[1]]])
        try neighbours.change(0) { _ = try ZoneLifecycle($0).delete(zones[0], reason: "old", in: &$2) }
        try neighbours.settle(zones[0])
        #expect(try neighbours.wants(1).map(\.zone) == [zones[1]])
        #expect(try neighbours.wants(1).map(\.others) == [[]])
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
        // The next record that names it gives it its zone.
        try neighbours.attach([payload], to: "third", on: 1, zone: zones[1])
        try neighbours.look(1)
        #expect(try neighbours.row(payload, on: 1)?.zone == zones[1])
    }

    @Test func `in a zone that was deleted is not fetched`() throws {
        var (neighbours, zones) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zones[0])
        try neighbours.attach([payload], to: "photo", on: 0, zone: zones[0])
        try neighbours.settle(zones[0])
        try neighbours.change(0) { _ = try ZoneLifecycle($0).delete(zones[0], reason: "old", in: &$2) }
        try neighbours.settle(zones[0])
        try neighbours.look(1)
        #expect(try neighbours.row(payload, on: 1) == nil)
    }

    @Test func `goes along to another account with the records`() throws {
        var neighbours = try Neighbours([1, 1, 1], seed: 1)
        let zone = try neighbours.zone(of: 0)
        try neighbours.settle(zone)
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        try neighbours.attach([payload], to: "photo", on: 0, zone: zone)
        try neighbours.look(0)
        neighbours.homes[0].account = 2
        try neighbours.change(0) { _ = try AccountMove($0).move(zone, random: &$1, in: &$2) }
        let new = try #require(
            try neighbours.homes[0].store.zones().first { $0.genesis.owner == neighbours.account(2) }?.id
        )
        try neighbours.look(0)
        #expect(try neighbours.row(payload, on: 0)?.zone == new && neighbours.row(payload, on: 0)?.unnamedSince == nil)
        neighbours.pass(2 * Assets.unnamedMilliseconds)
        try neighbours.look(0)
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
        #expect(try neighbours.attach([payload], to: "again", on: 0, zone: new) == true)
    }

    @Test func `makes a round due by a commit with such a record, and by no other`() throws {
        var (neighbours, zones) = try neighbours()
        let payload = try neighbours.handIn([1], on: 0, zone: zones[0])
        let asset = try neighbours.described(payload, on: 0)
        func feed(_ value: FieldValue) throws -> CommitNotice {
            let write = RecordWrite(name: "a", type: "album", set: [FieldAssignment(field: "file", value: value)])
            return try neighbours.change(0) {
                try $0.commit([WriteRequest([write])], zone: zones[0], in: &$2).notice
            }
        }
        #expect(try feed(.asset(asset)).needsAssetRound)
        #expect(try feed(.list([.string("x"), .asset(asset)])).needsAssetRound)
        #expect(try !feed(.string("none")).needsAssetRound)
    }
}
