import Identity
import Records
import TestSupport
import Testing
import Wire

@testable import Sync

/// A member that may write, and states records with values of its own under the dots of another device.
@Suite struct `A member with a modified program` {
    /// A zone of the first device, which sends, in which a recipient and a liar may write.
    private func shared(history: ZoneHistory = .full) throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours([1, 1, 1], envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0, history: history)
        for account in 1...2 { _ = try neighbours.grant(.write, to: account, by: 0, zone: zone) }
        try neighbours.settle(zone)
        try neighbours.exchangeMessages(zone)
        return (neighbours, zone)
    }

    /// The record of a message, as a device has it.
    private func stored(_ id: MessageID, _ neighbours: Neighbours, on index: Int) throws -> RecordRow {
        let store = neighbours.homes[index].store
        let rows = try store.zones().flatMap { store.allRecords(zone: $0.id) }
        return try #require(rows.first { MessageID(zone: $0.zone, tag: $0.tag) == id })
    }

    private func statementPlace(_ name: String, _ neighbours: Neighbours, _ zone: ZoneID) throws -> StatementPlace {
        StatementPlace(zone: zone, tag: try RecordTag(of: name, zone: zone, in: neighbours.homes[0].store))
    }

    /// The values that a write gives fields.
    private func values(_ write: RecordWrite) -> [String: FieldValue] {
        Dictionary(uniqueKeysWithValues: write.set.map { ($0.field, $0.value) })
    }

    private func values(_ record: RecordRow) throws -> [String: FieldValue] {
        Dictionary(uniqueKeysWithValues: try record.content().fields.map { ($0.name, $0.entries[0].value) })
    }

    /// The device of each live operation of a record.
    private func authors(of record: RecordRow, _ neighbours: Neighbours, on index: Int) throws -> [DeviceID?] {
        let devices = try MessageRecords(neighbours.committer(index))
            .authors(in: record.zone, neighbours.homes[index].store)
        return record.live.map { devices($0.actor) }
    }

    private func unprotected(_ id: MessageID, _ neighbours: Neighbours) throws -> [DeviceID] {
        let store = neighbours.homes[0].store
        let row = try #require(try store.message(id))
        return try #require(try MessageRecords(neighbours.committer(0)).message(of: row, in: store))
            .devicesWithoutPrekey
    }

    // MARK: Messages

    private func message(_ text: String, by sender: DeviceID) -> Message {
        Message(
            sender: sender,
            sentAt: 1,
            contentType: "text/plain",
            content: .text(text),
            payload: nil,
            recipients: [],
            reference: nil,
            expires: nil,
            readers: nil
        )
    }

    enum Signing: CaseIterable {
        case none
        case zero
        case byLiar
        case ofAnotherMessage
    }

    @Test(arguments: Signing.allCases)
    func `sends no message in the name of another device`(signing: Signing) throws {
        var (neighbours, zone) = try shared()
        let said = try neighbours.send("as it was said", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let record = try stored(said, neighbours, on: 2)
        let message = message("I owe you everything", by: neighbours.homes[0].keys.deviceID)
        let name = "message/forged"
        let place = try statementPlace(name, neighbours, zone)
        var fields = values(message.write(name: name, in: place, signedBy: neighbours.homes[2].keys))
        switch signing {
        case .none: fields["signature"] = nil
        case .zero: fields["signature"] = Neighbours.unchecked
        case .byLiar: break
        case .ofAnotherMessage: fields["signature"] = try values(record)["signature"]
        }
        try neighbours.forge(name, fields, under: record.live[0], on: 2, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["as it was said"])
        for index in 0...2 {
            let rows = try neighbours.homes[index].store.messages(zone: zone, after: 0, limit: 9)
            #expect(rows.map(\.id) == [said], "device \(index)")
        }
    }

    @Test func `sends no message of another device a second time, as a record of its own`() throws {
        var (neighbours, zone) = try shared()
        let said = try neighbours.send("as it was said", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let record = try stored(said, neighbours, on: 2)
        try neighbours.forge("message/again", values(record), under: record.live[0], on: 2, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["as it was said"])
    }

    @Test(
        arguments: [
            ["content": .string("otherwise")], ["content_type": .string("text/html")],
            ["sent_at": .date(milliseconds: 1)],
            ["expires_at": .date(milliseconds: Int64.max)], ["edits": .string(String(repeating: "0", count: 32))],
            ["readers": .bytes([])],
        ] as [[String: FieldValue]]
    )
    func `changes no part of a message of another device`(change: [String: FieldValue]) throws {
        var (neighbours, zone) = try shared()
        let said = try neighbours.send("as it was said", on: 0, zone: zone)
        try neighbours.settle(zone, among: [0, 2])
        let record = try stored(said, neighbours, on: 2)
        try neighbours.forge(record.name, change, under: record.live[0], on: 2, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1).isEmpty)
        for index in 0...2 { #expect(try neighbours.content(of: said, on: index) == nil, "device \(index)") }
    }

    @Test(arguments: [true, false])
    func `hides a message by a change, and the message comes behind all others when it is shown again`(
        isRetyped: Bool
    ) throws {
        var (neighbours, zone) = try shared()
        let said = try neighbours.send("as it was said", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let record = try stored(said, neighbours, on: 2)
        let content = try #require(try values(record)["content"])
        try neighbours.forge(
            record.name,
            isRetyped ? [:] : ["content": .string("otherwise")],
            type: isRetyped ? "note" : ReservedType.message,
            under: record.live[0],
            on: 2,
            zone: zone
        )
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.homes[1].store.message(said)?.state == .hidden && neighbours.inbox(1).isEmpty)
        let early = try neighbours.change(1) { try Inbox($0).finish([said], in: &$2) }
        #expect(early.reply == [said: .unknown(said)] && early.notice.number == nil)
        _ = try neighbours.send("meanwhile", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        try neighbours.forge(record.name, ["content": content], under: record.live[0], on: 2, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["meanwhile", "as it was said"])
        try neighbours.finish(said, on: 1)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["meanwhile"])
        #expect(try neighbours.deliveries(of: said, on: 0).contains(.read))
    }

    @Test func `may state a message of another device again as it is`() throws {
        var (neighbours, zone) = try shared()
        let said = try neighbours.send("as it was said", on: 0, zone: zone)
        try neighbours.settle(zone, among: [0, 2])
        let record = try stored(said, neighbours, on: 2)
        try neighbours.forge(record.name, [:], under: record.live[0], on: 2, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["as it was said"])
        #expect(try neighbours.deliveries(of: said, on: 0) == [.delivered, .delivered])
    }

    @Test func `makes no message of its own in the place of another device's`() throws {
        var (neighbours, zone) = try shared()
        let said = try neighbours.send("as it was said", on: 0, zone: zone)
        try neighbours.write("note", "its own", on: 2, zone: zone)
        try neighbours.exchangeMessages(zone)
        let own = try neighbours.record("note", on: 2, zone: zone).live[0]
        let creation = try stored(said, neighbours, on: 2).creation
        let keys = neighbours.homes[2].keys
        let name = "message/placed"
        let place = try statementPlace(name, neighbours, zone)
        let write = message("read me", by: keys.deviceID).write(name: name, in: place, signedBy: keys)
        // The receipts of its readers would be about that place.
        try neighbours.forge(name, values(write), under: own, madeBy: creation, on: 2, zone: zone)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["as it was said"])
    }

    @Test func `has its changes taken over by no sender that seals the message again`() throws {
        var (neighbours, zone) = try shared(history: .fromJoin)
        let said = try neighbours.send("as it was said", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let before = try stored(said, neighbours, on: 2)
        try neighbours.loseStore(1, zone: zone, from: 0)
        try neighbours.settle(zone)
        try neighbours.settleInbox(1)
        #expect(try neighbours.homes[1].store.message(said)?.state == .failed)
        let change: [String: FieldValue] = ["content_type": .string("text/html")]
        try neighbours.forge(before.name, change, under: before.live[0], on: 2, zone: zone)
        for _ in 0..<2 { try neighbours.exchangeMessages(zone) }
        let record = try stored(said, neighbours, on: 0)
        #expect(try authors(of: record, neighbours, on: 0) == [neighbours.homes[2].keys.deviceID])
        #expect(try neighbours.inbox(1).isEmpty && neighbours.content(of: said, on: 1) == nil)
    }

    @Test func `has no message in another device's name moved into a zone of that device`() throws {
        var neighbours = try Neighbours([1, 1, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        let said = try neighbours.send("as it was said", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone, among: [0, 1])
        let record = try stored(said, neighbours, on: 1)
        var fields = try values(record)
        fields["content"] = .string("otherwise")
        try neighbours.forge("message/forged", fields, under: record.live[0], on: 1, zone: zone)
        try neighbours.settle(zone, among: [0, 1])
        neighbours.homes[0].account = 2
        try neighbours.change(0) { _ = try AccountMove($0).move(zone, random: &$1, in: &$2) }
        let store = neighbours.homes[0].store
        let new = try #require(try store.zones().first { $0.genesis.owner == neighbours.account(2) }).id
        let rows = store.allRecords(zone: new)
        let author = try MessageRecords(neighbours.committer(0)).authors(in: new, store)
        #expect(rows.map(\.type) == [ReservedType.message, ReservedType.message])
        #expect(try rows.compactMap { try Message($0, device: author)?.content } == [.text("as it was said")])
    }

    // MARK: Receipts

    @Test func `finishes no message in the name of another device, which states its receipts again`() throws {
        var (neighbours, zone) = try shared()
        let id = try neighbours.send("hello", on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        let store = neighbours.homes[2].store
        let (recipient, row) = (
            neighbours.homes[1].keys.deviceID, try #require(try neighbours.homes[0].store.message(id))
        )
        let record = try #require(
            try ReceiptReading(zone, in: store)
                .records(of: recipient, about: ReceiptSection(of: row.place), in: store).first
        )
        let forged = MessageReceipts.write(
            [row.subject: .read],
            named: try #require(ReceiptName(text: record.name)),
            in: StatementPlace(record),
            signedBy: neighbours.homes[2].keys
        )
        try neighbours.forge(
            record.name,
            values(forged),
            type: ReservedType.receipt,
            under: record.live[0],
            on: 2,
            zone: zone
        )
        try neighbours.settle(zone)
        #expect(try neighbours.deliveries(of: id, on: 0).allSatisfy { $0 != .read })
        #expect(try neighbours.inbox(1) == ["hello"], "before anything was entered")
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["hello"])
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered, .delivered])
        let again = try neighbours.record(record.name, on: 0, zone: zone)
        #expect(try authors(of: again, neighbours, on: 0) == [recipient])
        try neighbours.finish(id, on: 1)
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.deliveries(of: id, on: 0).count { $0 == .read } == 1)
    }

    // MARK: Prekeys

    @Test func `has no message sealed to a key of its own in place of another device's prekey`() throws {
        var (neighbours, zone) = try shared(history: .fromJoin)
        let (recipient, account) = (neighbours.homes[1].keys.deviceID, neighbours.account(1))
        let record = try neighbours.record(Prekey.name(of: recipient), on: 2, zone: zone)
        let key = try BoxEnvelopes().encapsulationKey(seed: [UInt8](repeating: 7, count: 32))
        let forged = Prekey(device: recipient, key: key)
            .write(in: StatementPlace(record), signedBy: neighbours.homes[2].keys)
        try neighbours.forge(
            record.name,
            values(forged),
            type: ReservedType.prekey,
            under: record.live[0],
            on: 2,
            zone: zone
        )
        try neighbours.settle(zone)
        let first = try neighbours.send("to the certificate", to: [account], on: 0, zone: zone)
        #expect(try unprotected(first, neighbours) == [recipient])
        for index in neighbours.homes.indices { neighbours.homes[index].wall += 60 * 60 * 1_000 }
        try neighbours.exchangeMessages(zone)
        let second = try neighbours.send("to the prekey", to: [account], on: 0, zone: zone)
        #expect(try unprotected(second, neighbours) == [])
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["to the certificate", "to the prekey"])
    }

    // MARK: Forks

    @Test func `keeps no message from its readers that another device states again, since it was behind a fork`() throws
    {
        var (neighbours, zone) = try shared()
        try neighbours.write("note", "before", on: 2, zone: zone)
        try neighbours.settle(zone)
        let image = neighbours.homes[2].store
        _ = try neighbours.send("behind the fork", on: 2, zone: zone)
        try neighbours.pull(zone, from: 2, to: 0)
        neighbours.homes[2].store = image
        try neighbours.write("note", "another history", on: 2, zone: zone)
        try neighbours.pull(zone, from: 2, to: 1)
        let actor = try neighbours.committer(2).author(in: zone, image).actor
        let run = try #require(
            try RunExchange(neighbours.committer(1)).run(
                LogKey(zone: zone, actor: actor, lane: .data),
                from: 0,
                byteCount: 1 << 20,
                in: neighbours.homes[1].store
            )
        )
        guard case .fork(let proof) = neighbours.apply(run, on: 0) else { Issue.record("no fork"); return }
        try neighbours.change(1) { _ = try RunExchange($0).record(proof, random: &$1, in: &$2) }
        try neighbours.exchangeMessages(zone, among: [0, 1])
        for index in 0...1 { #expect(try neighbours.inbox(index) == ["behind the fork"], "device \(index)") }
        let id = try #require(try neighbours.homes[1].store.waitingMessages(after: 0, limit: 1).first).id
        let record = try stored(id, neighbours, on: 1)
        #expect(try authors(of: record, neighbours, on: 1) == [neighbours.homes[0].keys.deviceID])
    }
}
