import Capabilities
import Identity
import Records
import Sodium
import Wire

/// A device's statements about the messages that were made in one section of a sender's log: a record of its own.
///
/// | field | value |
/// |---|---|
/// | `states` | bytes: the device's signature over the list, and a list of ``ReceiptStatement``, ascending |
///
/// Only values that the device itself has written are effective. The signature is a part of the value, since several
/// values may stand, and each shows its author.
struct MessageReceipts: Equatable {
    /// The progress of a message; the raw values are protocol.
    enum State: UInt8 {
        /// The device has it, and can read it.
        case delivered = 1
        /// The device has it, and cannot open it.
        case failed = 2
        /// An application has finished it.
        case read = 3
    }

    /// The most statements of one record: four histories of a section in which each write is a message.
    static let statementCountMax = 4 * Int(ReceiptSection.counterCount)
    /// The field with the statements.
    static let field = "states"

    /// The actor that states them, and the section.
    let name: ReceiptName
    /// The writes of them that stand and are the device's; several where a log has two histories, or a store was
    /// rolled back unnoticed.
    let entries: [FieldEntry]

    /// Reads a record; `nil` for another record, a deleted one, and one in which another device has written.
    /// - Parameters:
    ///   - row: The record.
    ///   - author: The device of an actor that writes in the zone.
    /// - Throws: `.damaged` when the stored bytes are no record's.
    init?(_ row: RecordRow, device author: (ActorID) -> DeviceID?) throws(ReplicaError) {
        guard row.type == ReservedType.receipt, !row.isDeleted, let name = ReceiptName(text: row.name),
            let device = author(name.writer)
        else { return nil }
        let body = try row.content()
        guard let field = body.field(named: Self.field),
            body.fields.allSatisfy({ $0.entries.allSatisfy { author($0.dot.actor) == device } })
        else { return nil }
        self.name = name
        let (isItsWork, place) = (row.isWorkOf(device, author), StatementPlace(row))
        entries = field.entries.filter { isItsWork || Self.isSigned($0.value, in: place, by: device) }
    }

    /// The stated progress of each message.
    var states: [ReceiptSubject: State] { Self.states(entries) }

    /// The stated progress of each message by some writes of one device.
    ///
    /// *Read* is never withdrawn, so a statement of a rolled-back store reverts nothing. Of others the latest is
    /// effective.
    /// - Parameter entries: The writes, in any order, of one record or of several about one section.
    /// - Returns: The progress of each message that they name.
    /// - Complexity: O(statements).
    static func states(_ entries: [FieldEntry]) -> [ReceiptSubject: State] {
        var states: [ReceiptSubject: State] = [:]
        for entry in entries.sorted(by: { $0.isShown(before: $1) }) {
            for statement in statements(in: entry.value) where states[statement.subject] != .read {
                states[statement.subject] = statement.state
            }
        }
        return states
    }

    /// The statements in a value; none in one that is no list of them.
    private static func statements(in value: FieldValue) -> [ReceiptStatement] {
        guard let list = parts(of: value)?.list else { return [] }
        do {
            var reader = WireReader(list)
            let statements: [ReceiptStatement] = try reader.readAscending(
                maximum: statementCountMax,
                itemByteCountMin: ReceiptStatement.byteCount
            )
            try reader.finish()
            return statements
        } catch {
            return []
        }
    }

    /// The signature in a value, and the encoded list behind it.
    private static func parts(of value: FieldValue) -> (signature: Signature64, list: [UInt8])? {
        guard case .bytes(let bytes) = value, let signature = Signature64(bytes.prefix(Signature64.byteCount)) else {
            return nil
        }
        return (signature, Array(bytes.dropFirst(Signature64.byteCount)))
    }

    private static func isSigned(_ value: FieldValue, in place: StatementPlace, by device: DeviceID) -> Bool {
        guard let (signature, list) = parts(of: value) else { return false }
        return place.isSigned(list, signature, for: .receiptsSignature, by: device)
    }

    /// The write that states the progress of messages, in place of all that the record has.
    /// - Parameters:
    ///   - states: The progress of each message; of more than ``statementCountMax`` the first ones are stated.
    ///   - name: The record's name.
    ///   - place: The record.
    ///   - keys: The keys of the device that states them.
    /// - Returns: The write.
    static func write(
        _ states: [ReceiptSubject: State],
        named name: ReceiptName,
        in place: StatementPlace,
        signedBy keys: DeviceIdentity
    ) -> RecordWrite {
        let statements = states.map { ReceiptStatement(subject: $0.key, state: $0.value) }
            .sorted { $0.subject < $1.subject }
        var writer = WireWriter()
        writer.writeList(Array(statements.prefix(statementCountMax)))
        let signature = place.signature(over: writer.bytes, for: .receiptsSignature, by: keys)
        let value = FieldValue.bytes(signature.bytes + writer.bytes)
        return .statement(name.text, type: ReservedType.receipt, [.init(field: field, value: value)])
    }

    /// Whether a right lets its holder write receipts, or the messages themselves.
    /// - Parameters:
    ///   - level: The level of the right.
    ///   - caveats: The caveats that narrow it.
    ///   - type: The type of the records: that of receipts, or of messages.
    ///   - prefix: The beginning of the names of the records.
    ///   - wall: The time, in milliseconds since 1970.
    /// - Returns: False where it does not let its holder write, names other types or names, or is not in its time.
    static func isAllowed(
        _ level: AccessLevel,
        _ caveats: Caveats,
        type: String = ReservedType.receipt,
        named prefix: String = ReceiptName.prefix,
        at wall: UInt64
    ) -> Bool {
        guard level >= .append, caveats.allows(type: type), caveats.allows(name: prefix) else { return false }
        // It makes no difference whether it is too early or too late.
        return (try? caveats.checkTime(wall)) != nil
    }
}
