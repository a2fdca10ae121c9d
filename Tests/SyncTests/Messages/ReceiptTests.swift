import Identity
import Records
import Sodium
import TestSupport
import Testing
import Wire

@testable import Sync

/// The records in which a device states how far messages got there.
@Suite struct `Receipts` {
    private func pair(_ counts: [Int] = [1, 1], seed: UInt64 = 1) throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours(counts, seed: seed, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        for account in 1..<neighbours.logs.count { _ = try neighbours.grant(.write, to: account, by: 0, zone: zone) }
        try neighbours.settle(zone)
        return (neighbours, zone)
    }

    private func send(_ count: Int, _ neighbours: inout Neighbours, _ zone: ZoneID) throws -> [MessageID] {
        let drafts = (0..<count).map { Neighbours.draft("message \($0)") }
        return try neighbours.change(0) { try InboxRound($0).send(drafts, zone: zone, in: &$2).value.get().map(\.id) }
    }

    private func work(on index: Int, of neighbours: inout Neighbours) throws {
        while try neighbours.change(index, { try InboxRound($0).run(in: &$2) }).hasMore {}
    }

    private func records(_ neighbours: Neighbours, _ zone: ZoneID, on index: Int) -> [RecordRow] {
        neighbours.homes[index].store.allRecords(zone: zone).filter { $0.type == ReservedType.receipt }
    }

    /// The number of operations that a device has written in a zone.
    private func operationCount(_ neighbours: Neighbours, _ zone: ZoneID, of index: Int) throws -> UInt64 {
        let (store, device) = (neighbours.homes[index].store, neighbours.homes[index].keys.deviceID)
        return try store.logs(zone: zone).filter { $0.device == device && $0.key.lane == .data }.map(\.size)
            .reduce(0, +)
    }

    // MARK: Bounds

    @Test func `for the messages of a section are one record, and one operation a round`() throws {
        var (neighbours, zone) = try pair()
        let ids = try send(40, &neighbours, zone)
        try neighbours.settle(zone)
        // It states a prekey as well.
        try work(on: 1, of: &neighbours)
        #expect(records(neighbours, zone, on: 1).count == 1)
        let before = try operationCount(neighbours, zone, of: 1)
        _ = try neighbours.change(1) { try InboxRound($0).finish(Array(ids.prefix(30)), in: &$2) }
        #expect(try operationCount(neighbours, zone, of: 1) == before + 1)
        try neighbours.settle(zone)
        try work(on: 0, of: &neighbours)
        for (index, id) in ids.enumerated() {
            #expect(try neighbours.deliveries(of: id, on: 0) == [index < 30 ? .read : .delivered])
        }
    }

    @Test func `for many messages are few records, none of them larger than a section requires`() throws {
        var (neighbours, zone) = try pair()
        let count = 3 * Int(ReceiptSection.counterCount)
        for _ in 0..<3 { _ = try send(count / 3, &neighbours, zone) }
        try neighbours.settle(zone)
        try work(on: 1, of: &neighbours)
        let rows = records(neighbours, zone, on: 1)
        #expect(rows.count == 4)
        let statementBytes = Int(ReceiptSection.counterCount) * ReceiptStatement.byteCount
        #expect(rows.allSatisfy { $0.body.count < statementBytes + 600 })
    }

    @Test func `have a bound of statements, however many messages are said to be of one place`() throws {
        let name = Self.name()
        let states = Dictionary(
            uniqueKeysWithValues: (0..<UInt32(2 * MessageReceipts.statementCountMax)).map { mark in
                (ReceiptSubject(offset: 7, mark: mark), MessageReceipts.State.delivered)
            }
        )
        let read = MessageReceipts.states([Self.entry(states, name: name)])
        #expect(read.count == MessageReceipts.statementCountMax)
        #expect(read.keys.max()?.mark == UInt32(MessageReceipts.statementCountMax - 1))
    }

    // MARK: Form

    private static func name(_ number: UInt64 = 3) -> ReceiptName {
        ReceiptName(
            writer: Sample.actor(1),
            section: ReceiptSection(of: Dot(actor: Sample.actor(2), counter: number * ReceiptSection.counterCount))
        )
    }

    private static let keys: DeviceIdentity = {
        var generator = SeededGenerator(seed: 1)
        return DeviceIdentity(using: &generator)
    }()

    private static func write(_ states: [ReceiptSubject: MessageReceipts.State], name: ReceiptName) -> RecordWrite {
        let place = StatementPlace(zone: Sample.zone(0), tag: RecordTag(digesting: .treeNode, [1]))
        return MessageReceipts.write(states, named: name, in: place, signedBy: keys)
    }

