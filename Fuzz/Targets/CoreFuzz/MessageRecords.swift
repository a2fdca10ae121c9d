import FuzzKit
import Identity
import Sodium
import TestSupport
import Wire

@testable import Records
@testable import Sync

/// Messages between people, the receipts of devices for them, and the prekeys to which devices want them sealed.
///
/// Any author with write access to the zone can have made the records. The first byte selects the rest: fields of every
/// kind, with entries of several authors; a message, receipts, or a prekey, and another author that writes into it; a
/// content that is sealed, and then changed or moved elsewhere; the bytes of one, or of receipts, as they came.
///
/// Laws: a record that is read was written by the device that it names alone; a record that is written and read again
/// is the same, with any fields of later versions beside it, also where another device has stated it again; one that
/// this other device has changed under the dots of the first one is not read; receipts have one form, and say that a
/// message was read if one of them does; a sealed content opens with its secret, in its own place, and is the content
/// that was sealed.
let messageRecordTarget = FuzzTarget(
    "message-records",
    inputByteCountMax: 600,
    run: { bytes in
        var program = FuzzInput(bytes)
        switch program.below(6) {
        case 0: readAnything(&program)
        case 1: writeMessage(&program)
        case 2: writeReceipts(&program)
        case 3: sealContent(&program)
        case 5: writePrekey(&program)
        default: readContent(&program)
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 79)
        let random = (0..<100).map { index in [UInt8(index % 6)] + generator.bytes(40 + generator.below(300)) }
        // The fields of a message and of receipts, each of the right kind, by one author: name, author, kind, value, time.
        let signature: [UInt8] = [17, 0, 1] + [UInt8](repeating: 8, count: 64) + [9]
        let message: [UInt8] = [
            0, 0, 0, 5, 0, 0, 1, 0, 9, 1, 0, 1, 5, 9, 2, 0, 1, 1, 65, 9, 3, 0, 1, 1, 2, 72, 73, 9, 14, 0, 1, 7, 9,
        ]
        let restricted: [UInt8] =
            [0, 0, 0, 7, 0, 0, 1, 0, 9, 1, 0, 1, 5, 9, 2, 0, 1, 1, 65, 9, 4, 1, 1, 3] + [UInt8](repeating: 8, count: 51)
            + [9, 5, 1, 1, 1, 0, 2, 6, 6, 9, 6, 0, 1, 2, 0, 1, 9, 7, 0, 1] + [UInt8](repeating: 8, count: 16) + [9]
        // Two histories of a log: a record with two entries of one field.
        let receipts: [UInt8] =
            [0, 1, 0, 0, 1, 10, 0, 1, 1, 2, 0, 0, 2, 1, 1, 0, 9, 10, 1, 1, 1, 1, 0, 0, 1, 8]
        let statements: [UInt8] = [2, 0, 2, 0, 2, 0, 0, 0, 0, 1, 3, 1, 0, 0, 0, 0, 2]
        var content = known("a content", sealed([1, 2, 3], for: [0, 1]))
        let whole: [UInt8] = [4, 81] + content.sealed.prefix(81) + content.encodedEnvelopes
        content = known("a content", sealed([], for: []))
        let least: [UInt8] = [4, 48] + content.sealed + content.encodedEnvelopes
        let prekey: [UInt8] = [5, 1, 0, 32] + [UInt8](repeating: 8, count: 32) + [0, 0, 1]
        return random + [message + signature, restricted + signature, receipts, statements, whole, least, prekey]
    }
)

// MARK: Authors and places
private let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))
private let identities: [DeviceIdentity] = {
    var generator = SeededGenerator(seed: 77)
    // Envelopes are in the order of the devices.
    return (0..<4).map { _ in DeviceIdentity(using: &generator) }.sorted { $0.deviceID < $1.deviceID }
}()
private let devices = identities.map(\.deviceID)
private let accounts = (0..<4).map { AccountID(Digest32(word0: 20 + UInt64($0), word1: 0, word2: 0, word3: 0)) }
private let messageName = "message/00"
private let tag = RecordTag(Digest32(word0: 7, word1: 7, word2: 7, word3: 7))

