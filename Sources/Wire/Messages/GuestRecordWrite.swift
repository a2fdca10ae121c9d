/// A change to one record, requested by an account that may not write it itself.
///
/// ```
/// +-------------+-----------------+---------+------------------------+--------+-----------------------------+
/// | name string | type (optional) | flags 1 | ifVersion (optional) 16 | parent | count × (field, FieldValue) |
/// +-------------+-----------------+---------+------------------------+--------+-----------------------------+
/// +--------------------------+-----------------------------------+----------------------------------------------+
/// | count × removed (string) | count × (field, increment signed) | 2 × count × (field, count × FieldValue)      |
/// +--------------------------+-----------------------------------+----------------------------------------------+
///
/// flags   1 delete   2 fields that are not named are taken away   4 it must not exist   8 conflicts were seen
/// parent  0 as it is   1 ‖ name   2 none
/// ```
///
/// The last two lists are the values added to sets and removed from them. Lists keep the order given: a field that is
/// stated twice is refused where records are written.
package struct GuestRecordWrite: Hashable, Sendable {
    /// A field and its new value.
    package struct Assignment: Hashable, Sendable {
        /// The field's name.
        package var field: String
        /// Its value.
        package var value: FieldValue

        /// An assignment.
        package init(field: String, value: FieldValue) {
            self.field = field
            self.value = value
        }
    }

    /// A counter and the amount to add to it.
    package struct Increment: Hashable, Sendable {
        /// The field's name.
        package var field: String
        /// The amount to add.
        package var amount: Int64

        /// An increment.
        package init(field: String, amount: Int64) {
            self.field = field
            self.amount = amount
        }
    }

    /// A set and some of its elements.
    package struct Elements: Hashable, Sendable {
        /// The field's name.
        package var field: String
        /// The elements.
        package var values: [FieldValue]

        /// Elements.
        package init(field: String, values: [FieldValue]) {
            self.field = field
            self.values = values
        }
    }

    /// The change to the record's parent.
    package enum Parent: Hashable, Sendable {
        /// It stays.
        case keep
        /// It becomes the record of this name.
        case set(String)
        /// The parent is removed.
        case clear
    }

    /// The options of the write, beside the fields.
    package struct Flags: OptionSet, Hashable, Sendable {
        /// The bits.
        package let rawValue: UInt8

        /// Takes bits, with or without a meaning; a decoder refuses those without.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The record is deleted.
        package static let delete = Flags(rawValue: 1)
        /// Fields that are not named are removed.
        package static let replaceAll = Flags(rawValue: 2)
        /// The record must not exist.
        package static let ifAbsent = Flags(rawValue: 4)
        /// Losing values are dropped, under any version.
        package static let resolve = Flags(rawValue: 8)

        static let all: Flags = [.delete, .replaceAll, .ifAbsent, .resolve]
    }

    /// The record's name.
    package var name: String
    /// The record's type, if one was given.
    package var type: String?
    /// The options of the write, beside the fields.
    package var flags: Flags
    /// The 16 bytes of the version that the record must have, if one was given.
    package var ifVersion: [UInt8]?
    /// The change to the record's parent.
    package var parent: Parent
    /// New values.
    package var set: [Assignment]
    /// The fields to remove.
    package var removed: [String]
    /// Additions to counters.
    package var increments: [Increment]
    /// Elements that enter sets.
    package var insertions: [Elements]
    /// Elements that leave sets.
    package var withdrawals: [Elements]

    /// A write.
    /// - Parameters: as the properties of the same names.
    /// - Precondition: a version has 16 bytes.
    package init(
        name: String,
        type: String? = nil,
        flags: Flags = [],
        ifVersion: [UInt8]? = nil,
        parent: Parent = .keep,
        set: [Assignment] = [],
        removed: [String] = [],
        increments: [Increment] = [],
        insertions: [Elements] = [],
        withdrawals: [Elements] = []
    ) {
        precondition(ifVersion == nil || ifVersion?.count == Self.versionByteCount, "a version has 16 bytes")
        self.name = name
        self.type = type
        self.flags = flags
        self.ifVersion = ifVersion
        self.parent = parent
        self.set = set
        self.removed = removed
        self.increments = increments
        self.insertions = insertions
        self.withdrawals = withdrawals
    }

    /// How many bytes a record's version has.
    package static let versionByteCount = 16
    /// The smallest write: a name of one byte, and nothing else.
    static let byteCountMin = 11
}

extension GuestRecordWrite: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeString(name)
        writer.writeBool(type != nil)
        if let type { writer.writeString(type) }
        writer.writeByte(flags.rawValue)
        writer.writeBool(ifVersion != nil)
        if let ifVersion { writer.writeFixed(ifVersion, count: Self.versionByteCount) }
        writer.write(parent)
        writer.writeList(set)
        writer.writeCount(removed.count)
        for name in removed { writer.writeString(name) }
        writer.writeList(increments)
        writer.writeList(insertions)
        writer.writeList(withdrawals)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        name = try reader.readName()
        type = try reader.readBool() ? try reader.readName() : nil
        flags = Flags(rawValue: try reader.readByte())
        guard Flags.all.isSuperset(of: flags) else { throw .invalidValue("flags of a write") }
        ifVersion = try reader.readBool() ? try reader.readFixed(Self.versionByteCount) : nil
        parent = try Parent(from: &reader)
        set = try reader.readList(maximum: Limits.fieldCountMax, itemByteCountMin: Assignment.byteCountMin)
        let count = try reader.readCount(maximum: Limits.fieldCountMax, itemByteCountMin: 2)
        removed = []
        for _ in 0..<count { removed.append(try reader.readName()) }
        increments = try reader.readList(maximum: Limits.fieldCountMax, itemByteCountMin: Increment.byteCountMin)
        insertions = try reader.readList(maximum: Limits.fieldCountMax, itemByteCountMin: Elements.byteCountMin)
        withdrawals = try reader.readList(maximum: Limits.fieldCountMax, itemByteCountMin: Elements.byteCountMin)
    }
}

extension GuestRecordWrite.Parent: WireCodable {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .keep: writer.writeByte(0)
        case .set(let name):
            writer.writeByte(1)
            writer.writeString(name)
        case .clear: writer.writeByte(2)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .keep
        case 1: self = .set(try reader.readName())
        case 2: self = .clear
        default: throw .invalidValue("parent of a write")
        }
    }
}

extension GuestRecordWrite.Assignment: WireCodable {
    /// A name of one byte, and a value without any payload.
    static let byteCountMin = 4

    package func encode(into writer: inout WireWriter) {
        writer.writeString(field)
        writer.write(value)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        field = try reader.readName()
        value = try FieldValue(from: &reader)
    }
}

extension GuestRecordWrite.Increment: WireCodable {
    static let byteCountMin = 3

    package func encode(into writer: inout WireWriter) {
        writer.writeString(field)
        writer.writeSigned(amount)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        field = try reader.readName()
        amount = try reader.readSigned()
    }
}

extension GuestRecordWrite.Elements: WireCodable {
    static let byteCountMin = 3

    package func encode(into writer: inout WireWriter) {
        writer.writeString(field)
        writer.writeList(values)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        field = try reader.readName()
        values = try reader.readList(maximum: Limits.setElementCountMax, itemByteCountMin: 2)
    }
}

extension WireReader {
    /// Reads the name of a record, a type or a field.
    /// - Returns: 1...255 bytes of UTF-8.
    /// - Throws: as `readString(minimum:maximum:)`.
    fileprivate mutating func readName() throws(WireError) -> String {
        try readString(minimum: 1, maximum: Limits.nameByteCountMax)
    }
}
