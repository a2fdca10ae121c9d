import Identity
import Records
import Sodium
import Sync
import Testing
import Wire

@Suite struct `The content of a record` {
    private static let large = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private static let padded = PayloadWriter.paddedByteCount(150_000)
    private static let day: UInt64 = 86_400_000
    private static let limit: UInt64 = 10_000_000

    /// Two devices of an account that have a content, another account that may write in its zone, and a relay of each account.
    private struct House {
        var neighbours: Neighbours
        let zone: ZoneID
        let payload: PayloadID
        let relay: Int
        let other: Int

        init() throws {
            neighbours = try Neighbours([2, 1], seed: 1, envelopes: BoxEnvelopes())
            relay = try neighbours.addDevice(of: 0, role: .relayOnly)
            other = try neighbours.addDevice(of: 1, role: .relayOnly)
            zone = try neighbours.zone(of: 0)
            _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
            try neighbours.settle(zone)
            payload = try neighbours.handIn(`The content of a record`.large, on: 0, zone: zone)
            let isNamed = try neighbours.attach([payload], to: "photo", on: 0, zone: zone)
            #expect(isNamed)
            try neighbours.exchangeAssets(zone)
            for index in 1...2 { try neighbours.fetchPayloads(from: 0, on: index) }
        }

        func device(_ index: Int) -> DeviceID { neighbours.homes[index].keys.deviceID }

        /// The requests to both relays that a device has to make.
        func jobs(of index: Int = 0, contents: [PayloadID] = [], limit: Int = 9) throws -> [CustodyJob] {
            let search = CustodySearch(relays: [device(relay), device(other)], contents: contents, limit: limit)
            let found = try Custody(neighbours.committer(index)).contents(search, in: neighbours.homes[index].store)
            return found.news + found.jobs
        }

        func job(byteCount: UInt64, zone: ZoneID? = nil) -> CustodyJob {
            CustodyJob(
                .keep,
                for: .record,
                relay: device(relay),
                zone: zone ?? self.zone,
                payload: payload,
                byteCount: byteCount
            )
        }

        func releases(of index: Int = 0) throws -> [PayloadID] {
            let jobs = try Custody(neighbours.committer(index)).jobs(limit: 9, in: neighbours.homes[index].store)
            return jobs.filter { $0.kind == .release }.map(\.payload)
        }

        /// Has a device hear from the relay that it keeps the content for thirty days.
        mutating func hear(on index: Int = 0, for purpose: CustodyRequest.Kind = .record) throws {
            let until = neighbours.homes[index].wall + Custody.retentionMilliseconds
            let (relay, zone) = (device(relay), zone)
            let answer = CustodyAnswer(zone: zone, payload: payload, outcome: .stored(until: until))
            try neighbours.change(index) { _ = try Custody($0).note(answer, by: relay, for: purpose, in: &$2) }
        }

        /// Asks the relay, and returns its answer.
        mutating func ask(
            _ request: CustodyRequest,
            from index: Int = 0,
            limit: UInt64 = `The content of a record`.limit
        ) throws -> CustodyAnswer.Outcome? {
            let sender = device(index)
            return try neighbours.change(relay) {
                try Custody($0).take(request, from: sender, limit: limit, in: &$2)
            }.reply
        }

        mutating func end(by index: Int) throws -> CustodyAnswer.Outcome? {
            let (sender, request) = (device(index), CustodyRequest(zone: zone, payload: payload))
            return try neighbours.change(relay) { try Custody($0).end(request, from: sender, in: &$2) }.reply
        }

        func request(byteCount: UInt64 = `The content of a record`.padded) -> CustodyRequest {
            CustodyRequest(zone: zone, payload: payload, byteCount: byteCount, kind: .record)
        }

        mutating func setKept(_ isKept: Bool, on index: Int = 0, zone: ZoneID? = nil) throws -> CommitNotice {
            let zone = zone ?? self.zone
            return try neighbours.change(index) { try Assets($0).setKeptAtRelays(isKept, zone: zone, in: &$2) }
        }
    }

    // MARK: Asking