/// The name of the receipts that an actor writes about the messages of the first one.
private func receiptName(_ writer: Int) -> ReceiptName {
    ReceiptName(writer: actor(writer), section: ReceiptSection(of: Dot(actor: actor(0), counter: 1)))
}

private func actor(_ index: Int) -> ActorID {
    ActorID(Digest32(word0: 30 + UInt64(index), word1: 0, word2: 0, word3: 0))
}

/// Returns the device of an actor.
///
/// Each device writes as two actors, since its store was rolled back; the last two actors belong to no known device.
private func author(of actor: ActorID) -> DeviceID? {
    let index = Int(clamping: actor.digest.word0 &- 30)
    return index < 6 ? devices[index / 2] : nil
}

private let entropy: TransactionEntropy = {
    var generator = SeededGenerator(seed: 78)
    return TransactionEntropy(using: &generator)
}()

private let recordPlace = StatementPlace(zone: zone, tag: tag)

/// A record as a store has it: made by the authors of its values, or stated again by another device.
private func row(
    _ type: String,
    _ fields: [RecordField],
    name: String = messageName,
    isDeleted: Bool = false,
    isStatedAgain: Bool = false
) -> RecordRow {
    let dots = fields.flatMap { $0.entries.map(\.dot) }
    let creation = dots.min() ?? Dot(actor: actor(0), counter: 1)
    let last = isStatedAgain ? Dot(actor: actor(7), counter: 1) : dots.max() ?? creation
    let vector = VersionVector(covering: dots + [creation, last])
    let body = RecordBody(
        name: name,
        type: type,
        isDeleted: isDeleted,
        parent: nil,
        creator: devices[0],
        modifier: devices[0],
        fields: fields
    )
    return RecordRow(
        zone: zone,
        tag: tag,
        name: name,
        type: type,
        isDeleted: isDeleted,
        version: RecordVersion(vector),
        vector: vector,
        context: vector,
        live: [last],
        creation: creation,
        time: HybridTime(milliseconds: 1),
        body: body.encoded
    )
}

private func entry(_ value: FieldValue, by index: Int, at counter: Int = 1, time: UInt64 = 1) -> FieldEntry {
    FieldEntry(dot: Dot(actor: actor(index), counter: UInt64(counter)), time: HybridTime(raw: time), value: value)
}

/// Returns the fields that a write leaves in an empty record, and no others.
private func fields(of write: RecordWrite, by index: Int) -> [RecordField] {
    write.set.map { RecordField(name: $0.field, entries: [entry($0.value, by: index)]) }
}

private func readMessage(_ row: RecordRow) -> Message? {
    // A refusal of the bytes would be a mistake of `row`.
    always("a row of right bytes") { try Message(row, device: author) }
}

private func readReceipts(_ row: RecordRow) -> MessageReceipts? {
    always("a row of right bytes") { try MessageReceipts(row, device: author) }
}

private func readPrekey(_ row: RecordRow) -> Prekey? {
    always("a row of right bytes") { try Prekey(row, device: author) }
}

// MARK: Records of every kind

private let fieldNames = [
    "sender", "sent_at", "content_type", "content", "sealed", "envelopes", "to", "reply_to", "edits", "reacts_to",
    "states", "device", "payload", "size", "expires_at", "later", "key", "signature",
]

