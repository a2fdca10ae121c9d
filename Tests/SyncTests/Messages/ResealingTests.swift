import Records
import Sodium
import TestSupport
import Testing
import Wire

@testable import Sync

@Suite struct `Messages that are sealed again` {
    @Test func `are as many in an hour as one device has a share of, and the others follow`() throws {
        var neighbours = try Neighbours([1, 1], envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0, history: .fromJoin)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        try neighbours.exchangeMessages(zone)
        let (share, restCount) = (Int(Resealings.countMax), 14)
        let drafts = (0..<share + restCount).map { Neighbours.draft("message \($0)") }
        try neighbours.change(0) { _ = try SentMessages($0).send(drafts, zone: zone, in: &$2).reply.get() }
        // None of them has arrived where the prekey that they are sealed to is lost.
        try neighbours.loseStore(1, zone: zone, from: 0)
        for _ in 0..<4 { try neighbours.exchangeMessages(zone) }
        #expect(try neighbours.inbox(1).count == share)
        #expect(try neighbours.homes[1].store.failedMessageCount() == restCount)
        let store = neighbours.homes[0].store
        #expect(try store.heldMessages(since: 0...UInt64.max, limit: .max).count == restCount)
        #expect(try !InboxRound(neighbours.committer(0)).isDue(in: store), "nothing is examined until the hour is over")
        for index in 0...1 { neighbours.homes[index].wall += Resealings.hourMilliseconds }
        for _ in 0..<3 { try neighbours.exchangeMessages(zone) }
        #expect(try neighbours.inbox(1).count == share + restCount)
        #expect(try neighbours.homes[0].store.heldMessages(since: 0...UInt64.max, limit: .max).isEmpty)
    }

    /// A store whose program is started anew for each round.
    private struct Counting {
        var store = MemoryStore(feedIdentity: [UInt8](repeating: 1, count: 16))

        /// The number of messages that may be sealed again, of so many for each device.
        mutating func taken(_ count: Int, for devices: Range<Int>, at wall: UInt64) throws -> Int {
            let id = MessageID(zone: Sample.zone(0), tag: RecordTag(digesting: .treeNode, [1]))
            var resealings = Resealings(at: wall)
            var taken = 0
            for device in devices {
                for _ in 0..<count {
                    let isTaken = try resealings.take(id, for: Sample.device(device), in: store)
                    taken += isTaken ? 1 : 0
                }
            }
            #expect(resealings.heldBack.isEmpty == (taken == count * devices.count))
            try resealings.save(in: &store)
            return taken
        }

        mutating func taken(_ count: Int, for device: Int, at wall: UInt64) throws -> Int {
            try taken(count, for: device..<device + 1, at: wall)
        }
    }

    @Test func `are counted for each device and hour, and after a restart too`() throws {
        var counting = Counting()
        let (hour, most) = (Resealings.hourMilliseconds, Int(Resealings.countMax))
        #expect(try counting.taken(100, for: 1, at: hour) == 100)
        #expect(try counting.taken(most, for: 1, at: 2 * hour - 1) == most - 100)
        #expect(try counting.taken(1, for: 1, at: 2 * hour - 1) == 0)
        #expect(try counting.taken(1, for: 2, at: 2 * hour - 1) == 1)
        #expect(try counting.taken(most + 1, for: 1, at: 2 * hour) == most)
        #expect(try counting.taken(1, for: 1, at: hour) == 1, "the clock was turned back")
    }

    @Test func `are for no more devices than are counted in an hour`() throws {
        var counting = Counting()
        let most = Resealings.deviceCountMax
        #expect(try counting.taken(1, for: 0..<most, at: 1) == most)
        #expect(try counting.taken(1, for: most, at: 1) == 0)
        #expect(try counting.taken(1, for: 0, at: 1) == 1)
        #expect(try counting.taken(1, for: most, at: 1 + Resealings.hourMilliseconds) == 1)
    }

    @Test func `wait no longer where the clock was turned back`() throws {
        var neighbours = try Neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        let tag = RecordTag(digesting: .treeNode, [1])
        var row = MessageRow(
            id: MessageID(zone: zone, tag: tag),
            number: 1,
            zone: zone,
            tag: tag,
            place: Dot(actor: Sample.actor(1), counter: 1),
            state: .sent
        )
        let wall = neighbours.homes[0].wall
        for (since, isDue) in [
            (wall, false), (wall - Resealings.hourMilliseconds + 1, false), (wall - Resealings.hourMilliseconds, true),
            (wall + 1, true),
        ] {
            row.heldSince = since
            try neighbours.homes[0].store.save(row)
            let notice = try neighbours.change(0) { try Inbox($0).resumeSealing(in: &$2) }
            #expect((notice.number != nil) == isDue)
            #expect(try neighbours.homes[0].store.message(row.id)?.owesAnswer == isDue)
        }
    }
}