    @Test func `is left with the relays of the account alone, by each device that has it, once a day`() throws {
        var house = try House()
        #expect(try house.jobs() == [house.job(byteCount: Self.padded)])
        #expect(try house.jobs(of: 1) == [house.job(byteCount: Self.padded)])
        #expect(try house.jobs(of: 2).allSatisfy { $0.relay == house.device(house.other) })
        #expect(try house.jobs(of: house.relay).isEmpty, "a relay asks for nothing")
        try house.hear()
        #expect(try house.jobs().isEmpty && house.jobs(contents: [house.payload]).isEmpty)
        #expect(try house.jobs(of: 1).count == 1, "each device asks")
        house.neighbours.pass(Self.day - 1)
        #expect(try house.jobs().isEmpty)
        house.neighbours.pass(2)
        #expect(try house.jobs() == [house.job(byteCount: Self.padded)])
        #expect(try house.jobs(contents: [house.payload], limit: 0) == [house.job(byteCount: Self.padded)])
        #expect(try house.jobs(limit: 0).isEmpty)
    }

    @Test func `is not left with a relay where its zone has none of that, and is released then`() throws {
        var house = try House()
        try house.hear()
        #expect(try house.releases().isEmpty)
        let notice = try house.setKept(false)
        #expect(notice.number != nil && notice.custody.hasSettings)
        #expect(try house.jobs().isEmpty && house.releases() == [house.payload])
        #expect(try house.setKept(false).number == nil)
        _ = try house.setKept(true)
        #expect(try house.releases().isEmpty)
        #expect(try house.jobs() == [house.job(byteCount: Self.padded)], "the relay may have been told already")
    }

    @Test func `is released when the relay answers after the zone has none of that any more`() throws {
        var house = try House()
        _ = try house.setKept(false)
        try house.hear()
        #expect(try house.releases() == [house.payload])
    }

    @Test func `leaves the promise for a message as it is where the relay has no room for records`() throws {
        var house = try House()
        try house.hear(for: .message)
        let relay = house.device(house.relay)
        let answer = CustodyAnswer(zone: house.zone, payload: house.payload, outcome: .full)
        try house.neighbours.change(0) { _ = try Custody($0).note(answer, by: relay, for: .record, in: &$2) }
        #expect(try house.neighbours.homes[0].store.custodies(of: house.payload).map(\.relay) == [relay])
    }

    @Test func `is left with a relay under another zone whose records name it`() throws {
        var house = try House()
        let second = try house.neighbours.zone(of: 0)
        let copied = try house.neighbours.described(house.payload, on: 0)
        try house.neighbours.attach([copied], to: "copy", on: 0, zone: second)
        try house.hear()
        _ = try house.setKept(false)
        #expect(try house.releases().isEmpty && house.jobs() == [house.job(byteCount: Self.padded, zone: second)])
        _ = try house.setKept(false, zone: second)
        #expect(try house.releases() == [house.payload] && house.jobs().isEmpty)
    }

    @Test func `is released when a zone without that alone names it, unless a message needs it`() throws {
        var house = try House()
        let second = try house.neighbours.zone(of: 0)
        _ = try house.setKept(false, zone: second)
        let copied = try house.neighbours.described(house.payload, on: 0)
        try house.neighbours.attach([copied], to: "copy", on: 0, zone: second)
        try house.hear()
        #expect(try house.jobs().isEmpty && house.releases().isEmpty)
        _ = try house.neighbours.delete("photo", on: 0, zone: house.zone)
        try house.neighbours.look(0)
        let release = CustodyJob(
            .release,
            for: .record,
            relay: house.device(house.relay),
            zone: house.zone,
            payload: house.payload
        )
        #expect(try house.jobs() == [release] && house.jobs(contents: [house.payload], limit: 0) == [release])
        let answer = CustodyAnswer(zone: house.zone, payload: house.payload, outcome: .released)
        let relay = house.device(house.relay)
        try house.neighbours.change(0) { _ = try Custody($0).note(answer, by: relay, for: .record, in: &$2) }
        #expect(try house.jobs().isEmpty)

        try house.hear()
        let payload = house.payload
        try house.neighbours.change(0) { _, _, store in
            var promise = try #require(try store.custodies(of: payload).first)
            promise.kind = .record
            try store.save(promise)
        }
        #expect(try house.jobs() == [release])
        _ = try house.neighbours.send(payload: payload, on: 0, zone: house.zone)
        #expect(try house.jobs().isEmpty, "the message's recipient has not got it")
    }

