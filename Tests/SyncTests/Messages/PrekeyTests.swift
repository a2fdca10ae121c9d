import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// Keys that messages are sealed to for a day.
@Suite struct `A prekey` {
    private static let day = Prekeys.presentMilliseconds

    /// A zone of the first device in which all others write, and in which messages were sent before.
    private func shared(
        _ counts: [Int] = [1, 1],
        history: ZoneHistory = .fromJoin
    ) throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours(counts, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0, history: history)
        for account in 1..<neighbours.logs.count { _ = try neighbours.grant(.write, to: account, by: 0, zone: zone) }
        try neighbours.settle(zone)
        try neighbours.exchangeMessages(zone)
        return (neighbours, zone)
    }

    private func pass(_ milliseconds: UInt64, _ neighbours: inout Neighbours) {
        for index in neighbours.homes.indices { neighbours.homes[index].wall += milliseconds }
    }

    private func present(_ neighbours: Neighbours, _ zone: ZoneID, on index: Int) throws -> PrekeyID? {
        try neighbours.homes[index].store.presentPrekey(zone: zone)?.id
    }

    /// Returns the devices for which a message was sealed to a certificate's key.
    private func unprotected(_ id: MessageID, _ neighbours: Neighbours, on index: Int) throws -> [DeviceID] {
        let store = neighbours.homes[index].store
        let row = try #require(try store.message(id))
        return try #require(try MessageRecords(neighbours.committer(index)).message(of: row, in: store))
            .devicesWithoutPrekey
    }

    private func state(_ id: MessageID, _ neighbours: Neighbours, on index: Int) throws -> MessageRow.State? {
        try neighbours.homes[index].store.message(id)?.state
    }

    @Test func `is the key to which messages are sealed, in zones with history from join`() throws {
        var (neighbours, zone) = try shared()
        let id = try neighbours.send("hello", on: 0, zone: zone)
        #expect(try unprotected(id, neighbours, on: 0) == [])
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["hello"] && neighbours.deliveries(of: id, on: 0) == [.delivered])
        for row in neighbours.homes[0].store.allRecords(zone: zone) {
            #expect(!row.body.contains(Array("hello".utf8)))
        }
    }

    @Test func `is stated in another zone with the first message, and protects later messages to some accounts`() throws
    {
        var (neighbours, zone) = try shared(history: .full)
        #expect(try present(neighbours, zone, on: 1) == nil)
        let other = neighbours.account(1)
        let first = try neighbours.send("one", to: [other], on: 0, zone: zone)
        #expect(try unprotected(first, neighbours, on: 0).count == 2)
        try neighbours.exchangeMessages(zone)
        let second = try neighbours.send("two", to: [other], on: 0, zone: zone)
        #expect(try unprotected(second, neighbours, on: 0) == [])
        let third = try neighbours.send("to all, as every record", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["one", "two", "to all, as every record"])
        for id in [first, second, third] { #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered]) }
    }

    @Test func `is followed by another a day after it was used, and stays as long as it was not`() throws {
        var (neighbours, zone) = try shared()
        let first = try #require(try present(neighbours, zone, on: 1))
        pass(2 * Self.day, &neighbours)
        try neighbours.exchangeMessages(zone)
        #expect(try present(neighbours, zone, on: 1) == first)
        _ = try neighbours.send("used", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let second = try #require(try present(neighbours, zone, on: 1))
        #expect(second != first)
        _ = try neighbours.send("used too", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try present(neighbours, zone, on: 1) == second, "not before a day has passed")
        pass(Self.day, &neighbours)
        try neighbours.exchangeMessages(zone)
        #expect(try present(neighbours, zone, on: 1) != second)
        #expect(try neighbours.inbox(1) == ["used", "used too"])
    }

    @Test func `is deleted after 37 days, and then messages sealed to it cannot be opened from their bytes`() throws {
        var (neighbours, zone) = try shared()
        let id = try neighbours.send("for once", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let used = try #require(try present(neighbours, zone, on: 1))
        pass(Self.day, &neighbours)
        try neighbours.exchangeMessages(zone)
        pass(Prekeys.retentionMilliseconds - 1 + ClockWitnesses.marginMilliseconds, &neighbours)
        #expect(try neighbours.change(1) { try Prekeys($0).drop(in: &$2) }.number == nil)
        neighbours.homes[1].witnesses = ClockWitnesses(count: 2, median: .max)
        #expect(try neighbours.change(1) { try Prekeys($0).drop(in: &$2) }.number == nil)
        pass(1, &neighbours)
        #expect(try neighbours.change(1) { try Prekeys($0).drop(in: &$2) }.number != nil)
        #expect(try neighbours.homes[1].store.prekey(used) == nil)
        // It was opened when it came, and waits on.
        #expect(try neighbours.inbox(1) == ["for once"])
        // An attacker with the device's keys and everything that was ever sent, but not its store.
        try neighbours.loseStore(1, zone: zone, from: 0)
        try neighbours.pull(zone, from: 0, to: 1)
        while try neighbours.change(1, { try Inbox($0).take(in: &$2) }).hasMore {}
        #expect(try state(id, neighbours, on: 1) == .failed && neighbours.content(of: id, on: 1) == nil)
    }

    @Test func `is due to be deleted after 37 days, and is deleted by the round of work that this makes due`() throws {
        var (neighbours, zone) = try shared()
        _ = try neighbours.send("for once", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let used = try #require(try present(neighbours, zone, on: 1))
        pass(Self.day, &neighbours)
        try neighbours.exchangeMessages(zone)
        neighbours.homes[1].witnesses = ClockWitnesses(count: 2, median: .max)
        pass(Prekeys.retentionMilliseconds - 1 + ClockWitnesses.marginMilliseconds, &neighbours)
        #expect(try InboxRound(neighbours.committer(1)).steps(in: neighbours.homes[1].store).isEmpty)
        pass(1, &neighbours)
        #expect(try InboxRound(neighbours.committer(1)).steps(in: neighbours.homes[1].store) == [.dropPrekeys])
        #expect(try neighbours.change(1) { try InboxRound($0).run(in: &$2) }.notice.number != nil)
        #expect(try neighbours.homes[1].store.prekey(used) == nil)
        #expect(try !InboxRound(neighbours.committer(1)).isDue(in: neighbours.homes[1].store))
    }

    @Test func `that was lost is replaced, and messages sealed to it are sealed again`() throws {
        var (neighbours, zone) = try shared([1, 2])
        let id = try neighbours.send("once more", on: 0, zone: zone)
        try neighbours.settle(zone)
        try neighbours.settleInbox(2)
        let before = try present(neighbours, zone, on: 1)
        try neighbours.loseStore(1, zone: zone, from: 0)
        try neighbours.settle(zone)
        try neighbours.settleInbox(1)
        #expect(try state(id, neighbours, on: 1) == .failed && neighbours.inbox(1).isEmpty)
        let number = try neighbours.homes[1].store.message(id)?.number
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.homes[1].store.message(id)?.number != number, "it comes behind what came meanwhile")
        #expect(try present(neighbours, zone, on: 1) != before)
        #expect(try neighbours.inbox(1) == ["once more"] && neighbours.inbox(2) == ["once more"])
        try neighbours.finish(id, on: 1)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.deliveries(of: id, on: 0).sorted { $0.rawValue < $1.rawValue } == [.delivered, .read])
        #expect(try unprotected(id, neighbours, on: 0) == [])
    }

    @Test func `that was lost is replaced by the round that reports a message sealed to it`() throws {
        var (neighbours, zone) = try shared()
        let id = try neighbours.send("once more", on: 0, zone: zone)
        try neighbours.loseStore(1, zone: zone, from: 0)
        try neighbours.pull(zone, from: 0, to: 1)
        while try neighbours.change(1, { try InboxRound($0).run(.messages, in: &$2) }).hasMore {}
        #expect(try state(id, neighbours, on: 1) == .failed && present(neighbours, zone, on: 1) != nil)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["once more"])
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered])
    }

    @Test func `that was lost is replaced for messages of a member that may write messages and no receipts`() throws {
        var neighbours = try Neighbours([1, 1, 1], envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0, history: .fromJoin)
        let caveats = Caveats(recordTypes: [ReservedType.message])
        _ = try neighbours.grant(.write, to: 1, by: 0, caveats: caveats, zone: zone)
        _ = try neighbours.grant(.write, to: 2, by: 0, zone: zone)
        try neighbours.settle(zone)
        try neighbours.exchangeMessages(zone)
        let id = try neighbours.send("once more", on: 1, zone: zone)
        let answered = try neighbours.send("from the owner", on: 0, zone: zone)
        try neighbours.settle(zone)
        try neighbours.loseStore(2, zone: zone, from: 0)
        try neighbours.settle(zone)
        try neighbours.settleInbox(2)
        #expect(try state(id, neighbours, on: 2) == .failed && neighbours.inbox(2).isEmpty)
        for _ in 0..<2 { try neighbours.exchangeMessages(zone) }
        #expect(try Set(neighbours.inbox(2)) == ["once more", "from the owner"])
        // Its own receipt stays owed, until its right covers receipts.
        #expect(try neighbours.inbox(1) == ["from the owner"])
        let store = neighbours.homes[1].store
        #expect(try store.messagesOwingAnswers(zone: zone, onlySent: false, limit: 9).map(\.id) == [answered])
        #expect(try Inbox(neighbours.committer(1)).zonesOwingAnswers(in: store).isEmpty)
    }

    @Test func `that was lost is followed by one other, however many messages were sealed to it`() throws {
        var (neighbours, zone) = try shared([1, 1, 1])
        _ = try neighbours.send("from the first", on: 0, zone: zone)
        _ = try neighbours.send("from the third", on: 2, zone: zone)
        try neighbours.loseStore(1, zone: zone, from: 0)
        try neighbours.pull(zone, from: 0, to: 1)
        try neighbours.settleInbox(1)
        let next = try #require(try present(neighbours, zone, on: 1))
        try neighbours.pull(zone, from: 2, to: 1)
        try neighbours.settleInbox(1)
        #expect(try neighbours.homes[1].store.failedMessageCount() == 2)
        for _ in 0..<2 { try neighbours.exchangeMessages(zone) }
        #expect(try present(neighbours, zone, on: 1) == next)
        #expect(try Set(neighbours.inbox(1)) == ["from the first", "from the third"])
    }

    @Test func `that was rolled back is replaced before a sender learns of messages that cannot be opened`() throws {
        var (neighbours, zone) = try shared()
        let early = neighbours.homes[1].store
        _ = try neighbours.send("used", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        pass(Self.day, &neighbours)
        try neighbours.exchangeMessages(zone)
        let lost = try present(neighbours, zone, on: 1)
        _ = try neighbours.send("to the one that is lost", on: 0, zone: zone)
        let keyring = neighbours.homes[1].store.keyring
        neighbours.homes[1].store = early
        neighbours.homes[1].store.keyring = keyring
        try neighbours.renewLifetime(1)
        #expect(try present(neighbours, zone, on: 1) != lost)
        // The sender's records come first, this device's own ones come back later.
        for _ in 0..<2 { try neighbours.exchangeMessages(zone) }
        #expect(try Set(neighbours.inbox(1)).isSuperset(of: ["to the one that is lost"]))
        #expect(try neighbours.homes[1].store.failedMessageCount() == 0)
    }

    @Test func `that was lost is reported once, without endless requests and answers`() throws {
        var (neighbours, zone) = try shared()
        let id = try neighbours.send("gone", on: 0, zone: zone)
        try neighbours.loseStore(1, zone: zone, from: 0)
        // The sender has lost the key that the message was sealed under, too.
        try neighbours.pull(zone, from: 0, to: 1)
        try neighbours.loseStore(0, zone: zone, from: 1)
        for _ in 0..<3 { try neighbours.exchangeMessages(zone) }
        #expect(try state(id, neighbours, on: 1) == .failed)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.failed])
        let operations = try (0...1).map { try neighbours.homes[$0].store.logs(zone: zone).map(\.size).reduce(0, +) }
        pass(2 * 60 * 60 * 1_000, &neighbours)
        try neighbours.exchangeMessages(zone)
        #expect(
            try (0...1).map { try neighbours.homes[$0].store.logs(zone: zone).map(\.size).reduce(0, +) } == operations
        )
        #expect(try neighbours.homes[1].store.failedMessageCount() == 1)
        // And messages that are sent from now on arrive.
        _ = try neighbours.send("here", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["here"])
    }

    @Test func `lets a message come to a device that had no key when it was sent`() throws {
        var (neighbours, zone) = try shared([1, 2], history: .full)
        try neighbours.restate([1, 2, 3], on: 2, issued: 2)
        let id = try neighbours.send("later", to: [neighbours.account(1)], on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["later"] && state(id, neighbours, on: 2) != .waiting)
        try neighbours.restate(nil, on: 2, issued: 3)
        try neighbours.change(0) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        for _ in 0..<2 { try neighbours.exchangeMessages(zone) }
        #expect(try neighbours.inbox(2) == ["later"])
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered, .delivered])
    }

    @Test func `is stated in a record that another member has made before, with another type`() throws {
        var (neighbours, zone) = try shared([1, 1, 1], history: .full)
        let name = Prekey.name(of: neighbours.homes[1].keys.deviceID)
        try neighbours.write(name, ["key": .bytes([1])], type: "note", on: 2, zone: zone)
        try neighbours.settle(zone)
        _ = try neighbours.send("makes prekeys due", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let id = try neighbours.send("to the prekey", to: [neighbours.account(1)], on: 0, zone: zone)
        #expect(try unprotected(id, neighbours, on: 0) == [])
    }

    @Test func `that another device has changed is void, and is restated after an hour`() throws {
        var (neighbours, zone) = try shared([1, 1, 1])
        let name = "prekey/" + neighbours.homes[1].keys.deviceID.text
        try neighbours.write(name, ["key": .bytes([1, 2, 3])], type: "kairan.prekey", on: 2, zone: zone)
        try neighbours.exchangeMessages(zone)
        let first = try neighbours.send("to the certificate", on: 0, zone: zone)
        #expect(try unprotected(first, neighbours, on: 0) == [neighbours.homes[1].keys.deviceID])
        try neighbours.exchangeMessages(zone)
        pass(60 * 60 * 1_000, &neighbours)
        try neighbours.exchangeMessages(zone)
        let second = try neighbours.send("to the prekey", on: 0, zone: zone)
        #expect(try unprotected(second, neighbours, on: 0) == [])
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["to the certificate", "to the prekey"])
    }
}