private func readAnything(_ program: inout FuzzInput) {
    let type = program.one(of: [ReservedType.message, ReservedType.receipt, ReservedType.prekey, "note"])
    let isDeleted = program.below(16) == 1
    let name = type == ReservedType.receipt ? receiptName(program.below(6)).text : messageName
    var byName: [String: [FieldEntry]] = [:]
    var authors: Set<DeviceID?> = []
    for number in 1...(1 + program.below(20)) {
        let field = program.one(of: fieldNames)
        let index = program.below(8)
        let value = program.below(8) == 0 ? anyValue(&program) : value(of: field, &program)
        let entry = entry(value, by: index, at: number, time: program.number() >> 8)
        byName[field, default: []].append(entry)
        authors.insert(author(of: entry.dot.actor))
    }
    let fields = byName.map { RecordField(name: $0.key, entries: $0.value) }
    let row = row(type, fields, name: name, isDeleted: isDeleted)
    if let message = readMessage(row) {
        demand(type == ReservedType.message && !isDeleted, "a message is a record of its type")
        demand(authors == [message.sender], "a message was written by its sender alone")
        demandKept(message)
    }
    if let receipts = readReceipts(row) {
        demand(type == ReservedType.receipt && !isDeleted, "receipts are a record of their type")
        let writer = author(of: receipts.name.writer)
        demand(authors == [writer], "receipts were written by the device of their actor alone")
        let states = receipts.states
        for entry in byName["states"] ?? [] {
            for (subject, state) in MessageReceipts.states([entry]) {
                demand(states[subject] != nil, "no statement is lost")
                demand(state != .read || states[subject] == .read, "a message that was read once was read")
            }
        }
        demandKept(receipts)
    }
    if let prekey = readPrekey(row) {
        demand(type == ReservedType.prekey && !isDeleted, "a prekey is a record of its type")
        demand(authors == [prekey.device], "a prekey was stated by its device alone")
    }
}

private func value(of name: String, _ program: inout FuzzInput) -> FieldValue {
    switch name {
    case "sender", "device": .string(program.one(of: devices).text)
    case "sent_at", "expires_at": .date(milliseconds: Int64(bitPattern: program.number()))
    case "content_type", "later": .string(program.text())
    case "content": program.bool() ? .string(program.text()) : .bytes(program.blob())
    case "sealed": .bytes(program.exactly(48 + program.below(8)))
    case "envelopes": .bytes(encoded(envelopes(&program)))
    case "to": .list((0..<program.below(4)).map { _ in .string(program.one(of: accounts).text) })
    case "reply_to", "edits", "reacts_to": .string(id(&program).text)
    case "states": program.bool() ? value(of: states(&program)) : .bytes(program.blob())
    case "key": .bytes(program.exactly(Signature64.byteCount + program.below(40)))
    case "signature": .bytes(program.exactly(Signature64.byteCount))
    case "size": .int64(Int64(bitPattern: program.number()))
    default: .bytes(program.exactly(program.bool() ? Digest32.byteCount : program.below(40)))
    }
}

private func states(_ program: inout FuzzInput) -> [ReceiptSubject: MessageReceipts.State] {
    var states: [ReceiptSubject: MessageReceipts.State] = [:]
    for _ in 0..<program.below(6) {
        let subject = ReceiptSubject(offset: UInt8(program.below(3)), mark: UInt32(program.below(2)))
        states[subject] = program.one(of: [MessageReceipts.State.delivered, .failed, .read])
    }
    return states
}

private func value(of states: [ReceiptSubject: MessageReceipts.State]) -> FieldValue {
    known("a value", write(states, named: receiptName(0), by: 0).set.first?.value)
}

private func write(
    _ states: [ReceiptSubject: MessageReceipts.State],
    named name: ReceiptName,
    by device: Int
) -> RecordWrite {
    MessageReceipts.write(states, named: name, in: recordPlace, signedBy: identities[device])
}

private func write(_ message: Message) -> RecordWrite {
    let device = known("a known sender", devices.firstIndex(of: message.sender))
    return message.write(name: messageName, in: recordPlace, signedBy: identities[device])
}

private func anyValue(_ program: inout FuzzInput) -> FieldValue {
    switch program.below(8) {
    case 0: .null
    case 1: .string(program.text())
    case 2: .bytes(program.blob())
    case 3: .date(milliseconds: Int64(bitPattern: program.number()))
    case 4: .int64(Int64(bitPattern: program.number()))
    case 5: .list((0..<program.below(3)).map { _ in anyScalar(&program) })
    case 6: .anchor(record: "n" + program.text().prefix(50))
    default: .unknown(tag: FieldValue.firstUnknownTag, bytes: program.blob())
    }
}

