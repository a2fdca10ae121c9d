import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `A false statement about a content` {
    private static let large = [UInt8](repeating: 7, count: 150_000)

    /// Two zones, and a content that device 0 has uploaded for the first one.
    private func uploaded() throws -> (neighbours: Neighbours, zones: [ZoneID], truth: AssetDescriptor) {
        var neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
        let zones = try (0..<2).map { _ in
            let zone = try neighbours.zone(of: 0)
            _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
            try neighbours.settle(zone)
            return zone
        }
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zones[0])
        return (neighbours, zones, try neighbours.described(payload, on: 0))
    }

    private func lie(about truth: AssetDescriptor, secret byte: UInt8) -> AssetDescriptor {
        Neighbours.asset(truth.payload, size: truth.size, secret: [UInt8](repeating: byte, count: 32))
    }

    private func lie(about truth: AssetDescriptor, size: UInt64) -> AssetDescriptor {
        Neighbours.asset(truth.payload, size: size, secret: truth.secret.bytes)
    }

    @Test func `is ignored where the content is here`() throws {
        var (neighbours, zones, truth) = try uploaded()
        try neighbours.attach([truth], to: "photo", on: 0, zone: zones[0])
        try neighbours.exchangeAssets(zones[0])
        try neighbours.fetchPayloads(from: 0, on: 1)
        let lies = [lie(about: truth, secret: 1), lie(about: truth, size: 3)]
        for (number, asset) in lies.enumerated() {
            try neighbours.attach([asset], to: "lie \(number)", on: 0, zone: zones[0])
        }
        try neighbours.exchangeAssets(zones[0])
        #expect(try neighbours.bytes(of: truth.payload, on: 1) == Self.large)
        let (assets, store) = (Assets(neighbours.committer(1)), neighbours.homes[1].store)
        #expect(try lies.map { try assets.state(of: $0, in: store) } == [.missing, .missing])
        #expect(try assets.state(of: truth, in: store) == .present)
    }

    @Test(arguments: [true, false])
    func `that came first costs a part, and the true one is tried next`(isAboutSecret: Bool) throws {
        var (neighbours, zones, truth) = try uploaded()
        let falsehood = isAboutSecret ? lie(about: truth, secret: 1) : lie(about: truth, size: 400_000)
        try neighbours.attach([falsehood], to: "lie", on: 0, zone: zones[0])
        try neighbours.exchangeAssets(zones[0])
        try neighbours.attach([truth], to: "photo", on: 0, zone: zones[0])
        try neighbours.exchangeAssets(zones[0])
        #expect(try neighbours.row(truth.payload, on: 1)?.secret?.bytes == falsehood.secret.bytes)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.wants(1).isEmpty)
        try neighbours.look(1)
        #expect(try neighbours.wants(1).map(\.missing) == [nil])
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: truth.payload, on: 1) == Self.large)
    }

    @Test(arguments: [149_999, 150_001] as [UInt64])
    func `of a size that pads to the same keeps no record from its content`(size: UInt64) throws {
        var (neighbours, zones, truth) = try uploaded()
        let other = lie(about: truth, size: size)
        try neighbours.attach([other], to: "lie", on: 0, zone: zones[1])
        try neighbours.exchangeAssets(zones[1])
        try neighbours.fetchPayloads(from: 0, on: 1)
        try neighbours.attach([truth], to: "photo", on: 0, zone: zones[0])
        try neighbours.exchangeAssets(zones[0])
        let (committer, store) = (neighbours.committer(1), neighbours.homes[1].store)
        #expect(try [truth, other].map { try Assets(committer).state(of: $0, in: store) } == [.present, .present])
        let row = try #require(try neighbours.row(truth.payload, on: 1))
        #expect(row.byteCount == size)
        var bytes: [UInt8] = []
        while let part = try Payloads(committer).bytes(
            of: row,
            byteCount: truth.size,
            from: UInt64(bytes.count),
            in: store
        ), !part.isEmpty {
            bytes += part
        }
        #expect(bytes == Self.large)
        // The description for a program is that of the record in its zone.
        let resolved = try neighbours.change(1) {
            try Assets($0).resolve(Neighbours.asset(truth.payload), zone: zones[0], in: &$2)
        }
        #expect(resolved?.size == truth.size)
    }

    @Test func `alone is tried once, also when it comes again or is asked for`() throws {
        var (neighbours, zones, truth) = try uploaded()
        let falsehood = lie(about: truth, secret: 1)
        for name in ["lie", "copy"] { try neighbours.attach([falsehood], to: name, on: 0, zone: zones[0]) }
        try neighbours.exchangeAssets(zones[0])
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.look(1).hasWants == false)
        #expect(try neighbours.assetState(truth.payload, on: 1) == .missing)
        try neighbours.attach([falsehood], to: "third", on: 0, zone: zones[0])
        try neighbours.exchangeAssets(zones[0])
        let asked = try neighbours.change(1) { try Assets($0).fetch(truth.payload, zone: zones[0], in: &$2) }
        #expect(try asked.number == nil && neighbours.wants(1).isEmpty)
        // It is forgotten with the record.
        for name in ["lie", "copy", "third"] { _ = try neighbours.delete(name, on: 0, zone: zones[0]) }
        try neighbours.exchangeAssets(zones[0])
        neighbours.pass(2 * Assets.unnamedMilliseconds)
        try neighbours.look(1)
        #expect(try neighbours.row(truth.payload, on: 1) == nil)
    }

    @Test func `is tried a few times of one zone, and others are not kept from the content by it`() throws {
        var (neighbours, zones, truth) = try uploaded()
        for number in 1...10 as ClosedRange<UInt8> {
            try neighbours.attach([lie(about: truth, secret: number)], to: "lie \(number)", on: 0, zone: zones[1])
        }
        try neighbours.exchangeAssets(zones[1])
        var tried = 0
        while try !neighbours.wants(1).isEmpty {
            tried += 1
            try neighbours.fetchPayloads(from: 0, on: 1)
            try neighbours.look(1)
        }
        #expect(tried == 8)
        try neighbours.attach([truth], to: "photo", on: 0, zone: zones[0])
        try neighbours.exchangeAssets(zones[0])
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: truth.payload, on: 1) == Self.large)
    }

    @Test func `is tried a few times of each zone, and many zones keep no other one from the content`() throws {
        var (neighbours, zones, truth) = try uploaded()
        for number in 0..<8 as Range<UInt8> {
            let zone = try neighbours.zone(of: 0)
            _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
            let lies = (1...8).map { lie(about: truth, secret: 8 * number + $0) }
            for (index, lie) in lies.enumerated() {
                try neighbours.attach([lie], to: "lie \(index)", on: 0, zone: zone)
            }
            try neighbours.exchangeAssets(zone)
            while try !neighbours.wants(1).isEmpty {
                try neighbours.fetchPayloads(from: 0, on: 1)
                try neighbours.look(1)
            }
        }
        try neighbours.attach([truth], to: "photo", on: 0, zone: zones[0])
        try neighbours.exchangeAssets(zones[0])
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: truth.payload, on: 1) == Self.large)
    }

    @Test func `by which nothing is fetched gives way to one that a policy fetches`() throws {
        var (neighbours, zones, truth) = try uploaded()
        try neighbours.setPolicy(.never, on: 1, zone: zones[1])
        try neighbours.attach([lie(about: truth, secret: 1)], to: "lie", on: 0, zone: zones[1])
        try neighbours.exchangeAssets(zones[1])
        #expect(try neighbours.assetState(truth.payload, on: 1) == .remote)
        try neighbours.attach([truth], to: "photo", on: 0, zone: zones[0])
        try neighbours.exchangeAssets(zones[0])
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: truth.payload, on: 1) == Self.large)
    }

    @Test func `is not the one that a request for another record's content goes by`() throws {
        var (neighbours, zones, truth) = try uploaded()
        for zone in zones { try neighbours.setPolicy(.onDemand, on: 1, zone: zone) }
        try neighbours.attach([lie(about: truth, secret: 1)], to: "lie", on: 0, zone: zones[1])
        try neighbours.exchangeAssets(zones[1])
        try neighbours.attach([truth], to: "photo", on: 0, zone: zones[0])
        try neighbours.exchangeAssets(zones[0])
        _ = try neighbours.change(1) { try Assets($0).fetch(truth.payload, zone: zones[0], in: &$2) }
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: truth.payload, on: 1) == Self.large)
    }

    @Test func `in a record keeps no message from its content`() throws {
        var (neighbours, zones, truth) = try uploaded()
        try neighbours.attach([lie(about: truth, secret: 1)], to: "lie", on: 0, zone: zones[1])
        try neighbours.exchangeAssets(zones[1])
        let id = try neighbours.send(payload: truth.payload, on: 0, zone: zones[0])
        try neighbours.exchangeMessages(zones[0])
        #expect(try neighbours.homes[1].store.message(id)?.state == .fetching)
        try neighbours.look(1)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.homes[1].store.message(id)?.state == .waiting)
        #expect(try neighbours.bytes(of: truth.payload, on: 1) == Self.large)
    }

    /// A content that device 0 has uploaded for a zone, in which device 2 can write as well.
    private func shared() throws -> (neighbours: Neighbours, zone: ZoneID, truth: AssetDescriptor) {
        var neighbours = try Neighbours([1, 1, 1], seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        for account in 1...2 { _ = try neighbours.grant(.write, to: account, by: 0, zone: zone) }
        try neighbours.settle(zone)
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        return (neighbours, zone, try neighbours.described(payload, on: 0))
    }

    /// Sends a message with a content of which device 2 states another secret.
    private func sendLie(
        about truth: AssetDescriptor,
        _ neighbours: inout Neighbours,
        zone: ZoneID
    ) throws -> MessageID {
        try neighbours.change(2) { committer, _, store in
            if let known = try store.payload(truth.payload) { try store.removePayload(number: known.number) }
            try store.save(
                PayloadRow(
                    number: try store.takePayloadNumber(),
                    id: truth.payload,
                    zone: zone,
                    state: .present,
                    byteCount: truth.size,
                    secret: StoredSecret([UInt8](repeating: 1, count: StoredSecret.byteCount)),
                    begun: committer.wallMilliseconds
                )
            )
        }
        return try neighbours.send(payload: truth.payload, on: 2, zone: zone)
    }

    @Test func `in a message costs no part that is here`() throws {
        var (neighbours, zone, truth) = try shared()
        try neighbours.attach([truth], to: "photo", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        _ = try neighbours.keepOutline(truth.payload, from: 0, on: 1, zone: zone)
        _ = try neighbours.keepChunk(0, of: truth.payload, from: 0, on: 1, zone: zone)
        let id = try sendLie(about: truth, &neighbours, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.homes[1].store.message(id)?.state == .failed)
        #expect(try neighbours.wants(1).map(\.missing) == [[1, 2]])
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: truth.payload, on: 1) == Self.large)
    }

    @Test func `in a message that came before the record costs a part, and the record's is tried next`() throws {
        var (neighbours, zone, truth) = try shared()
        let id = try sendLie(about: truth, &neighbours, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.homes[1].store.message(id)?.state == .fetching)
        try neighbours.attach([truth], to: "photo", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.homes[1].store.message(id)?.state == .failed)
        try neighbours.look(1)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.bytes(of: truth.payload, on: 1) == Self.large)
    }

    @Test func `lets no message disclose the secret by which another zone states the content`() throws {
        var (neighbours, zones, truth) = try uploaded()
        try neighbours.attach([truth], to: "photo", on: 0, zone: zones[0])
        try neighbours.attach([lie(about: truth, secret: 1)], to: "lie", on: 1, zone: zones[1])
        try neighbours.exchangeAssets(zones[1])
        #expect(throws: SentMessages.Refusal.self) {
            _ = try neighbours.send(payload: truth.payload, on: 0, zone: zones[1])
        }
        try neighbours.attach([truth], to: "copy", on: 0, zone: zones[1])
        try neighbours.exchangeAssets(zones[1])
        let id = try neighbours.send(payload: truth.payload, on: 0, zone: zones[1])
        #expect(try neighbours.homes[0].store.message(id)?.payload == truth.payload)
    }
}
