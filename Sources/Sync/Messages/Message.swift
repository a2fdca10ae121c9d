import Identity
package import Records
import Sodium
package import Wire

/// The content of a message's record.
///
/// | field | value |
/// |---|---|
/// | `sender` | string: the device that wrote it |
/// | `sent_at` | date |
/// | `content_type` | string: a media type |
/// | `content` | string or bytes: the content, for all accounts that may read the zone |
/// | `sealed`, `envelopes` | bytes, in place of `content`: a ``SealedContent``, for some devices alone |
/// | `to` | list of strings: those accounts |
/// | `payload`, `size` | bytes and int, if the content travels apart: the payload's id, and how many bytes are in it; the content is the secret of its chunks then |
/// | `reply_to`, `edits` or `reacts_to` | string: the id of the message that it is about |
/// | `expires_at` | date, if it does not stay |
/// | `readers` | bytes: the first four bytes of the id of each device that could read the zone, as its sender knew, ascending |
/// | `signature` | bytes: the sender's signature over all of this but `envelopes`, which the sender may change |
///
/// Fields with other names belong to later versions and are passed over.
package struct Message: Equatable, Sendable {
    /// The content.
    package enum Content: Equatable, Sendable {
        /// Content for all accounts that may read the zone: text, or bytes of any other kind.
        case text(String)
        case bytes([UInt8])
        /// Content for some of those accounts.
        case sealed(SealedContent)
    }

    /// The relation of a message to the one that it is about; the raw values are names of fields.
    package enum Relation: String, Sendable, CaseIterable {
        /// It is a reply to it.
        case reply = "reply_to"
        /// It replaces its content.
        case edit = "edits"
        /// It is a short reaction to it by its sender.
        case reaction = "reacts_to"
    }

    /// The content of a message where it travels apart from its record.
    package struct Payload: Hashable, Sendable {
        /// The id of the payload.
        package let id: PayloadID
        /// Bytes of its content.
        package let byteCount: UInt64

        /// Names a payload.
        package init(id: PayloadID, byteCount: UInt64) {
            (self.id, self.byteCount) = (id, byteCount)
        }
    }

    /// The message that another one is about.
    package struct Reference: Hashable, Sendable {
        /// The relation to the other message.
        package let relation: Relation
        /// The id of the other message.
        package let id: MessageID

        /// Refers to a message.
        package init(relation: Relation, id: MessageID) {
            (self.relation, self.id) = (relation, id)
        }
    }

    /// The prefix of the names of the records.
    static let namePrefix = "message/"
    /// Bytes that a message may have in its record.
    package static let contentByteCountMax = 16 << 10
    /// Bytes of a media type.
    package static let contentTypeByteCountMax = 255
    /// Accounts that a message may name.
    package static let recipientCountMax = 256

    /// The device that wrote it.
    package let sender: DeviceID
    /// The time of sending, in milliseconds since 1970 by its clock.
    package let sentAt: UInt64
    /// The media type of the content.
    package let contentType: String
    /// The content; with a payload, the secret of its chunks.
    package let content: Content
    /// The content, where it travels apart.
    package let payload: Payload?
    /// The accounts that receive it, ascending; empty for all accounts that may read the zone.
    package let recipients: [AccountID]
    /// The message that it is about.
    package let reference: Reference?
    /// The time at which it expires, in milliseconds since 1970.
    package let expires: UInt64?
    /// The devices that could read the zone when it was sent, as far as its sender knew; `nil` where the record has
    /// none.
    let readers: Set<UInt32>?

    /// Bytes of its content.
    package var byteCount: UInt64 { payload?.byteCount ?? UInt64(content.byteCount) }

    /// Whether it is for an account.
    package func isFor(_ account: AccountID) -> Bool {
        recipients.isEmpty || recipients.contains(account)
    }

    /// Whether it was sealed for a device: not for one that its sender did not know.
    package func isSealed(for device: DeviceID) -> Bool {
        guard case .sealed(let sealed) = content else { return true }
        return sealed.envelopes.contains { $0.device == device }
    }

    /// Whether its sender knew that a device could read the zone: then it was sent after that device was admitted,
    /// whatever the clocks show.
    ///
    /// A device is named by a part of its id. One of four thousand million others is mistaken for it, and is shown an
    /// earlier message as a new one.
    package func names(_ device: DeviceID) -> Bool {
        readers?.contains(Self.mark(of: device)) ?? false
    }

    /// Returns the marks by which a message names devices.
    /// - Parameter devices: The devices.
    /// - Returns: `nil` for more than ``readerCountMax``, which no message lists.
    static func marks(of devices: some Collection<DeviceID>) -> Set<UInt32>? {
        devices.count <= readerCountMax ? Set(devices.map { mark(of: $0) }) : nil
    }

    private static func mark(of device: DeviceID) -> UInt32 {
        device.bytes.prefix(markByteCount).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }

    private static let markByteCount = 4
    /// Devices that a message names at most: as many as a zone may have writers.
    static let readerCountMax = Limits.actorCountMax

    /// The devices for which it was sealed to the key of their certificate, not to a prekey.
    package var devicesWithoutPrekey: [DeviceID] {
        guard case .sealed(let sealed) = content else { return [] }
        return sealed.envelopes.filter { $0.prekey == nil }.map(\.device)
    }

    /// The prekeys that it was sealed to, by their devices.
    package var prekeys: [DeviceID: PrekeyID] {
        guard case .sealed(let sealed) = content else { return [:] }
        let envelopes = sealed.envelopes.compactMap { envelope in
            envelope.prekey.map { (envelope.device, $0) }
        }
        return Dictionary(envelopes) { first, _ in first }
    }

    /// Whether it is gone.
    package func isOver(at wallMilliseconds: UInt64) -> Bool {
        expires.map { $0 <= wallMilliseconds } ?? false
    }
}