    @Test func `is promised by no relay that was removed from its account`() throws {
        var house = try House()
        try house.hear()
        #expect(try house.neighbours.homes[0].store.promisingRelays() == [house.device(house.relay)])
        try house.neighbours.remove(house.relay, by: 0)
        let assets = Assets(house.neighbours.committer(0))
        #expect(try assets.isDue(in: house.neighbours.homes[0].store))
        try house.neighbours.look(0)
        #expect(try house.neighbours.homes[0].store.promisingRelays().isEmpty)
        #expect(try house.neighbours.homes[0].store.custodies(of: house.payload).isEmpty)
    }

    @Test func `stays with the relay when a device evicts it`() throws {
        var house = try House()
        try house.hear()
        _ = try house.neighbours.begin(house.payload, on: 0)
        _ = try house.neighbours.evict(house.payload, by: 1, on: 0)
        try house.neighbours.look(0)
        #expect(try house.neighbours.assetState(house.payload, on: 0) == .evicted)
        #expect(try house.releases().isEmpty)
        house.neighbours.pass(2 * Self.day)
        #expect(try house.jobs() == [house.job(byteCount: 0)], "it asks for what it does not have")
        let relay = house.device(house.relay)
        let payload = house.payload
        try house.neighbours.change(0) { try $2.removeCustody(of: payload, by: relay) }
        #expect(try house.jobs().isEmpty, "nothing can be left with a relay that does not have it")
    }

    @Test func `is released when the content is dropped that no record has named for seven days`() throws {
        var house = try House()
        try house.hear()
        house.neighbours.pass(1)
        _ = try house.neighbours.delete("photo", on: 0, zone: house.zone)
        try house.neighbours.exchangeAssets(house.zone)
        #expect(try house.releases().isEmpty && house.jobs().isEmpty)
        house.neighbours.pass(Assets.unnamedMilliseconds + ClockWitnesses.marginMilliseconds + 2)
        try house.neighbours.look(0)
        #expect(try house.neighbours.row(house.payload, on: 0) == nil)
        #expect(try house.releases() == [house.payload])
    }

    @Test func `stays with the relay when the message is over that named it as well`() throws {
        var house = try House()
        try house.hear(for: .message)
        #expect(try house.releases().isEmpty && house.jobs() == [house.job(byteCount: Self.padded)])
        try house.hear()
        #expect(try house.jobs().isEmpty)
        // A later answer about the message changes nothing.
        house.neighbours.pass(2 * Self.day)
        try house.hear(for: .message)
        #expect(try house.jobs().isEmpty && house.releases().isEmpty)
    }