private func anyScalar(_ program: inout FuzzInput) -> FieldValue {
    program.bool() ? .string(program.text()) : .bool(true)
}

private func id(_ program: inout FuzzInput) -> MessageID {
    known("an id", MessageID(program.exactly(MessageID.byteCount)))
}

/// Envelopes to some devices; in the order of a list, each device once.
private func envelopes(_ program: inout FuzzInput) -> [MessageEnvelope] {
    let mask = program.byte()
    return devices.indices.filter { mask >> UInt8($0) & 1 == 1 }.map { index in
        let prekey = program.bool() ? PrekeyID(program.exactly(PrekeyID.byteCount)) : nil
        return MessageEnvelope(device: devices[index], prekey: prekey, sealed: [1] + program.blob())
    }
}

private func encoded(_ envelopes: [MessageEnvelope]) -> [UInt8] {
    var writer = WireWriter()
    writer.writeList(envelopes)
    return writer.bytes
}

// MARK: Writing, and reading again

/// A message that was read can be written so that it reads the same.
private func demandKept(_ message: Message) {
    let index = 2 * known("a known sender", devices.firstIndex(of: message.sender))
    let row = row(ReservedType.message, fields(of: write(message), by: index))
    demand(isSame(message, known("what is written is read", readMessage(row))), "a message reads as it was written")
}

private func demandKept(_ receipts: MessageReceipts) {
    let index = known("a known actor", (0..<6).first { actor($0) == receipts.name.writer })
    let states = receipts.states
    let fields = fields(of: write(states, named: receipts.name, by: index / 2), by: index)
    let again = readReceipts(row(ReservedType.receipt, fields, name: receipts.name.text))
    demand(again?.name == receipts.name && again?.states == states, "receipts read as they were written")
}

private func writeMessage(_ program: inout FuzzInput) {
    let sender = program.below(3)
    let content: Message.Content =
        switch program.below(3) {
        case 0: .text(program.text())
        case 1: .bytes(program.blob())
        default:
            .sealed(
                known(
                    "a content",
                    SealedContent(
                        sealed: program.exactly(48 + program.below(64)),
                        encodedEnvelopes: encoded(envelopes(&program))
                    )
                )
            )
        }
    let relation: Message.Relation? = program.one(of: [nil, .reply, .edit, .reaction])
    // Drawn from nothing, so that earlier inputs keep their meaning.
    let payload = Message.Payload(id: PayloadID(Digest32.zero), byteCount: 70_000)
    let message = Message(
        sender: devices[sender],
        sentAt: program.number() >> 1,
        contentType: program.text(),
        content: content,
        payload: relation == .reaction ? payload : nil,
        recipients: (0..<program.below(4)).map { _ in program.one(of: accounts) }.sorted(),
        reference: relation.map { Message.Reference(relation: $0, id: id(&program)) },
        expires: program.bool() ? program.number() >> 1 : nil,
        readers: relation == .edit ? [0, 0xFEED_0000] : nil
    )
    _ = (message.byteCount, message.isFor(accounts[0]))
    var fields = fields(of: write(message), by: 2 * sender + program.below(2))
    if program.bool() {
        fields.append(RecordField(name: "later", entries: [entry(anyValue(&program), by: 2 * sender)]))
    }
    let isTooLong = message.contentType.utf8.count > Message.contentTypeByteCountMax
    guard let read = readMessage(row(ReservedType.message, fields)) else {
        return demand(isTooLong, "a message that is written is one")
    }
    demand(!isTooLong && isSame(message, read), "a message reads as it was written")
    let again = readMessage(row(ReservedType.message, fields, isStatedAgain: true))
    demand(again == read, "a message that is stated again is the same")
    let changed = fields.changing("sent_at", to: .date(milliseconds: Int64(clamping: message.sentAt ^ 1)))
    let forged = readMessage(row(ReservedType.message, changed, isStatedAgain: true))
    demand(forged == nil, "a message that another device has changed is none")
    demandSpoilt(fields, type: ReservedType.message, by: sender, &program)
}