// MARK: As a record

extension Message {
    /// Reads a record; `nil` for another record, a deleted one, and one that is no message.
    ///
    /// It is a message only if the device that it names as its sender, and no other, has made it and written in it: an
    /// author with the right to write can change any record, but cannot write messages in the name of others. Where
    /// another device has stated the record again, the signature shows that the sender wrote these values.
    /// - Parameters:
    ///   - row: The record.
    ///   - device: The device of an actor that writes in the zone.
    /// - Throws: `.damaged` when the stored bytes are no record's.
    package init?(_ row: RecordRow, device: (ActorID) -> DeviceID?) throws(ReplicaError) {
        guard row.type == ReservedType.message, !row.isDeleted else { return nil }
        let body = try row.content()
        guard let sender = body.string("sender").flatMap(DeviceID.init(text:)), let sentAt = body.time("sent_at"),
            let contentType = body.string("content_type"), contentType.utf8.count <= Self.contentTypeByteCountMax,
            let content = Content(body), let recipients = Self.recipients(body),
            case .bytes(let signed) = body.value("signature"), let signature = Signature64(signed),
            // Receipts name a message by this dot, so it must be none of another sender's log.
            device(row.creation.actor) == sender,
            body.fields.allSatisfy({ $0.entries.allSatisfy { device($0.dot.actor) == sender } })
        else { return nil }
        // Inboxes deliver a thousand at once, and an author with the right to write can write a record of any size.
        guard content.byteCount <= Self.contentByteCountMax, recipients.count <= Self.recipientCountMax,
            let payload = Self.payload(body)
        else { return nil }
        self.sender = sender
        self.sentAt = sentAt
        self.contentType = contentType
        self.content = content
        self.payload = payload
        self.recipients = recipients
        readers = Self.readers(body)
        expires = body.time("expires_at")
        reference =
            Relation.allCases.lazy.compactMap { relation in
                body.string(relation.rawValue).flatMap(MessageID.init(text:)).map {
                    Reference(relation: relation, id: $0)
                }
            }.first
        guard row.isWorkOf(sender, device) || isSigned(signature, in: StatementPlace(row)) else { return nil }
    }

    /// The time when the record of a message was first written; the time of an envelope that was added later is
    /// ignored.
    /// - Throws: `.damaged` when the stored bytes are no record's.
    static func time(of row: RecordRow) throws(ReplicaError) -> HybridTime {
        try row.content().field(named: "sent_at")?.entries.winner?.time ?? row.time
    }

    /// `.some(nil)` where the record names none, `nil` for an invalid one.
    private static func payload(_ body: RecordBody) -> Payload?? {
        guard let value = body.value("payload") else { return .some(nil) }
        guard case .bytes(let bytes) = value, let id = PayloadID(bytes), case .int64(let size) = body.value("size"),
            let byteCount = UInt64(exactly: size), byteCount <= PayloadWriter.byteCountMax
        else { return nil }
        return Payload(id: id, byteCount: byteCount)
    }

    /// `nil` for a field that names no accounts.
    private static func recipients(_ body: RecordBody) -> [AccountID]? {
        guard let value = body.value("to") else { return [] }
        guard case .list(let values) = value, !values.isEmpty else { return nil }
        var accounts: [AccountID] = []
        for value in values {
            guard case .string(let text) = value, let account = AccountID(text: text) else { return nil }
            accounts.append(account)
        }
        return accounts.sorted()
    }

