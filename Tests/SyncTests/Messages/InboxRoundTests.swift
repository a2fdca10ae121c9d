import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `A round of work on messages` {
    private func pair() throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        return (neighbours, zone)
    }

    /// Does rounds as a driver does that was woken once.
    private func work(on index: Int, of neighbours: inout Neighbours) throws {
        var isDue = true
        while isDue {
            let hasMore = try neighbours.change(index) { try InboxRound($0).run(in: &$2) }.hasMore
            isDue = try hasMore && InboxRound(neighbours.committer(index)).isDue(in: neighbours.homes[index].store)
        }
    }

    @Test(arguments: [1, Inbox.chunkCount, Inbox.chunkCount + 44, 2 * Inbox.chunkCount])
    func `answers every message, however many come at once`(count: Int) throws {
        var (neighbours, zone) = try pair()
        let ids = try (0..<count).map { try neighbours.send("message \($0)", on: 0, zone: zone) }
        try neighbours.settle(zone)
        try work(on: 1, of: &neighbours)
        #expect(try neighbours.inbox(1).count == count)
        let (store, committer) = (neighbours.homes[1].store, neighbours.committer(1))
        #expect(try Inbox(committer).zonesOwingAnswers(in: store).isEmpty)
        #expect(try !InboxRound(committer).isDue(in: store), "its own receipts are entered too")
        try neighbours.settle(zone)
        for id in ids { #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered]) }
    }

    @Test func `sends messages in one transaction that enters them, and finishes those that are here`() throws {
        var (neighbours, zone) = try pair()
        try work(on: 0, of: &neighbours)
        let drafts = (0..<3).map { Neighbours.draft("message \($0)") }
        let sent = try neighbours.change(0) { try InboxRound($0).send(drafts, zone: zone, in: &$2) }
        let ids = try sent.value.get().map(\.id)
        #expect(ids.count == 3 && !sent.intake.notice.needsInbox && !sent.intake.hasArrivals)
        try neighbours.settle(zone)
        try work(on: 1, of: &neighbours)
        #expect(try neighbours.inbox(1) == ["message 0", "message 1", "message 2"])
        let unknown = MessageID(zone: zone, tag: RecordTag(digesting: .treeNode, [1]))
        let finished = try neighbours.change(1) { try InboxRound($0).finish(ids + [unknown], in: &$2) }
        #expect(finished.value == [unknown: .unknown(unknown)])
        try neighbours.settle(zone)
        for id in ids { #expect(try neighbours.deliveries(of: id, on: 0) == [.read]) }
    }

    @Test func `names the first of several messages that cannot be sent`() throws {
        var (neighbours, zone) = try pair()
        let large = Neighbours.draft(String(repeating: "x", count: Message.contentByteCountMax + 1))
        let drafts = [Neighbours.draft("small"), large, large]
        let sent = try neighbours.change(0) { try InboxRound($0).send(drafts, zone: zone, in: &$2) }
        let refusal = #expect(throws: SentMessages.Refusal.self) { try sent.value.get() }
        #expect(refusal?.index == 1 && refusal?.reason == .message(.tooLarge) && sent.intake.notice.number == nil)
    }

    @Test func `answers a message in the transaction that finishes it`() throws {
        var (neighbours, zone) = try pair()
        let id = try neighbours.send("hello", on: 0, zone: zone)
        try neighbours.settle(zone)
        try work(on: 1, of: &neighbours)
        let finished = try neighbours.change(1) { try InboxRound($0).finish([id], in: &$2) }.intake
        #expect(finished.notice.number != nil && !finished.hasMore && !finished.notice.needsInbox)
        try neighbours.settle(zone)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.read])
        // Finishing it again, and another round, change nothing.
        #expect(try neighbours.change(1) { try InboxRound($0).finish([id], in: &$2) }.intake.notice.number == nil)
        #expect(try neighbours.change(1) { try InboxRound($0).run(in: &$2) }.notice.number == nil)
    }

    @Test func `looks for answers alone after messages, and for all else in a round of maintenance`() throws {
        var neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0, history: .fromJoin)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        try neighbours.exchangeMessages(zone)
        _ = try neighbours.send("hello", on: 0, zone: zone)
        try neighbours.settle(zone)
        try work(on: 1, of: &neighbours)
        let first = try neighbours.homes[1].store.presentPrekey(zone: zone)
        #expect(first?.state == .used)
        for index in 0...1 { neighbours.homes[index].wall += Prekeys.presentMilliseconds }
        _ = try neighbours.send("a day later", on: 0, zone: zone)
        try neighbours.settle(zone)
        let taken = try neighbours.change(1) { try InboxRound($0).run(.messages, in: &$2) }
        #expect(taken.messageCount == 1 && !taken.hasMore && !taken.notice.needsInbox)
        let (round, store) = (InboxRound(neighbours.committer(1)), neighbours.homes[1].store)
        #expect(try round.steps(.messages, in: store).isEmpty && !round.isDue(.messages, in: store))
        #expect(try round.steps(in: store) == [.statePrekeys(zone)])
        #expect(try store.presentPrekey(zone: zone) == first)
        try work(on: 1, of: &neighbours)
        #expect(try neighbours.homes[1].store.presentPrekey(zone: zone)?.id != first?.id)
    }

    @Test func `says that the first message of a zone makes a prekey due for its sender`() throws {
        var (neighbours, zone) = try pair()
        try work(on: 0, of: &neighbours)
        let first = try neighbours.change(0) { try InboxRound($0).send([Neighbours.draft("a")], zone: zone, in: &$2) }
        #expect(first.intake.makesPrekeyDue)
        try work(on: 0, of: &neighbours)
        let other = try neighbours.change(0) { try InboxRound($0).send([Neighbours.draft("b")], zone: zone, in: &$2) }
        #expect(!other.intake.makesPrekeyDue)
    }

    @Test func `leaves a message that another part of the transaction writes later to the next round`() throws {
        var (neighbours, zone) = try pair()
        _ = try neighbours.send("hello", on: 0, zone: zone)
        try neighbours.settle(zone)
        var notice = try neighbours.change(1) { try InboxRound($0).run(in: &$2) }.notice
        #expect(!notice.needsInbox)
        notice.merge(CommitNotice(number: notice.number, feed: .messages))
        #expect(notice.needsInbox)
    }
}
