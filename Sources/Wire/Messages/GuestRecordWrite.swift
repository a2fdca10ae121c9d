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
    package var parent: ParentChange
    /// New values.
    package var set: [FieldAssignment]
    /// The fields to remove.
    package var removed: [String]
    /// Additions to counters.
    package var increments: [CounterIncrement]
    /// Elements that enter sets.
    package var insertions: [SetElements]
    /// Elements that leave sets.
    package var withdrawals: [SetElements]

    /// A write.
    /// - Parameters: as the properties of the same names.
    /// - Precondition: a version has 16 bytes.
    package init(
        name: String,
        type: String? = nil,
        flags: Flags = [],
        ifVersion: [UInt8]? = nil,
        parent: ParentChange = .keep,
        set: [FieldAssignment] = [],
        removed: [String] = [],
        increments: [CounterIncrement] = [],
        insertions: [SetElements] = [],
        withdrawals: [SetElements] = []
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
        parent = try ParentChange(from: &reader)
        set = try reader.readList(maximum: Limits.fieldCountMax, itemByteCountMin: FieldAssignment.byteCountMin)
        let count = try reader.readCount(maximum: Limits.fieldCountMax, itemByteCountMin: 2)
        removed = []
        for _ in 0..<count { removed.append(try reader.readName()) }
        increments = try reader.readList(maximum: Limits.fieldCountMax, itemByteCountMin: CounterIncrement.byteCountMin)
        insertions = try reader.readList(maximum: Limits.fieldCountMax, itemByteCountMin: SetElements.byteCountMin)
        withdrawals = try reader.readList(maximum: Limits.fieldCountMax, itemByteCountMin: SetElements.byteCountMin)
    }
}
