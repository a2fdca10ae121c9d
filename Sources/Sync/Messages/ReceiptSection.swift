package import Wire

/// A part of a log in a zone: the receipts of a device for all messages that were made in it are one record.
package struct ReceiptSection: Hashable, Comparable, Sendable {
    /// The number of counters in a section.
    package static let counterCount: UInt64 = 128

    /// The actor whose log it is a part of.
    package let actor: ActorID
    /// Its number among the sections of the log, from 0.
    package let number: UInt64

    /// The section in which a write stands.
    package init(of dot: Dot) {
        (actor, number) = (dot.actor, dot.counter / Self.counterCount)
    }

    /// A section by its number; `nil` for one beyond all counters.
    init?(actor: ActorID, number: UInt64) {
        guard number <= Limits.counterMax / Self.counterCount else { return nil }
        (self.actor, self.number) = (actor, number)
    }

    /// The counters of the writes in it.
    package var counters: ClosedRange<UInt64> {
        let first = number * Self.counterCount
        return first...(first + Self.counterCount - 1)
    }

    /// By actor, then by number.
    package static func < (left: Self, right: Self) -> Bool {
        left.actor == right.actor ? left.number < right.number : left.actor < right.actor
    }
}

/// The name of a record of receipts: the actor that writes it, and the section that it is about.
///
/// Each actor has records of its own. So a store that was lost or rolled back builds on no statement of an earlier
/// lifetime, whose key it may lack, and an author that may only append changes no record of an ended right.
struct ReceiptName: Hashable {
    /// The beginning of all names.
    static let prefix = Message.namePrefix + "receipt/"

    let writer: ActorID
    let section: ReceiptSection

    /// The record's name.
    var text: String { "\(Self.prefix)\(writer.text)/\(section.actor.text)/\(section.number)" }

    init(writer: ActorID, section: ReceiptSection) {
        (self.writer, self.section) = (writer, section)
    }

    /// Reads a name; `nil` for that of another record.
    init?(text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let parts = text.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let writer = ActorID(text: String(parts[0])),
            let actor = ActorID(text: String(parts[1])), let number = UInt64(parts[2]),
            let section = ReceiptSection(actor: actor, number: number)
        else { return nil }
        self.init(writer: writer, section: section)
        // A number has one form.
        guard self.text.isBytewiseEqual(to: text) else { return nil }
    }
}

/// A message as a receipt names it: by the place of the write that made its record, and by the beginning of its id.
///
/// The place alone names one message as long as the sender's log has one history. Two histories have two messages of
/// one place, also after the writes behind the fork were restated, since these keep their dots.
struct ReceiptSubject: Hashable, Comparable {
    /// The place in the section.
    let offset: UInt8
    /// The first four bytes of the message's id.
    let mark: UInt32

    /// The number of bytes of a mark.
    static let markByteCount = 4

    init(offset: UInt8, mark: UInt32) {
        (self.offset, self.mark) = (offset, mark)
    }

    /// Names a message.
    /// - Parameters:
    ///   - id: The message.
    ///   - place: The write that made its record.
    init(_ id: MessageID, madeBy place: Dot) {
        offset = UInt8(truncatingIfNeeded: place.counter % ReceiptSection.counterCount)
        mark = id.bytes.prefix(Self.markByteCount).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }

    /// By place, then by mark.
    static func < (left: Self, right: Self) -> Bool {
        left.offset == right.offset ? left.mark < right.mark : left.offset < right.offset
    }
}

/// A device's statement about one message.
///
/// `offset 1 ‖ mark 4 ‖ state 1`
struct ReceiptStatement: Hashable {
    let subject: ReceiptSubject
    let state: MessageReceipts.State

    /// The number of bytes of a statement.
    static let byteCount = 1 + ReceiptSubject.markByteCount + 1
}

extension ReceiptStatement: WireCodable {
    func encode(into writer: inout WireWriter) {
        writer.writeByte(subject.offset)
        for shift in [24, 16, 8, 0] as [UInt32] { writer.writeByte(UInt8(truncatingIfNeeded: subject.mark >> shift)) }
        writer.writeByte(state.rawValue)
    }

    init(from reader: inout WireReader) throws(WireError) {
        let offset = try reader.readByte()
        guard UInt64(offset) < ReceiptSection.counterCount else { throw .invalidValue("receipt offset") }
        let mark = try reader.readFixed(ReceiptSubject.markByteCount).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard let state = MessageReceipts.State(rawValue: try reader.readByte()) else {
            throw .invalidValue("receipt state")
        }
        self.init(subject: ReceiptSubject(offset: offset, mark: mark), state: state)
    }
}

extension ReceiptStatement: WireOrdered {
    /// By the message.
    var orderKey: ReceiptSubject { subject }
}