    private static func entry(
        _ states: [ReceiptSubject: MessageReceipts.State],
        name: ReceiptName,
        at counter: UInt64 = 1,
        time: UInt64 = 1
    ) -> FieldEntry {
        let value = write(states, name: name).set.first?.value ?? .null
        return FieldEntry(dot: Dot(actor: name.writer, counter: counter), time: HybridTime(raw: time), value: value)
    }

    @Test func `have one form: a signature, then place, mark and state, ascending`() throws {
        let write = Self.write(
            [
                ReceiptSubject(offset: 9, mark: 0x0102_0304): .read,
                ReceiptSubject(offset: 2, mark: 0xFFFF_FFFF): .failed,
                ReceiptSubject(offset: 9, mark: 1): .delivered,
            ],
            name: Self.name()
        )
        guard case .bytes(let bytes)? = write.set.first?.value else { Issue.record("no bytes"); return }
        let list: [UInt8] = [3, 2, 0xFF, 0xFF, 0xFF, 0xFF, 2, 9, 0, 0, 0, 1, 1, 9, 1, 2, 3, 4, 3]
        #expect(Array(bytes.dropFirst(64)) == list)
        let signature = try #require(Signature64(bytes.prefix(64)))
        let message = Sample.zone(0).bytes + RecordTag(digesting: .treeNode, [1]).bytes + list
        let key = Self.keys.deviceID.verifyingKey
        #expect(key.isValid(signature.signature, over: message, context: .receiptsSignature))
        #expect(write.set.map(\.field) == ["states"] && write.type == "kairan.receipt" && write.replaceAll)
        let (writer, sender) = (Sample.actor(1).text, Sample.actor(2).text)
        #expect(write.name == "message/receipt/\(writer)/\(sender)/3")
    }

    @Test(
        arguments: [
            [1, 128, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, 1, 4], [1, 0, 0, 0, 0, 1], [0, 0], [],
            [2, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1], [2, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1],
        ] as [[UInt8]]
    )
    func `of another form state nothing`(bytes: [UInt8]) {
        let dot = Dot(actor: Sample.actor(1), counter: 1)
        for value in [bytes, [UInt8](repeating: 0, count: 64) + bytes] {
            let entry = FieldEntry(dot: dot, time: HybridTime(raw: 1), value: .bytes(value))
            #expect(MessageReceipts.states([entry]).isEmpty)
        }
    }

    @Test func `are named after the actor that writes them, and the section`() {
        let name = Self.name(3)
        #expect(ReceiptName(text: name.text) == name)
        let last = ReceiptSection(of: Dot(actor: Sample.actor(2), counter: Limits.counterMax))
        let highest = ReceiptName(writer: Sample.actor(1), section: last)
        #expect(ReceiptName(text: highest.text) == highest)
        #expect(last.counters.contains(Limits.counterMax))
        let beginning = name.text.dropLast()
        for text in [
            "\(beginning)03", "\(beginning)+3", "\(beginning)", "\(name.text)/", "\(name.text) ", "x\(name.text)",
            "\(beginning)\(last.number + 1)", "\(beginning)\(UInt64.max)", "message/receipt/a/b/1", "",
            "Message\(name.text.dropFirst(7))",
        ] {
            #expect(ReceiptName(text: text) == nil, "\(text)")
        }
    }

    @Test func `tell two messages of one place apart, as behind a fork`() {
        let place = Dot(actor: Sample.actor(2), counter: 300)
        let ids = (0..<2).map { MessageID(zone: Sample.zone(0), tag: RecordTag(digesting: .treeNode, [UInt8($0)])) }
        let subjects = ids.map { ReceiptSubject($0, madeBy: place) }
        let states = [subjects[0]: MessageReceipts.State.read, subjects[1]: .failed]
        #expect(MessageReceipts.states([Self.entry(states, name: Self.name(2))]) == states)
    }

    // MARK: Merging

    /// Writes of a device, some of them with one dot, as two histories of its log have them.
    private func entries(_ dice: inout SeededGenerator) -> [FieldEntry] {
        (0..<Int.random(in: 1...6, using: &dice)).map { _ in
            var states: [ReceiptSubject: MessageReceipts.State] = [:]
            for _ in 0..<Int.random(in: 0...5, using: &dice) {
                let subject = ReceiptSubject(
                    offset: UInt8.random(in: 0...2, using: &dice),
                    mark: UInt32.random(in: 0...1, using: &dice)
                )
                let all: [MessageReceipts.State] = [.delivered, .failed, .read]
                states[subject] = all.randomElement(using: &dice)
            }
            return Self.entry(
                states,
                name: Self.name(),
                at: UInt64.random(in: 1...3, using: &dice),
                time: UInt64.random(in: 1...4, using: &dice)
            )
        }
    }