    @Test func `is reported when a record names what is here`() throws {
        var neighbours = try Neighbours([1], seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        #expect(try neighbours.look(0).custody.isEmpty)
        try neighbours.attach([payload], to: "photo", on: 0, zone: zone)
        #expect(try neighbours.look(0).custody.contents == [payload])
    }

    @Test func `is found in pages, as requests are answered`() throws {
        var house = try House()
        for number in 1...3 {
            let payload = try house.neighbours.handIn([UInt8(number)], on: 0, zone: house.zone)
            try house.neighbours.attach([payload], to: "photo \(number)", on: 0, zone: house.zone)
        }
        let custody = Custody(house.neighbours.committer(0))
        let (relays, store) = ([house.device(house.relay)] as Set, house.neighbours.homes[0].store)
        var (found, after): ([PayloadID], UInt64) = ([], 0)
        for isAtEnd in [false, true] {
            let page = try custody.contents(CustodySearch(relays: relays, after: after, limit: 2), in: store)
            #expect(page.jobs.count == 2 && page.isAtEnd == isAtEnd)
            found += page.jobs.map(\.payload)
            after = page.through
        }
        #expect(Set(found).count == 4)
    }

    // MARK: Keeping

    @Test func `is kept for devices of the relay's own account alone`() throws {
        var house = try House()
        #expect(try house.ask(house.request(), from: 2) == .refused)
        #expect(try house.ask(house.request(byteCount: 0)) == .refused, "nobody has offered it")
        #expect(try house.ask(house.request()) == nil)
        #expect(try house.ask(house.request(byteCount: 0)) == .refused, "it is not there yet")
        try house.neighbours.fetchPayloads(from: 0, on: house.relay)
        let until = house.neighbours.homes[house.relay].wall + Custody.retentionMilliseconds
        #expect(try house.ask(house.request(byteCount: 0), from: 1) == .stored(until: until))
    }

    @Test func `is given to a device of the account under each zone that names it`() throws {
        var house = try House()
        _ = try house.ask(house.request())
        try house.neighbours.fetchPayloads(from: 0, on: house.relay)
        let second = try house.neighbours.zone(of: 0)
        try house.neighbours.settle(second)
        let payloads = Payloads(house.neighbours.committer(house.relay))
        let store = house.neighbours.homes[house.relay].store
        let request = PayloadRequest(zone: second, payload: house.payload, positions: [0])
        func chunks(toOwnDevice isOwn: Bool) throws -> Int {
            guard case .chunks(let chunks, _) = try payloads.answer(request, toOwnDevice: isOwn, in: store) else {
                return 0
            }
            return chunks.count
        }
        #expect(try chunks(toOwnDevice: true) == 1 && chunks(toOwnDevice: false) == 0)
        let again = CustodyRequest(zone: second, payload: house.payload, byteCount: Self.padded, kind: .record)
        #expect(try house.ask(again, from: 1) != .refused)
    }

    @Test func `is not deleted at the release of one device while another one has asked for it`() throws {
        var house = try House()
        _ = try house.ask(house.request())
        try house.neighbours.fetchPayloads(from: 0, on: house.relay)
        _ = try house.ask(house.request(), from: 1)
        for index in 0...1 { #expect(try house.end(by: index) == .released) }
        let row = try #require(try house.neighbours.row(house.payload, on: house.relay))
        #expect(row.state == .present && row.keptUntil != nil, "it stays until its time is over")
    }

    @Test func `is not prolonged for a device of another account`() throws {
        var house = try House()
        let request = CustodyRequest(zone: house.zone, payload: house.payload, byteCount: Self.padded, kind: .message)
        #expect(try house.ask(request) == nil)
        let kept = try #require(try house.neighbours.homes[house.relay].store.payload(house.payload))
        house.neighbours.pass(10 * Self.day)
        #expect(try house.ask(request, from: 2) == nil)
        #expect(try house.neighbours.homes[house.relay].store.payload(house.payload) == kept)
        #expect(try house.end(by: 0) == .released)
    }

    @Test func `is deleted at the release of the only device that has asked for it`() throws {
        var house = try House()
        for _ in 0..<2 { _ = try house.ask(house.request()) }
        #expect(try house.end(by: 1) == .refused)
        #expect(try house.end(by: 0) == .released)
        #expect(try house.neighbours.row(house.payload, on: house.relay) == nil)
    }

    @Test func `leaves a quarter of the room of a relay to messages`() throws {
        var house = try House()
        func ask(_ number: UInt8, _ byteCount: UInt64, _ kind: CustodyRequest.Kind) throws -> CustodyAnswer.Outcome? {
            let payload = PayloadID(digesting: .treeNode, [number])
            let request = CustodyRequest(zone: house.zone, payload: payload, byteCount: byteCount, kind: kind)
            return try house.ask(request, limit: 1_000)
        }
        #expect(try ask(1, 751, .record) == .full)
        #expect(try ask(2, 700, .record) == nil)
        #expect(try ask(3, 51, .record) == .full)
        #expect(try ask(4, 250, .message) == nil)
        // A message's content that a record names as well moves to the room of records, if there is any.
        #expect(try ask(4, 250, .record) == .full)
        #expect(try ask(5, 50, .message) == nil)
        #expect(try ask(5, 50, .record) == nil)
        #expect(try ask(6, 1, .message) == .full && ask(6, 1, .record) == .full)
    }
}
