import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `A message with a separate payload` {
    private static let large = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    private func neighbours(
        _ counts: [Int] = [1, 1],
        _ level: AccessLevel = .write
    ) throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours(counts, seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        for account in 1..<neighbours.logs.count { _ = try neighbours.grant(level, to: account, by: 0, zone: zone) }
        try neighbours.settle(zone)
        return (neighbours, zone)
    }

    private func state(_ id: MessageID, _ neighbours: Neighbours, on index: Int) throws -> MessageRow.State? {
        try neighbours.homes[index].store.message(id)?.state
    }

    @Test func `is delivered and confirmed when all of it has arrived, and not before`() throws {
        var (neighbours, zone) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let id = try neighbours.send(payload: payload, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try state(id, neighbours, on: 1) == .fetching && neighbours.inbox(1).isEmpty)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.queued])
        let early = try neighbours.change(1) { try Inbox($0).finish([id], in: &$2) }
        #expect(early.reply == [id: .incomplete(id)] && early.notice.number == nil)
        let sender = neighbours.homes[0].keys.deviceID
        let want = PayloadWant(zone: zone, payload: payload, sender: sender, missing: nil)
        #expect(try neighbours.wants(1) == [want] && neighbours.wants(0).isEmpty)
        #expect(
            try neighbours.keepOutline(payload, from: 0, on: 1, zone: zone) == .outlined(missing: [0, 1, 2])
        )
        // In any order, each as often as it comes.
        for position in [2, 0, 2] as [UInt64] {
            #expect(try neighbours.keepChunk(position, of: payload, from: 0, on: 1, zone: zone) == .kept)
            try neighbours.exchangeMessages(zone)
            #expect(try state(id, neighbours, on: 1) == .fetching)
        }
        #expect(try neighbours.wants(1).map(\.missing) == [[1]])
        #expect(try neighbours.keepChunk(1, of: payload, from: 0, on: 1, zone: zone) == .complete)
        #expect(try neighbours.keepChunk(1, of: payload, from: 0, on: 1, zone: zone) == .unwanted)
        try neighbours.exchangeMessages(zone)
        #expect(try state(id, neighbours, on: 1) == .waiting && neighbours.wants(1).isEmpty)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered])
        try neighbours.finish(id, on: 1)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.read])
    }

    @Test func `waits for a payload that another one names too, and is delivered at once where that is here`() throws {
        var (neighbours, zone) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let early = try (0..<2).map { _ in try neighbours.send(payload: payload, on: 0, zone: zone) }
        try neighbours.exchangeMessages(zone)
        #expect(try early.map { try state($0, neighbours, on: 1) } == [.fetching, .fetching])
        #expect(try neighbours.wants(1).count == 1)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try early.map { try state($0, neighbours, on: 1) } == [.waiting, .waiting])
        let late = try neighbours.send(payload: payload, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try state(late, neighbours, on: 1) == .waiting && neighbours.wants(1).isEmpty)
        for id in early + [late] { #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered]) }
    }

    @Test func `to one account is fetched by its devices and the sender's only, from any peer that has it`() throws {
        var (neighbours, zone) = try neighbours([2, 2, 1])
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let id = try neighbours.send(payload: payload, to: [neighbours.account(1)], on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try state(id, neighbours, on: 4) == .forOthers && neighbours.wants(4).isEmpty)
        #expect(try state(id, neighbours, on: 2) == .fetching && state(id, neighbours, on: 3) == .fetching)
        try neighbours.fetchPayloads(from: 0, on: 2)
        try neighbours.fetchPayloads(from: 2, on: 3)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.bytes(of: payload, on: 3) == Self.large)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered, .delivered])
        // The chunks that others keep show nothing of the content.
        #expect(try neighbours.content(of: id, on: 4) == nil && neighbours.bytes(of: payload, on: 4) == nil)
    }

    @Test func `accepts only chunks that match its id`() throws {
        var (neighbours, zone) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let other = try neighbours.handIn([1], on: 0, zone: zone)
        let id = try neighbours.send(payload: payload, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let request = PayloadRequest(zone: zone, outlineOf: other)
        let answer = try Payloads(neighbours.committer(0)).answer(request, in: neighbours.homes[0].store)
        let others = try #require(answer.outline)
        #expect(try neighbours.change(1) { try Payloads($0).keep(others, of: payload, in: &$2) }.reply == .mismatch)
        _ = try neighbours.keepOutline(payload, from: 0, on: 1, zone: zone)
        let changed = try neighbours.keepChunk(0, of: payload, from: 0, on: 1, zone: zone) { $0[9] ^= 1 }
        #expect(changed == .mismatch)
        #expect(try neighbours.keepChunk(0, of: payload, from: 0, on: 1, zone: zone) { $0.removeAll() } == .mismatch)
        #expect(try neighbours.wants(1).map(\.missing) == [[0, 1, 2]])
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try state(id, neighbours, on: 1) == .waiting)
    }

    @Test func `cannot be opened if its sender's description is false`() throws {
        var (neighbours, zone) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let secret = try #require(try neighbours.homes[0].store.payload(payload)?.secret)
        let sender = neighbours.homes[0].keys.deviceID
        var lies: [MessageID] = []
        for (name, size, key) in [
            ("longer", 250_000, secret.bytes), ("no key", 150_000, [1, 2]),
            ("another key", 150_000, [UInt8](repeating: 1, count: 32)),
        ] {
            let fields: [String: FieldValue] = [
                "sender": .string(sender.text), "sent_at": .date(milliseconds: 1),
                "content_type": .string("image/png"), "content": .bytes(key), "payload": .bytes(payload.bytes),
                "size": .int64(Int64(size)), "signature": Neighbours.unchecked,
            ]
            try neighbours.write("message/\(name)", fields, on: 0, zone: zone)
            let tag = try RecordTag(of: "message/\(name)", zone: zone, in: neighbours.homes[0].store)
            lies.append(MessageID(zone: zone, tag: tag))
            try neighbours.exchangeMessages(zone)
            try neighbours.fetchPayloads(from: 0, on: 1)
            try neighbours.exchangeMessages(zone)
        }
        #expect(try lies.map { try state($0, neighbours, on: 1) } == [.failed, .failed, .failed])
        #expect(try neighbours.wants(1).isEmpty && neighbours.homes[1].store.payload(payload) == nil)
        // An honest one is not hindered by them.
        let id = try neighbours.send(payload: payload, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try state(id, neighbours, on: 1) == .waiting)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
    }

    @Test func `that was finished is not fetched again by a store that was lost`() throws {
        var (neighbours, zone) = try neighbours([1, 2])
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let id = try neighbours.send(payload: payload, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        try neighbours.fetchPayloads(from: 0, on: 1)
        try neighbours.exchangeMessages(zone)
        try neighbours.finish(id, on: 1)
        try neighbours.exchangeMessages(zone)
        // The feed is read again from its beginning.
        try neighbours.change(1) { committer, _, transaction in
            try transaction.removeMessage(id)
            let row = try #require(try transaction.payload(payload))
            while try transaction.removeChunks(of: row.number, limit: 9) {}
            try transaction.removePayload(number: row.number)
            try transaction.setInboxPosition(0)
        }
        try neighbours.exchangeMessages(zone)
        #expect(try state(id, neighbours, on: 1) == .finished && neighbours.wants(1).isEmpty)
    }

    @Test func `names only a payload that was uploaded completely, here and for its zone`() throws {
        var (neighbours, zone) = try neighbours()
        let elsewhere = try neighbours.zone(of: 0)
        let payload = try neighbours.handIn(Self.large, on: 0, zone: elsewhere)
        func refusal(_ id: PayloadID) throws -> MessageRefusal? {
            do {
                _ = try neighbours.send(payload: id, on: 0, zone: zone)
                return nil
            } catch let refusal as SentMessages.Refusal {
                if case .message(let reason) = refusal.reason { return reason }
                throw refusal
            }
        }
        #expect(try refusal(payload) == .unknownPayload(payload))
        let unknown = PayloadID(Hash.zero.digest)
        #expect(try refusal(unknown) == .unknownPayload(unknown))
        let row = try neighbours.change(0) { try Payloads($0).begin(zone: zone, announced: 1, in: &$2) }
        try neighbours.change(0) { try Payloads($0).abandon(row.number, in: &$2) }
        #expect(try neighbours.change(0) { try !Payloads($0).add([], to: row.number, in: &$2) })
        try neighbours.change(0) { _ = try Payloads($0).drop(in: &$2) }
        #expect(try neighbours.homes[0].store.payload(number: row.number) == nil)
    }

    @Test func `leaves its chunks when it is gone, and chunks without a message are kept for a day`() throws {
        var (neighbours, zone) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let unsent = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let expires = neighbours.homes[0].wall + 60_000
        var draft = SentMessages.Draft(
            content: .bytes([]),
            payload: payload,
            contentType: "image/png",
            expires: expires
        )
        draft.recipients = []
        try neighbours.change(0) { [draft] in _ = try SentMessages($0).send([draft], zone: zone, in: &$2).reply.get() }
        try neighbours.exchangeMessages(zone)
        try neighbours.fetchPayloads(from: 0, on: 1)
        func drop(_ index: Int) throws -> Int {
            var steps = 0
            while try Payloads(neighbours.committer(index)).hasToDrop(in: neighbours.homes[index].store) {
                try neighbours.change(index) { _ = try Payloads($0).drop(in: &$2) }
                steps += 1
            }
            return steps
        }
        #expect(try drop(0) == 0 && drop(1) == 0)
        for index in 0...1 {
            neighbours.homes[index].wall += Payloads.unsentMilliseconds + 1
            neighbours.homes[index].witnesses = ClockWitnesses(count: 2, median: neighbours.homes[index].wall)
            try neighbours.change(index) { _ = try Inbox($0).dropExpired(in: &$2) }
            // The chunks of each, then the payload itself.
            #expect(try drop(index) == (index == 0 ? 4 : 2))
        }
        for index in 0...1 {
            #expect(try neighbours.homes[index].store.payload(payload) == nil)
            #expect(try neighbours.homes[index].store.chunk(of: 1, at: 0) == nil)
        }
        #expect(try neighbours.homes[0].store.payload(unsent) == nil)
    }

    @Test func `that is gone is not fetched any more, unless another one has the same payload`() throws {
        var (neighbours, zone) = try neighbours()
        let payload = try neighbours.handIn(Self.large, on: 0, zone: zone)
        let ids = try (0..<2).map { _ in try neighbours.send(payload: payload, on: 0, zone: zone) }
        try neighbours.exchangeMessages(zone)
        _ = try neighbours.keepOutline(payload, from: 0, on: 1, zone: zone)
        for (index, id) in ids.enumerated() {
            let row = try #require(try neighbours.homes[0].store.message(id))
            let record = try #require(try neighbours.homes[0].store.record(zone: zone, tag: row.tag))
            let deletion = WriteRequest([RecordWrite(name: record.name, delete: true)])
            try neighbours.change(0) { _ = try $0.commit([deletion], zone: zone, in: &$2) }
            try neighbours.settle(zone)
            let intake = try neighbours.change(1) { try Inbox($0).take(in: &$2) }
            #expect(intake.notice.peers?.unwanted ?? [] == (index == 0 ? [] : [payload]))
            #expect(try neighbours.wants(1).count == 1 - index)
        }
        #expect(try neighbours.keepChunk(0, of: payload, from: 0, on: 1, zone: zone) == .unwanted)
        while try Payloads(neighbours.committer(1)).hasToDrop(in: neighbours.homes[1].store) {
            try neighbours.change(1) { _ = try Payloads($0).drop(in: &$2) }
        }
        #expect(try neighbours.homes[1].store.payload(number: 1) == nil)
    }
}

extension PayloadAnswer {
    fileprivate var outline: PayloadOutline? {
        if case .outline(let outline, _, _) = self { outline } else { nil }
    }
}