private func writeReceipts(_ program: inout FuzzInput) {
    guard program.below(4) != 0 else { return readStatements(&program) }
    let writer = program.below(6)
    let name = receiptName(writer)
    demand(ReceiptName(text: name.text) == name, "a name reads as it was written")
    let states = states(&program)
    // The entry keeps the name of another actor of the device where its log was truncated.
    let index = 2 * (writer / 2) + program.below(2)
    let fields = fields(of: write(states, named: name, by: writer / 2), by: index)
    let read = readReceipts(row(ReservedType.receipt, fields, name: name.text))
    demand(read?.name == name && read?.states == states, "receipts read as they were written")
    let again = readReceipts(row(ReservedType.receipt, fields, name: name.text, isStatedAgain: true))
    demand(again == read, "receipts that another device states again are the same")
    let changed = fields.changing(MessageReceipts.field, &program)
    let forged = readReceipts(row(ReservedType.receipt, changed, name: name.text, isStatedAgain: true))
    demand(changed == fields || forged?.states == [:], "receipts that another device has changed state nothing")
    demandSpoilt(fields, type: ReservedType.receipt, name: name.text, by: writer / 2, &program)
}

/// A name and statements, as another device has made them.
private func readStatements(_ program: inout FuzzInput) {
    let text = program.bool() ? ReceiptName.prefix + program.text() : program.text()
    if let name = ReceiptName(text: text) { demand(name.text.utf8.elementsEqual(text.utf8), "a name has one form") }
    let bytes = program.remainder()
    let unsigned = [UInt8](repeating: 0, count: Signature64.byteCount)
    let states = MessageReceipts.states([entry(.bytes(unsigned + bytes), by: 0)])
    demand(states.count <= MessageReceipts.statementCountMax, "statements are bounded")
    guard !states.isEmpty, case .bytes(let written) = value(of: states) else { return }
    demand(Array(written.dropFirst(unsigned.count)) == bytes, "statements that decode encode to the same bytes")
}

private func writePrekey(_ program: inout FuzzInput) {
    let device = program.below(3)
    let prekey = Prekey(device: devices[device], key: program.blob())
    let (index, keys) = (2 * device + program.below(2), identities[device])
    let fields = fields(of: prekey.write(in: recordPlace, signedBy: keys), by: index)
    demand(readPrekey(row(ReservedType.prekey, fields)) == prekey, "a prekey reads as it was stated")
    let again = readPrekey(row(ReservedType.prekey, fields, isStatedAgain: true))
    demand(again == prekey, "a prekey that another device states again is the same")
    let changed = fields.changing("key", &program)
    let forged = readPrekey(row(ReservedType.prekey, changed, isStatedAgain: true))
    demand(changed == fields || forged == nil, "a prekey that another device has changed is none")
    demand(prekey.id == PrekeyID(key: prekey.key), "a prekey is named after its key")
    demandSpoilt(fields, type: ReservedType.prekey, by: device, &program)
}

/// Demands that one entry of another author, in any field or in one beside, makes the record unreadable.
private func demandSpoilt(
    _ fields: [RecordField],
    type: String,
    name: String = messageName,
    by device: Int,
    _ program: inout FuzzInput
) {
    var other = program.below(6)
    // The device's own two actors are replaced by the two that belong to no known device.
    if other / 2 == device { other = 6 + other % 2 }
    let spoilt = program.one(of: fields + [RecordField(name: "spoilt", entries: [])])
    let value = program.bool() ? spoilt.entries.first?.value : nil
    let added = entry(value ?? anyValue(&program), by: other, at: 2, time: program.number() >> 8)
    let rest = fields.filter { $0.name != spoilt.name }
    let row = row(type, rest + [RecordField(name: spoilt.name, entries: spoilt.entries + [added])], name: name)
    let isRead = readMessage(row) != nil || readReceipts(row) != nil || readPrekey(row) != nil
    demand(!isRead, "what another device wrote in is nobody's")
}

