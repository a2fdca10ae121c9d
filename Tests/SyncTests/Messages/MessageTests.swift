import Identity
import Records
import TestSupport
import Testing
import Wire

@testable import Sync

@Suite struct `A message` {
    private func neighbours(_ counts: [Int] = [1, 1], seed: UInt64 = 1) throws -> Neighbours {
        try Neighbours(counts, seed: seed, envelopes: BoxEnvelopes())
    }

    /// A zone of the first device in which all others may do something.
    private func shared(_ neighbours: inout Neighbours, _ level: AccessLevel = .write) throws -> ZoneID {
        let zone = try neighbours.zone(of: 0)
        for account in 1..<neighbours.logs.count { _ = try neighbours.grant(level, to: account, by: 0, zone: zone) }
        try neighbours.settle(zone)
        return zone
    }

    @Test func `waits at its recipient until it is finished, and its sender sees how far it came`() throws {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours)
        let id = try neighbours.send("hello", on: 0, zone: zone)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.queued])
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["hello"] && neighbours.inbox(0).isEmpty)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered])
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["hello"])
        try neighbours.finish(id, on: 1)
        #expect(try neighbours.inbox(1).isEmpty)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.read])
        #expect(try neighbours.inbox(1).isEmpty)
        // Finishing it again is no mistake, and writes nothing new.
        #expect(try neighbours.change(1) { try Inbox($0).finish([id], in: &$2) }.notice.number == nil)
    }

    @Test func `for one account is read on its devices and the sender's, and nowhere else`() throws {
        var neighbours = try neighbours([2, 2, 1])
        let zone = try shared(&neighbours)
        let account = neighbours.account(1)
        let id = try neighbours.send("a secret between us", to: [account], on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(2) == ["a secret between us"] && neighbours.inbox(3) == ["a secret between us"])
        #expect(try neighbours.content(of: id, on: 1) == "a secret between us" && neighbours.inbox(1).isEmpty)
        #expect(try neighbours.content(of: id, on: 4) == nil && neighbours.inbox(4).isEmpty)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered, .delivered])
        for row in neighbours.homes[4].store.allRecords(zone: zone) {
            #expect(!row.body.contains(Array("a secret between us".utf8)))
        }
    }

    @Test func `is refused when it has no other recipient, when it is for a stranger, or too large`() throws {
        var neighbours = try neighbours([1, 1, 1])
        let zone = try neighbours.zone(of: 0)
        #expect(try neighbours.refusal(of: "alone", on: 0, zone: zone) == .noRecipient)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        let stranger = neighbours.account(2)
        #expect(try neighbours.refusal(of: "to a stranger", to: [stranger], on: 0, zone: zone) == .notMember(stranger))
        let large = String(repeating: "x", count: Message.contentByteCountMax + 1)
        #expect(try neighbours.refusal(of: large, on: 0, zone: zone) == .tooLarge)
        _ = try neighbours.send(String(large.dropLast()), on: 0, zone: zone)
        // A device that states no key could never open a message for its account alone.
        try neighbours.restate([1], on: 1, issued: 2)
        let other = neighbours.account(1)
        #expect(try neighbours.refusal(of: "sealed to nobody", to: [other], on: 0, zone: zone) == .noRecipient)
    }

    @Test func `replaces only an earlier one of the same account`() throws {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours)
        let id = try neighbours.send("helo", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        _ = try neighbours.send("hello", about: .init(relation: .edit, id: id), on: 0, zone: zone)
        _ = try neighbours.send("👍", about: .init(relation: .reaction, id: id), on: 1, zone: zone)
        let edit = Message.Reference(relation: .edit, id: id)
        #expect(try neighbours.refusal(of: "goodbye", about: edit, on: 1, zone: zone) == .notOwn(id))
        // A message that a modified daemon sends all the same is ignored.
        try neighbours.write(
            "message/forged",
            [
                "sender": .string(neighbours.homes[1].keys.deviceID.text), "sent_at": .date(milliseconds: 1),
                "content_type": .string("text/plain"), "content": .string("goodbye"), "edits": .string(id.text),
                "signature": Neighbours.unchecked,
            ],
            on: 1,
            zone: zone
        )
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["helo", "hello"] && neighbours.inbox(0) == ["👍"])
    }

    @Test func `has its author as sender only, and is void when another account writes in it`()
        throws
    {
        var neighbours = try neighbours([1, 1, 1])
        let zone = try shared(&neighbours)
        let fields: [String: FieldValue] = [
            "sender": .string(neighbours.homes[0].keys.deviceID.text), "sent_at": .date(milliseconds: 1),
            "content_type": .string("text/plain"), "content": .string("I owe you everything"),
            "signature": Neighbours.unchecked,
        ]
        try neighbours.write("message/forged", fields, on: 1, zone: zone)
        let id = try neighbours.send("as it was said", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(2) == ["as it was said"])
        let row = try #require(try neighbours.homes[2].store.message(id))
        let record = try #require(try neighbours.homes[2].store.record(zone: zone, tag: row.tag))
        let set = [FieldAssignment(field: "content", value: .string("otherwise"))]
        let program = RecordWrite(name: record.name, set: set)
        let refused = try neighbours.change(1) { try $0.commit([WriteRequest([program])], zone: zone, in: &$2).reply }
        #expect(refused.results[0][0] == .failure(.typeMismatch(current: "kairan.message")))
        let change = RecordWrite(name: record.name, type: record.type, set: set)
        try neighbours.change(1) { _ = try $0.commit([WriteRequest([change])], zone: zone, in: &$2) }
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.content(of: id, on: 2) == nil)
    }

    @Test func `is hidden while its sender's right has ended before it, and then comes behind all others`() throws {
        var neighbours = try neighbours([1, 1, 1])
        let zone = try neighbours.zone(of: 0)
        let right = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        _ = try neighbours.grant(.write, to: 2, by: 0, zone: zone)
        try neighbours.settle(zone)
        let id = try neighbours.send("too late", to: [neighbours.account(2)], on: 1, zone: zone)
        try neighbours.exchangeMessages(zone, among: [1, 2])
        #expect(try neighbours.inbox(2) == ["too late"])
        let secret = try #require(try neighbours.homes[2].store.message(id)?.secret)
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "", in: &$2) }
        try neighbours.exchangeMessages(zone, among: [0, 2])
        let hidden = try #require(try neighbours.homes[2].store.message(id))
        #expect(hidden.state == .hidden && hidden.secret == secret)
        _ = try neighbours.send("meanwhile", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone, among: [0, 2])
        try neighbours.pull(zone, from: 0, to: 1)
        try neighbours.deposit(zone, from: 1, to: 0)
        try neighbours.change(0) { _ = try ZoneSharing($0).raiseCut(of: right, zone: zone, in: &$2) }
        try neighbours.exchangeMessages(zone, among: [0, 2])
        #expect(try neighbours.inbox(2) == ["meanwhile", "too late"])
    }

    @Test func `is delivered and confirmed however long its name is`() throws {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours)
        let fields: [String: FieldValue] = [
            "sender": .string(neighbours.homes[0].keys.deviceID.text), "sent_at": .date(milliseconds: 1),
            "content_type": .string("text/plain"), "content": .string("a long name"),
            "signature": Neighbours.unchecked,
        ]
        let name = "message/" + String(repeating: "x", count: 240)
        try neighbours.write(name, fields, on: 0, zone: zone)
        _ = try neighbours.send("and another", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["a long name", "and another"])
        let tag = try RecordTag(of: name, zone: zone, in: neighbours.homes[1].store)
        let id = MessageID(zone: zone, tag: tag)
        try neighbours.finish(id, on: 1)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["and another"])
        #expect(try neighbours.homes[1].store.messagesOwingAnswers(zone: zone, onlySent: false, limit: 9).isEmpty)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.read])
    }

    @Test func `is none with more bytes, or for more accounts, than one may have`() throws {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours)
        let accounts = (0...Message.recipientCountMax).map { number in
            FieldValue.string(AccountID(Digest32(word0: UInt64(number), word1: 0, word2: 0, word3: 0)).text)
        }
        for (number, surplus) in [0, 1].enumerated() {
            let text = String(repeating: "x", count: Message.contentByteCountMax + surplus)
            let fields: [String: FieldValue] = [
                "sender": .string(neighbours.homes[0].keys.deviceID.text), "sent_at": .date(milliseconds: 1),
                "content_type": .string("text/plain"), "content": .string(text),
                "signature": Neighbours.unchecked,
            ]
            try neighbours.write("message/large\(number)", fields, on: 0, zone: zone)
            var many = fields
            many["content"] = .string("to many")
            many["to"] = .list(Array(accounts.prefix(Message.recipientCountMax + surplus)))
            try neighbours.write("message/many\(number)", many, on: 0, zone: zone)
        }
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1).map(\.utf8.count) == [Message.contentByteCountMax])
        #expect(try neighbours.homes[1].store.messages(zone: zone, after: 0, limit: 9).map(\.state).count == 2)
    }

    @Test func `cannot be confirmed in the name of another account`() throws {
        var neighbours = try neighbours([1, 1, 1])
        let zone = try shared(&neighbours)
        let id = try neighbours.send("hello", on: 0, zone: zone)
        try neighbours.exchange(zone)
        let row = try #require(try neighbours.homes[0].store.message(id))
        let writer = try neighbours.committer(2).author(in: zone, neighbours.homes[2].store).actor
        let name = ReceiptName(writer: writer, section: ReceiptSection(of: row.place))
        let tag = try RecordTag(of: name.text, zone: zone, in: neighbours.homes[1].store)
        let forged = MessageReceipts.write(
            [row.subject: .read],
            named: name,
            in: StatementPlace(zone: zone, tag: tag),
            signedBy: neighbours.homes[1].keys
        )
        let fields = Dictionary(uniqueKeysWithValues: forged.set.map { ($0.field, $0.value) })
        try neighbours.write(name.text, fields, type: "kairan.receipt", on: 1, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.queued, .queued])
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(2) == ["hello"])
        try neighbours.finish(id, on: 2)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.deliveries(of: id, on: 0).filter { $0 == .read }.count == 1)
    }

    @Test func `that was sent before an account could read the zone is readable, and waits for no receipt of it`()
        throws
    {
        var neighbours = try neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        _ = try neighbours.send("to those who are there", on: 0, zone: zone)
        let late = try neighbours.enter(account: 1)
        try neighbours.join(zone, on: late, from: 0)
        try neighbours.change(0) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        try neighbours.settle(zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["to those who are there"] && neighbours.inbox(late).isEmpty)
        #expect(try neighbours.homes[late].store.messages(zone: zone, after: 0, limit: 9).map(\.state) == [.earlier])
        let id = try neighbours.send("to all", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(late) == ["to all"])
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered, .delivered])
    }

    @Test(arguments: [3 * 3_600_000, 25 * 31_557_600_000] as [UInt64])
    func `waits for accounts that joined before it was sent, however late its sender's clock is`(late: UInt64) throws {
        var neighbours = try neighbours([2, 1])
        for index in neighbours.homes.indices { neighbours.homes[index].wall = 1_795_600_000_000 }
        neighbours.homes[1].wall -= late
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        let id = try neighbours.send("are you there", on: 1, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(0) == ["are you there"] && neighbours.inbox(2) == ["are you there"])
        #expect(try neighbours.deliveries(of: id, on: 1) == [.delivered, .delivered])
    }

    @Test func `that is over by a clock that is wrong is hidden there, and lost nowhere`() throws {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours)
        let wall = neighbours.homes[0].wall
        let sent = try neighbours.send("sent before", expires: wall + 3_600_000, on: 1, zone: zone)
        let waiting = try neighbours.send("came before", expires: wall + 3_600_000, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        // The clock of one is ahead, and a liar reports the same time; a second one does not.
        neighbours.homes[1].wall += 7_200_000
        let late = try neighbours.send("came meanwhile", expires: wall + 3_600_000, on: 0, zone: zone)
        for witnesses in [
            ClockWitnesses.none, ClockWitnesses(count: 1, median: wall + 7_200_000),
            ClockWitnesses(count: 3, median: wall),
        ] {
            neighbours.homes[1].witnesses = witnesses
            try neighbours.exchangeMessages(zone)
            #expect(try neighbours.change(1) { try Inbox($0).dropExpired(in: &$2) }.number == nil)
        }
        neighbours.homes[1].wall = wall
        #expect(try neighbours.inbox(1).sorted() == ["came before", "came meanwhile"])
        #expect(try neighbours.inbox(0) == ["sent before"])
        for id in [sent, waiting, late] { #expect(try neighbours.content(of: id, on: 1) != nil) }
    }

    @Test func `is delivered to an account with read rights, which cannot confirm it`() throws {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours, .read)
        let id = try neighbours.send("hello", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["hello"])
        try neighbours.finish(id, on: 1)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1).isEmpty)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.unconfirmed])
    }

    @Test func `is confirmed by an account that may only append`() throws {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours, .append)
        let id = try neighbours.send("hello", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["hello"])
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered])
        try neighbours.finish(id, on: 1)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.read], "it may change its own receipt")
    }

    @Test func `is gone everywhere when its time is over`() throws {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours)
        let wall = neighbours.homes[0].wall
        let id = try neighbours.send("for a minute", expires: wall + 60_000, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["for a minute"])
        for index in [0, 1] {
            neighbours.homes[index].wall += 60_000
            // Whether that is so is confirmed by others.
            #expect(try neighbours.change(index) { try Inbox($0).dropExpired(in: &$2) }.number == nil)
            neighbours.homes[index].wall += ClockWitnesses.marginMilliseconds
            neighbours.homes[index].witnesses = ClockWitnesses(count: 2, median: neighbours.homes[index].wall)
            #expect(try neighbours.change(index) { try Inbox($0).dropExpired(in: &$2) }.number != nil)
            #expect(try neighbours.change(index) { try Inbox($0).dropExpired(in: &$2) }.number == nil)
            #expect(try neighbours.homes[index].store.message(id) == nil)
        }
        try neighbours.exchangeMessages(zone)
        for index in [0, 1] {
            let left = neighbours.homes[index].store.allRecords(zone: zone).filter { !$0.isDeleted }.map(\.type)
            #expect(left.allSatisfy { $0 != ReservedType.message }, "keys and receipts are left")
            #expect(try neighbours.homes[index].store.messages(zone: zone, after: 0, limit: 9).isEmpty)
        }
    }

    @Test(arguments: [(AccessLevel.write, [ReservedType.message], 1), (.append, [], 1), (.write, [], 0)])
    func `is gone everywhere, with the records that are anchored to it where its sender may delete these`(
        level: AccessLevel,
        types: [String],
        leftCount: Int
    ) throws {
        var neighbours = try neighbours()
        let zone = try neighbours.zone(of: 0)
        let caveats = Caveats(recordTypes: types)
        _ = try neighbours.grant(level, to: 1, by: 0, caveats: caveats, zone: zone)
        try neighbours.settle(zone)
        let end = neighbours.homes[1].wall + 60_000
        let answered = try neighbours.send("answered", expires: end, on: 1, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(0) == ["answered"])
        let row = try #require(try neighbours.homes[0].store.message(answered))
        let record = try #require(try neighbours.homes[0].store.record(zone: zone, tag: row.tag))
        try neighbours.write("note", ["about": .anchor(record: record.name)], type: "note", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let other = try neighbours.send("not answered", expires: end, on: 1, zone: zone)
        for index in [0, 1] { neighbours.homes[index].wall = end + ClockWitnesses.marginMilliseconds }
        neighbours.homes[1].witnesses = ClockWitnesses(count: 2, median: neighbours.homes[1].wall)
        #expect(try neighbours.change(1) { try Inbox($0).dropExpired(in: &$2) }.number != nil)
        try neighbours.exchangeMessages(zone)
        for index in [0, 1] {
            let store = neighbours.homes[index].store
            let left = store.allRecords(zone: zone).filter { !$0.isDeleted }.map(\.type)
            #expect(!left.contains(ReservedType.message), "device \(index)")
            #expect(left.count { $0 == ReservedType.receipt } == 1, "device \(index)")
            #expect(left.count { $0 == "note" } == leftCount, "device \(index)")
            for id in [answered, other] { #expect(try store.message(id) == nil, "device \(index)") }
        }
    }

    @Test func `that was finished does not come again to a store that was lost`() throws {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours)
        let (first, second) = (
            try neighbours.send("finished", on: 0, zone: zone), try neighbours.send("not yet", on: 0, zone: zone)
        )
        try neighbours.exchangeMessages(zone)
        try neighbours.finish(first, on: 1)
        try neighbours.exchangeMessages(zone)
        try neighbours.loseStore(1, zone: zone, from: 0)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["not yet"])
        try neighbours.finish(second, on: 1)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.deliveries(of: second, on: 0) == [.read])
        #expect(try neighbours.inbox(1).isEmpty)
    }

    @Test func `that was finished is not delivered by a rolled-back store, once it has learned of that`() throws {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours)
        let id = try neighbours.send("once", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let image = neighbours.homes[1].store
        try neighbours.finish(id, on: 1)
        try neighbours.exchangeMessages(zone)
        neighbours.homes[1].store = image
        try neighbours.renewLifetime(1)
        #expect(try neighbours.inbox(1) == ["once"])
        try neighbours.pull(zone, from: 0, to: 1)
        #expect(try neighbours.inbox(1).isEmpty, "before anything was entered")
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1).isEmpty)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.read])
    }

    @Test
    func `that was read stays read for its sender, whatever a rolled-back store states`()
        throws
    {
        var neighbours = try neighbours()
        let zone = try shared(&neighbours)
        try neighbours.exchange(zone)
        let image = neighbours.homes[1].store
        let id = try neighbours.send("once", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        try neighbours.finish(id, on: 1)
        try neighbours.exchangeMessages(zone)
        neighbours.homes[1].store = image
        try neighbours.renewLifetime(1)
        // It gets the message, and not yet its own receipt.
        let author = neighbours.homes[0].keys.deviceID
        let rows = try neighbours.homes[0].store.logs(zone: zone).filter { $0.device == author && $0.key.lane == .data }
        for row in rows {
            let from = try neighbours.homes[1].store.log(row.key)?.heldSize ?? 0
            let run = try RunExchange(neighbours.committer(0)).run(
                row.key,
                from: from,
                byteCount: 1 << 20,
                in: neighbours.homes[0].store
            )
            _ = neighbours.apply(try #require(run), on: 1)
        }
        try neighbours.settleInbox(1)
        #expect(try neighbours.inbox(1) == ["once"])
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.read])
        #expect(try neighbours.inbox(1).isEmpty)
    }

    @Test(arguments: 1...20)
    func `is delivered until it is finished and never again, in any order of events`(seed: UInt64) throws {
        var neighbours = try neighbours([2, 1, 1], seed: seed)
        var dice = SeededGenerator(seed: seed &* 104_729)
        let zone = try shared(&neighbours)
        var sent: [String: (id: MessageID, by: Int)] = [:]
        var finished: [Set<String>] = neighbours.homes.map { _ in [] }
        for step in 0..<60 {
            let index = Int.random(in: 0..<4, using: &dice)
            switch Int.random(in: 0..<6, using: &dice) {
            case 0:
                sent["m\(step)"] = (try neighbours.send("m\(step)", on: index, zone: zone), index)
            case 1, 2:
                let from = Int.random(in: 0..<4, using: &dice)
                if from != index { try neighbours.pull(zone, from: from, to: index) }
            case 3:
                _ = try neighbours.change(index) { try Inbox($0).take(in: &$2) }
            case 4:
                // Work that was not committed is done again.
                let before = neighbours.homes[index].store
                _ = try neighbours.change(index) { try Inbox($0).take(in: &$2) }
                neighbours.homes[index].store = before
            default:
                guard let text = try neighbours.inbox(index).randomElement(using: &dice), let message = sent[text]
                else {
                    continue
                }
                #expect(!finished[index].contains(text), "seed \(seed), step \(step): \(text) came again")
                finished[index].insert(text)
                try neighbours.finish(message.id, on: index)
            }
        }
        try neighbours.exchangeMessages(zone)
        for index in neighbours.homes.indices {
            let foreign = Set(sent.filter { $0.value.by != index }.keys)
            let waiting = try neighbours.inbox(index)
            #expect(Set(waiting).count == waiting.count, "seed \(seed), device \(index)")
            #expect(Set(waiting) == foreign.subtracting(finished[index]), "seed \(seed), device \(index)")
        }
        for (text, message) in sent {
            let states = try neighbours.deliveries(of: message.id, on: message.by)
            let read = neighbours.homes.indices.filter { finished[$0].contains(text) }.count
            #expect(states.count == 3 && states.filter { $0 == .read }.count == read, "seed \(seed), \(text)")
            #expect(states.allSatisfy { $0 == .read || $0 == .delivered }, "seed \(seed), \(text)")
        }
    }
}
