/// A record's whole state as one write leaves it.
///
/// ```
/// +------+-------------+-------------+-----------+-----------------+--------------+---------------+
/// |  1   | name string | type string | isDeleted | parent optional | creator 32 B | modifier 32 B |
/// +------+-------------+-------------+-----------+-----------------+--------------+---------------+
/// +--------------+-----------------------+--------------------------+
/// | count varint | count × RecordField   | unknownExtension bytes   |   names strictly ascending by bytes
/// +--------------+-----------------------+--------------------------+
/// ```
package struct RecordBody: Sendable {
    /// The record's name, unique in its zone; 1...255 bytes of UTF-8, compared by bytes.
    package var name: String
    /// The record's type; 1...255 bytes of UTF-8.
    package var type: String
    /// Whether this write deletes the record.
    ///
    /// A tombstone may carry fields; they are those that the delete has seen.
    package var isDeleted: Bool
    /// The name of the record this one belongs to.
    package var parent: String?
    /// The device that created the record.
    package var creator: DeviceID
    /// The device that made this write.
    package var modifier: DeviceID
    /// The fields, ascending by the bytes of their names; at most 1,000.
    package let fields: [RecordField]
    /// Bytes of a later version that are carried on as they are; empty today.
    package var unknownExtension: [UInt8]

    /// Makes a body, and sorts the fields.
    /// - Parameters: as the properties of the same names. No two fields have one name.
    package init(
        name: String,
        type: String,
        isDeleted: Bool,
        parent: String?,
        creator: DeviceID,
        modifier: DeviceID,
        fields: [RecordField],
        unknownExtension: [UInt8] = []
    ) {
        self.name = name
        self.type = type
        self.isDeleted = isDeleted
        self.parent = parent
        self.creator = creator
        self.modifier = modifier
        self.fields = fields.inWireOrder()
        self.unknownExtension = unknownExtension
    }

    /// The format that this code writes and reads.
    package static let format: UInt8 = 1

    /// The field of a name, compared by bytes; `nil` when there is none.
    /// - Complexity: O(log n).
    package func field(named name: String) -> RecordField? {
        var low = 0
        var high = fields.count
        while low < high {
            let middle = low + (high - low) / 2
            if fields[middle].name.isBytewiseLess(than: name) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < fields.count, fields[low].name.isBytewiseEqual(to: name) else { return nil }
        return fields[low]
    }
}

extension RecordBody: Equatable {
    /// Whether both have the same encoding.
    package static func == (left: Self, right: Self) -> Bool {
        left.isDeleted == right.isDeleted && left.creator == right.creator && left.modifier == right.modifier
            && left.name.isBytewiseEqual(to: right.name) && left.type.isBytewiseEqual(to: right.type)
            && left.parent.map(BytewiseString.init) == right.parent.map(BytewiseString.init)
            && left.fields == right.fields && left.unknownExtension == right.unknownExtension
    }
}

extension RecordBody: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(Self.format)
        writer.writeString(name)
        writer.writeString(type)
        writer.writeBool(isDeleted)
        writer.writeBool(parent != nil)
        if let parent {
            writer.writeString(parent)
        }
        writer.write(creator)
        writer.write(modifier)
        writer.writeList(fields)
        writer.writeBytes(unknownExtension)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        // A receiver meets a body inside an operation that is bounded already; a writer's own check ends here.
        guard reader.remaining <= Limits.bodyByteCountMax else { throw .tooLong(limit: Limits.bodyByteCountMax) }
        try reader.readFormat(Self.format)
        name = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
        type = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
        isDeleted = try reader.readBool()
        let hasParent = try reader.readBool()
        parent = hasParent ? try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax) : nil
        creator = DeviceID(try reader.readDigest())
        modifier = DeviceID(try reader.readDigest())
        fields = try reader.readAscending(
            maximum: Limits.fieldCountMax,
            itemByteCountMin: RecordField.byteCountMin
        )
        unknownExtension = try reader.readBytes(maximum: Limits.extensionByteCountMax)
    }
}