    @Test func `have the same meaning in every order, and none is lost that was read`() {
        for seed in UInt64(1)...200 {
            var dice = SeededGenerator(seed: seed)
            let written = entries(&dice)
            let states = MessageReceipts.states(written)
            for _ in 0..<4 {
                #expect(MessageReceipts.states(written.shuffled(using: &dice)) == states, "seed \(seed)")
            }
            #expect(MessageReceipts.states(written + written) == states, "seed \(seed)")
            let parts = written.map { MessageReceipts.states([$0]) }
            #expect(Set(states.keys) == Set(parts.flatMap(\.keys)), "seed \(seed)")
            for (subject, state) in states {
                let isRead = parts.contains { $0[subject] == .read }
                #expect((state == .read) == isRead, "seed \(seed)")
            }
        }
    }

    @Test func `of a later write have precedence over those of an earlier one, but for messages that were read`() {
        let subjects = (0..<3).map { ReceiptSubject(offset: $0, mark: 1) }
        let earlier = Self.entry([subjects[0]: .read, subjects[1]: .delivered], name: Self.name(), time: 1)
        let later = Self.entry(
            [subjects[0]: .failed, subjects[1]: .failed, subjects[2]: .delivered],
            name: Self.name(),
            at: 2,
            time: 2
        )
        #expect(
            MessageReceipts.states([later, earlier])
                == [subjects[0]: .read, subjects[1]: .failed, subjects[2]: .delivered]
        )
    }

    // MARK: Lifetimes

    @Test func `of former lifetimes of a store stay beside those of the present one`() throws {
        var (neighbours, zone) = try pair()
        let ids = try send(3, &neighbours, zone)
        try neighbours.exchangeMessages(zone)
        let image = neighbours.homes[1].store
        try neighbours.finish(ids[0], on: 1)
        try neighbours.exchangeMessages(zone)
        neighbours.homes[1].store = image
        try neighbours.renewLifetime(1)
        // Before its own statements return, the store states another one about the same section.
        try neighbours.finish(ids[1], on: 1)
        try neighbours.settleInbox(1)
        #expect(try neighbours.inbox(1) == ["message 0", "message 2"])
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.inbox(1) == ["message 2"])
        #expect(records(neighbours, zone, on: 0).count == 2)
        for (id, state) in zip(ids, [.read, .read, .delivered] as [SentMessages.Delivery.State]) {
            #expect(try neighbours.deliveries(of: id, on: 0) == [state])
        }
    }

    @Test func `are stated again in full after another member has written in them, or they were deleted`() throws {
        var (neighbours, zone) = try pair([1, 1, 1])
        let ids = try send(3, &neighbours, zone)
        try neighbours.exchangeMessages(zone)
        try neighbours.finish(ids[0], on: 1)
        try neighbours.exchangeMessages(zone)
        let device = neighbours.homes[1].keys.deviceID
        let row = try #require(try neighbours.homes[0].store.message(ids[0]))
        let stated = try states(of: device, about: row, neighbours.homes[0].store)
        #expect(stated.count == 3 && stated[row.subject] == .read)
        let record = try ReceiptReading(zone, in: neighbours.homes[2].store)
            .records(of: device, about: ReceiptSection(of: row.place), in: neighbours.homes[2].store).first
        let name = try #require(record).name
        // It changes their field, or adds one of its own.
        for field in ["states", "more"] {
            try neighbours.write(name, [field: .bytes([0])], type: "kairan.receipt", on: 2, zone: zone)
            try neighbours.settle(zone)
            #expect(try states(of: device, about: row, neighbours.homes[0].store).isEmpty, "\(field)")
            #expect(try neighbours.deliveries(of: ids[0], on: 0).allSatisfy { $0 != .read }, "\(field)")
            try neighbours.exchangeMessages(zone)
            #expect(try states(of: device, about: row, neighbours.homes[0].store) == stated, "\(field)")
        }
        #expect(try neighbours.delete(name, on: 1, zone: zone) == nil)
        try neighbours.exchangeMessages(zone)
        #expect(try states(of: device, about: row, neighbours.homes[0].store) == stated)
    }

    /// The name of the record in which a device states receipts for the first messages of the first device.
    private func receiptName(of index: Int, _ neighbours: Neighbours, _ zone: ZoneID) throws -> String {
        let actors = try [index, 0].map { index in
            try neighbours.committer(index).author(in: zone, neighbours.homes[index].store).actor
        }
        return ReceiptName(writer: actors[0], section: ReceiptSection(of: Dot(actor: actors[1], counter: 1))).text
    }

    @Test(arguments: ["note", ReservedType.message])
    func `are stated in a record that another member has made before, with another type`(type: String) throws {
        var (neighbours, zone) = try pair([1, 1, 1])
        let name = try receiptName(of: 1, neighbours, zone)
        try neighbours.write(name, ["text": .string("mine")], type: type, on: 2, zone: zone)
        try neighbours.settle(zone)
        let id = try send(1, &neighbours, zone)[0]
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.record(name, on: 0, zone: zone).type == ReservedType.receipt)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered, .delivered])
    }

    @Test(arguments: ["note", ReservedType.message])
    func `are stated again at once after another member has given their record another type`(type: String) throws {
        var (neighbours, zone) = try pair([1, 1, 1])
        let name = try receiptName(of: 1, neighbours, zone)
        let id = try send(1, &neighbours, zone)[0]
        try neighbours.exchangeMessages(zone)
        let own = FieldAssignment(field: "text", value: .string("mine"))
        let request = WriteRequest([.statement(name, type: type, [own])])
        try neighbours.change(2) { _ = try $0.commit([request], zone: zone, in: &$2) }
        try neighbours.settle(zone)
        #expect(try neighbours.record(name, on: 1, zone: zone).type == type)
        #expect(try neighbours.deliveries(of: id, on: 0).contains(.queued))
        try neighbours.exchangeMessages(zone)
        #expect(try neighbours.record(name, on: 0, zone: zone).type == ReservedType.receipt)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered, .delivered])
    }

    @Test func `are stated again at once, under another right, where all that was stated is above a cut`() throws {
        var neighbours = try Neighbours([1, 1], envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        let right = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        let id = try send(1, &neighbours, zone)[0]
        try neighbours.settle(zone)
        try work(on: 1, of: &neighbours)
        #expect(records(neighbours, zone, on: 1).count == 1)
        // The right ends before anything that was written under it has reached the owner.
        _ = try neighbours.grant(.write, to: 1, by: 0, canDelegate: true, zone: zone)
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "", in: &$2) }
        try neighbours.pull(zone, from: 0, to: 1)
        #expect(records(neighbours, zone, on: 1).isEmpty)
        try neighbours.exchangeMessages(zone)
        #expect(records(neighbours, zone, on: 1).count == 1)
        #expect(try neighbours.deliveries(of: id, on: 0) == [.delivered])
    }

    @Test func `follow a message whose record was made by another write than before`() throws {
        var (neighbours, zone) = try pair()
        let id = try send(1, &neighbours, zone)[0]
        try neighbours.exchangeMessages(zone)
        try neighbours.finish(id, on: 1)
        try neighbours.exchangeMessages(zone)
        let place = try #require(try neighbours.homes[1].store.message(id)).place
        // As if the record had been made by that write first; then it comes again.
        for index in 0...1 {
            var row = try #require(try neighbours.homes[index].store.message(id))
            row.place = Dot(actor: place.actor, counter: place.counter + ReceiptSection.counterCount)
            try neighbours.homes[index].store.save(row)
        }
        let records = neighbours.homes[0].store.allRecords(zone: zone)
        let record = try #require(records.first { $0.type == ReservedType.message })
        let fields = ["later": FieldValue.bytes([1])]
        try neighbours.write(record.name, fields, on: 0, zone: zone)
        try neighbours.exchangeMessages(zone)
        for index in 0...1 { #expect(try neighbours.homes[index].store.message(id)?.place == place) }
        #expect(try neighbours.deliveries(of: id, on: 0) == [.read] && neighbours.inbox(1).isEmpty)
        #expect(try neighbours.homes[1].store.zonesOwingAnswers().isEmpty)
    }

    /// The statements of a device about the section of a message.
    private func states(
        of device: DeviceID,
        about row: MessageRow,
        _ store: MemoryStore
    ) throws -> [ReceiptSubject: MessageReceipts.State] {
        var receipts = try ReceiptReading(row.zone, in: store)
        return try receipts.states(of: device, about: ReceiptSection(of: row.place), in: store)
    }
}