/// Returns whether both are the same, byte for byte.
private func isSame(_ one: Message, _ other: Message) -> Bool {
    one == other && write(one) == write(other)
}

// MARK: Sealed contents

private let place = SealedContent.Place(
    zone: zone,
    id: MessageID(zone: zone, tag: tag),
    sender: devices[0]
)

private let secret = known("a secret", SealedContent.secret(at: place, entropy))

/// Seals a content, so that some of the devices can open it.
private func sealed(_ content: [UInt8], for indices: [Int]) -> SealedContent? {
    always("a sealed content") {
        try SealedContent(
            content,
            at: place,
            secret: secret,
            envelopes: indices.map { MessageEnvelope(device: devices[$0], prekey: nil, sealed: [1]) }
        )
    }
}

private func sealContent(_ program: inout FuzzInput) {
    let text = program.blob()
    let mask = program.byte()
    let readers = devices.indices.filter { mask >> UInt8($0) & 1 == 1 }
    var content = known("a content", sealed(text, for: readers))
    let stored = SealedContent(sealed: content.sealed, encodedEnvelopes: content.encodedEnvelopes)
    demand(stored == content && content.contentByteCount == text.count, "a sealed content is stored as it is")
    demand(content.open(secret, at: place) == text, "a content opens with its secret")
    for (index, device) in devices.enumerated() {
        demand((content.envelope(for: device) != nil) == readers.contains(index), "an envelope is for whom it is")
    }
    // Another device receives an envelope: the others stay as they are, and so does the sealed content.
    let added = MessageEnvelope(device: program.one(of: devices), prekey: PrekeyID(key: text), sealed: [2])
    let before = content
    content.insert(added)
    demand(content.sealed == before.sealed && content.envelope(for: added.device) == added, "an envelope is replaced")
    demand(
        SealedContent(sealed: content.sealed, encodedEnvelopes: content.encodedEnvelopes) == content,
        "with an envelope more it is stored as it is"
    )
    for device in devices where device != added.device {
        demand(content.envelope(for: device) == before.envelope(for: device), "others keep their envelopes")
    }
    let other = program.mutate(secret.bytes)
    let bytes = program.mutate(content.sealed)
    let moved = move(&program)
    guard let changed = SealedContent(sealed: bytes, encodedEnvelopes: content.encodedEnvelopes),
        let tried = StoredSecret(other)
    else { return }
    let isSame = bytes == content.sealed && moved.isSame && tried == secret
    demand(
        changed.open(tried, at: moved.place) == (isSame ? text : nil),
        "nothing opens but what was sealed, where it was sealed"
    )
}

/// Its own place, or another one.
private func move(_ program: inout FuzzInput) -> (place: SealedContent.Place, isSame: Bool) {
    let moved =
        switch program.below(6) {
        case 0:
            SealedContent.Place(
                zone: ZoneID(Digest32(word0: program.number(), word1: 2, word2: 3, word3: 4)),
                id: place.id,
                sender: place.sender
            )
        case 1: SealedContent.Place(zone: place.zone, id: id(&program), sender: place.sender)
        case 2: SealedContent.Place(zone: place.zone, id: place.id, sender: program.one(of: devices))
        default: place
        }
    return (moved, moved.zone == place.zone && moved.id == place.id && moved.sender == place.sender)
}

private func readContent(_ program: inout FuzzInput) {
    let bytes = program.blob()
    let envelopes = program.remainder()
    guard let content = SealedContent(sealed: bytes, encodedEnvelopes: envelopes) else { return }
    demand(content.encodedEnvelopes == envelopes, "what decodes encodes to the same bytes")
    let opened = content.open(secret, at: place)
    demand(opened.map { $0.count == content.contentByteCount } ?? true, "what opens has the size that it says")
}
