import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `A relay` {
    private static let large = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private static let limit: UInt64 = 10_000_000

    /// Two accounts with a device each that write in a zone, and a relay of the first one.
    private struct Street {
        var neighbours: Neighbours
        let zone: ZoneID
        let relay: Int

        init(_ level: AccessLevel = .write) throws {
            neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
            relay = try neighbours.addDevice(of: 0, role: .relayOnly)
            zone = try neighbours.zone(of: 0)
            _ = try neighbours.grant(level, to: 1, by: 0, zone: zone)
            try neighbours.settle(zone)
        }

        var sender: DeviceID { neighbours.homes[0].keys.deviceID }

        func request(_ payload: PayloadID, from index: Int = 0) throws -> CustodyRequest {
            let job = try #require(try jobs(of: index).first { $0.payload == payload && $0.kind == .keep })
            #expect(job.relay == neighbours.homes[relay].keys.deviceID)
            return CustodyRequest(zone: job.zone, payload: job.payload, byteCount: job.byteCount)
        }

        /// Returns the answer of a relay.
        mutating func ask(_ request: CustodyRequest, limit: UInt64 = `A relay`.limit) throws -> CustodyAnswer.Outcome? {
            let sender = sender
            return try neighbours.change(relay) {
                try Custody($0).take(request, from: sender, limit: limit, in: &$2)
            }.reply
        }

        mutating func end(_ request: CustodyRequest, by index: Int = 0) throws -> CustodyAnswer.Outcome? {
            let device = neighbours.homes[index].keys.deviceID
            return try neighbours.change(relay) { try Custody($0).end(request, from: device, in: &$2) }.reply
        }

        /// Passes the relay's outcome to the sender.
        mutating func hear(_ outcome: CustodyAnswer.Outcome, _ payload: PayloadID) throws -> Bool {
            let answer = CustodyAnswer(zone: zone, payload: payload, outcome: outcome)
            let relay = neighbours.homes[relay].keys.deviceID
            return try neighbours.change(0) { try Custody($0).note(answer, by: relay, in: &$2) }.number != nil
        }

        func jobs(of index: Int = 0) throws -> [CustodyJob] {
            try Custody(neighbours.committer(index)).jobs(limit: 9, in: neighbours.homes[index].store)
        }

        func releases() throws -> [PayloadID] { try jobs().filter { $0.kind == .release }.map(\.payload) }

        /// Tells the sender how much the relay holds durably.
        mutating func acknowledge() throws {
            let (zone, relay) = (zone, neighbours.homes[relay].keys.deviceID)
            let rows = try neighbours.homes[self.relay].store.logs(zone: zone).map {
                AcknowledgementRow(device: relay, key: $0.key, size: $0.size)
            }
            try neighbours.change(0) { try $2.save(rows) }
        }
    }

    @Test func `keeps data that it cannot read, and delivers them to their recipients when the sender is gone`() throws
    {
        var street = try Street()
        let payload = try street.neighbours.handIn(Self.large, on: 0, zone: street.zone)
        let id = try street.neighbours.send(payload: payload, on: 0, zone: street.zone)
        try street.neighbours.exchangeMessages(street.zone, among: [0, street.relay])
        let request = try street.request(payload)
        #expect(try street.ask(request) == nil)
        // It is fetched as any payload, and promised when it is there.
        try street.neighbours.fetchPayloads(from: 0, on: street.relay)
        let promise = try #require(try street.ask(request))
        #expect(promise == .stored(until: street.neighbours.homes[street.relay].wall + Custody.retentionMilliseconds))
        let kept = try #require(try street.neighbours.homes[street.relay].store.payload(payload))
        #expect(kept.state == .present && kept.secret == nil && kept.byteCount == request.byteCount)
        #expect(try street.neighbours.bytes(of: payload, on: street.relay) == nil)
        let held = try street.neighbours.homes[street.relay].store.custodyByteCounts()
        #expect(held == [street.sender: request.byteCount])

        // Records alone are not the whole message.
        #expect(try street.neighbours.deliveries(of: id, on: 0) == [.queued])
        try street.acknowledge()
        #expect(try street.neighbours.deliveries(of: id, on: 0) == [.queued])
        #expect(try street.hear(promise, payload) && !street.hear(promise, payload))
        #expect(try street.neighbours.deliveries(of: id, on: 0) == [.relayed])

        // The sender is off.
        let others = [1, street.relay]
        try street.neighbours.exchangeMessages(street.zone, among: others)
        try street.neighbours.fetchPayloads(from: street.relay, on: 1)
        try street.neighbours.exchangeMessages(street.zone, among: others)
        #expect(try street.neighbours.bytes(of: payload, on: 1) == Self.large)
        #expect(try street.neighbours.deliveries(of: id, on: 0) == [.relayed] && street.releases().isEmpty)
        // It comes back when the recipient is off, and learns of the delivery from the relay.
        try street.neighbours.exchangeMessages(street.zone, among: [0, street.relay])
        #expect(try street.neighbours.deliveries(of: id, on: 0) == [.delivered])
        #expect(try street.jobs().map(\.kind) == [.release] && street.releases() == [payload])
        #expect(try street.end(request) == .released && street.end(request) == .released)
        #expect(try street.hear(.released, payload) && street.releases().isEmpty)
        while try Payloads(street.neighbours.committer(street.relay))
            .hasToDrop(in: street.neighbours.homes[street.relay].store)
        {
            try street.neighbours.change(street.relay) { _ = try Payloads($0).drop(in: &$2) }
        }
        #expect(try street.neighbours.homes[street.relay].store.payload(payload) == nil)
        #expect(try street.neighbours.homes[street.relay].store.custodyByteCounts().isEmpty)
    }

    @Test func `has a small message with its record`() throws {
        var street = try Street()
        let id = try street.neighbours.send("hello", on: 0, zone: street.zone)
        #expect(try street.neighbours.deliveries(of: id, on: 0) == [.queued])
        try street.neighbours.exchangeMessages(street.zone, among: [0, street.relay])
        try street.acknowledge()
        #expect(try street.neighbours.deliveries(of: id, on: 0) == [.relayed])
        try street.neighbours.exchangeMessages(street.zone)
        #expect(try street.neighbours.deliveries(of: id, on: 0) == [.delivered])
    }

    @Test func `keeps half of its room for its own account, and gives no other one more than a quarter`() throws {
        var street = try Street()
        func held(_ byteCount: UInt64, for index: Int, limit: UInt64) throws -> CustodyAnswer.Outcome? {
            let device = street.neighbours.homes[index].keys.deviceID
            let payload = PayloadID(Hash(digesting: .treeNode, [UInt8(truncatingIfNeeded: byteCount)]).digest)
            let request = CustodyRequest(zone: street.zone, payload: payload, byteCount: byteCount)
            return try street.neighbours.change(street.relay) {
                try Custody($0).take(request, from: device, limit: limit, in: &$2)
            }.reply
        }
        #expect(try held(251, for: 1, limit: 1_000) == .full)
        #expect(try held(200, for: 1, limit: 1_000) == nil)
        #expect(try held(51, for: 1, limit: 1_000) == .full)
        #expect(try held(50, for: 1, limit: 1_000) == nil)
        // It has more than its part of a smaller relay by now, and its own account goes on.
        #expect(try held(1, for: 1, limit: 800) == .full)
        #expect(try held(551, for: 0, limit: 800) == .full)
        #expect(try held(550, for: 0, limit: 800) == nil)
    }

    @Test func `keeps a payload for a recipient that cannot confirm it, until its time is over`() throws {
        var street = try Street(.read)
        let payload = try street.neighbours.handIn(Self.large, on: 0, zone: street.zone)
        let id = try street.neighbours.send(payload: payload, on: 0, zone: street.zone)
        try street.neighbours.exchangeMessages(street.zone)
        #expect(try street.neighbours.deliveries(of: id, on: 0) == [.unconfirmed])
        #expect(try street.jobs().map(\.kind) == [.keep])
        #expect(try street.neighbours.homes[0].store.unsettledMessages(limit: 9).count == 1)
    }

    @Test func `keeps a payload for a recipient for which its message is sealed again`() throws {
        var neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
        _ = try neighbours.addDevice(of: 0, role: .relayOnly)
        let zone = try neighbours.zone(of: 0, history: .fromJoin)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        try neighbours.exchangeMessages(zone)
        func isAsked() throws -> Bool {
            try Custody(neighbours.committer(0)).jobs(limit: 9, in: neighbours.homes[0].store).map(\.kind) == [.keep]
        }
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let id = try neighbours.send(payload: payload, on: 0, zone: zone)
        for _ in 0..<2 {
            // The prekey that it is sealed to is lost, at first before it has arrived, then with the store that had it.
            try neighbours.loseStore(1, zone: zone, from: 0)
            neighbours.homes[1].wall += 60_000
            for _ in 0..<2 { try neighbours.exchangeMessages(zone) }
            #expect(try neighbours.homes[1].store.message(id)?.state == .fetching)
            #expect(try neighbours.deliveries(of: id, on: 0) == [.failed] && isAsked())
            try neighbours.fetchPayloads(from: 0, on: 1)
            try neighbours.exchangeMessages(zone)
            #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered] && !isAsked())
        }
    }

    @Test func `takes no more than it may, and lets no other account end its custody`() throws {
        var street = try Street()
        let payloads = try (0..<2).map { _ in try street.neighbours.handIn(Self.large, on: 0, zone: street.zone) }
        for payload in payloads { _ = try street.neighbours.send(payload: payload, on: 0, zone: street.zone) }
        let requests = try payloads.map { try street.request($0) }
        let size = requests[0].byteCount
        #expect(try street.ask(requests[0], limit: size - 1) == .full)
        #expect(try street.ask(requests[0], limit: size) == nil)
        #expect(try street.ask(requests[1], limit: 2 * size - 1) == .full)
        // It counts once, however often the sender requests it.
        #expect(try street.ask(requests[0], limit: size) == nil)
        #expect(try street.end(requests[0], by: 1) == .refused)
        #expect(try street.neighbours.wants(street.relay).count == 1)
        #expect(try street.end(requests[0]) == .released && street.neighbours.wants(street.relay).isEmpty)
        #expect(try street.ask(requests[1], limit: size) == nil)
        let elsewhere = CustodyRequest(zone: .zero, payload: payloads[1], byteCount: size)
        #expect(try street.ask(elsewhere) == .refused && street.end(elsewhere) == .refused)
        let empty = CustodyRequest(zone: street.zone, payload: payloads[0])
        #expect(try street.ask(empty) == .refused)
    }

    @Test func `keeps it for a month, and longer when it is asked again`() throws {
        var street = try Street()
        let payload = try street.neighbours.handIn(Self.large, on: 0, zone: street.zone)
        _ = try street.neighbours.send(payload: payload, on: 0, zone: street.zone)
        let request = try street.request(payload)
        _ = try street.ask(request)
        try street.neighbours.fetchPayloads(from: 0, on: street.relay)
        let day: UInt64 = 86_400_000
        for days in [20, 29] as [UInt64] {
            street.neighbours.homes[street.relay].wall += days * day
            let store = street.neighbours.homes[street.relay].store
            #expect(try !Payloads(street.neighbours.committer(street.relay)).hasToDrop(in: store), "after \(days)")
            if days == 20 { _ = try street.ask(request) }
        }
        street.neighbours.homes[street.relay].wall += 2 * day
        let store = street.neighbours.homes[street.relay].store
        #expect(try Payloads(street.neighbours.committer(street.relay)).hasToDrop(in: store))
    }

    @Test func `has shared zones that its account may read, sealed, and none that was ever public`() throws {
        var neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
        let relays = try (0...1).map { try neighbours.addDevice(of: $0, role: .relayOnly) }
        let zone = try neighbours.zone(of: 0)
        func access(_ account: Int) throws -> ZoneAccess? {
            let authority = try neighbours.authorities(on: 0).first
            let device = neighbours.homes[relays[account]].keys.deviceID
            let (told, taken) = (
                authority?.access(of: device, in: neighbours.account(account), at: 1),
                authority?.acceptance(from: device, in: neighbours.account(account), at: 1)
            )
            #expect(told == taken)
            return told
        }
        _ = try neighbours.grant(.read, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        #expect(try access(0) == .everything && access(1) == .everything)
        // There are records in clear from the time in which every account could read it.
        let open = PublicAccess(world: [.read], authenticated: [.read], creator: [])
        try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(open, zone: zone, in: &$2) }
        try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(.none, zone: zone, in: &$2) }
        #expect(try access(0) == .control && access(1) == .control)
    }

    @Test func `of an account that may not read a zone has none of its records`() throws {
        var other = try Neighbours([1, 1], seed: 2, envelopes: BoxEnvelopes())
        let guest = try other.addDevice(of: 1, role: .relayOnly)
        let notes = try other.zone(of: 0)
        for level in [AccessLevel.relay, .read] {
            _ = try other.grant(level, to: 1, by: 0, zone: notes)
            let authority = try #require(try other.authorities(on: 0).first)
            let device = other.homes[guest].keys.deviceID
            let expected: ZoneAccess = level == .read ? .everything : .control
            #expect(authority.access(of: device, in: other.account(1), at: 1) == expected)
        }
    }

    @Test func `is no device that reads`() throws {
        var street = try Street()
        let payload = try street.neighbours.handIn(Self.large, on: 0, zone: street.zone)
        _ = try street.neighbours.send(payload: payload, on: 0, zone: street.zone)
        let (request, sender) = (try street.request(payload), street.sender)
        let answer = try street.neighbours.change(1) {
            try Custody($0).take(request, from: sender, limit: Self.limit, in: &$2)
        }
        #expect(answer.reply == .refused)
    }
}