    /// The marks of devices; `nil` where there are none, or something else.
    private static func readers(_ body: RecordBody) -> Set<UInt32>? {
        guard case .bytes(let bytes) = body.value("readers"), bytes.count.isMultiple(of: markByteCount),
            bytes.count <= markByteCount * readerCountMax
        else { return nil }
        return Set(
            stride(from: 0, to: bytes.count, by: markByteCount).map { start in
                bytes[start..<start + markByteCount].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
        )
    }

    private static func encoded(_ readers: Set<UInt32>) -> [UInt8] {
        readers.sorted().flatMap { mark in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: mark >> $0) } }
    }

    /// The write that makes the record.
    /// - Parameters:
    ///   - name: The record's name.
    ///   - place: The record.
    ///   - keys: The sender's keys.
    /// - Returns: The write.
    func write(name: String, in place: StatementPlace, signedBy keys: DeviceIdentity) -> RecordWrite {
        var set: [FieldAssignment] = [
            .init(field: "sender", value: .string(sender.text)),
            .init(field: "sent_at", value: .date(milliseconds: Int64(clamping: sentAt))),
            .init(field: "content_type", value: .string(contentType)),
        ]
        switch content {
        case .text(let text): set.append(.init(field: "content", value: .string(text)))
        case .bytes(let bytes): set.append(.init(field: "content", value: .bytes(bytes)))
        case .sealed(let sealed):
            set.append(.init(field: "sealed", value: .bytes(sealed.sealed)))
            set.append(.init(field: "envelopes", value: .bytes(sealed.encodedEnvelopes)))
        }
        if let payload {
            set.append(.init(field: "payload", value: .bytes(payload.id.bytes)))
            set.append(.init(field: "size", value: .int64(Int64(clamping: payload.byteCount))))
        }
        if !recipients.isEmpty {
            set.append(.init(field: "to", value: .list(recipients.map { .string($0.text) })))
        }
        if let reference { set.append(.init(field: reference.relation.rawValue, value: .string(reference.id.text))) }
        if let expires { set.append(.init(field: "expires_at", value: .date(milliseconds: Int64(clamping: expires)))) }
        if let readers { set.append(.init(field: "readers", value: .bytes(Self.encoded(readers)))) }
        set.append(.init(field: "signature", value: .bytes(signature(in: place, by: keys).bytes)))
        return RecordWrite(name: name, type: ReservedType.message, set: set, ifAbsent: true)
    }

    // MARK: The signature

    private func signature(in place: StatementPlace, by keys: DeviceIdentity) -> Signature64 {
        place.signature(over: statement, for: .messageSignature, by: keys)
    }

    private func isSigned(_ signature: Signature64, in place: StatementPlace) -> Bool {
        place.isSigned(statement, signature, for: .messageSignature, by: sender)
    }

    /// All that the sender states once for all, in the form that it signs.
    ///
    /// The envelopes are left out, which the sender changes when it seals the message again: an envelope that another
    /// device has made opens nothing, since the sealed content is committed to its key.
    private var statement: [UInt8] {
        var writer = WireWriter()
        writer.write(sender)
        writer.writeSigned(Int64(clamping: sentAt))
        writer.writeString(contentType)
        switch content {
        case .text(let text):
            writer.writeByte(0)
            writer.writeString(text)
        case .bytes(let bytes):
            writer.writeByte(1)
            writer.writeBytes(bytes)
        case .sealed(let sealed):
            writer.writeByte(2)
            writer.writeBytes(sealed.sealed)
        }
        writer.writeBool(payload != nil)
        if let payload {
            writer.write(payload.id)
            writer.writeSigned(Int64(clamping: payload.byteCount))
        }
        writer.writeList(recipients)
        writer.writeBool(reference != nil)
        if let reference {
            writer.writeString(reference.relation.rawValue)
            writer.writeFixed(reference.id.bytes, count: MessageID.byteCount)
        }
        writer.writeBool(expires != nil)
        if let expires { writer.writeSigned(Int64(clamping: expires)) }
        writer.writeBool(readers != nil)
        if let readers { writer.writeBytes(Self.encoded(readers)) }
        return writer.bytes
    }
}

extension Message.Content {
    /// Bytes of the content.
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .sealed(let sealed): sealed.contentByteCount
        }
    }

    fileprivate init?(_ body: RecordBody) {
        switch body.value("content") {
        case .string(let text): self = .text(text)
        case .bytes(let bytes): self = .bytes(bytes)
        default:
            guard case .bytes(let sealed) = body.value("sealed"), case .bytes(let envelopes) = body.value("envelopes"),
                let content = SealedContent(sealed: sealed, encodedEnvelopes: envelopes)
            else { return nil }
            self = .sealed(content)
        }
    }
}

extension RecordBody {
    /// The value of a field.
    func value(_ field: String) -> FieldValue? {
        self.field(named: field)?.entries.winner?.value
    }

    /// The value of a field, if it is a string.
    func string(_ field: String) -> String? {
        if case .string(let text) = value(field) { text } else { nil }
    }

    /// The value of a field, if it is a time since 1970, in milliseconds.
    fileprivate func time(_ field: String) -> UInt64? {
        if case .date(let milliseconds) = value(field) { UInt64(exactly: milliseconds) } else { nil }
    }
}
