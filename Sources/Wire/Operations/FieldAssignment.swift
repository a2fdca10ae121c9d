/// A field and its new value.
package struct FieldAssignment: Hashable, Sendable {
    /// The field's name, 1...255 bytes.
    package var field: String
    /// Its value; increments, insertions and withdrawals change counters and sets instead.
    package var value: FieldValue

    /// An assignment.
    package init(field: String, value: FieldValue) {
        self.field = field
        self.value = value
    }
}

/// An addition to a counter.
package struct CounterIncrement: Hashable, Sendable {
    /// The field; it is absent or a counter.
    package var field: String
    /// The added amount; negative to subtract.
    ///
    /// Sums wrap around at 64 bits.
    package var amount: Int64

    /// An increment.
    package init(field: String, amount: Int64) {
        self.field = field
        self.amount = amount
    }
}

/// Elements that enter or leave a set.
package struct SetElements: Hashable, Sendable {
    /// The field; it is absent or a set.
    package var field: String
    /// The elements; neither lists, sets nor counters.
    package var values: [FieldValue]

    /// Elements of a set field.
    package init(field: String, values: [FieldValue]) {
        self.field = field
        self.values = values
    }
}

/// A change of a record's parent.
package enum ParentChange: Hashable, Sendable {
    /// It stays as it is; none on a new record.
    case keep
    /// It becomes the record of this name.
    case set(String)
    /// The parent is removed.
    case clear
}

extension ParentChange: WireCodable {
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

extension FieldAssignment: WireCodable {
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

extension CounterIncrement: WireCodable {
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

extension SetElements: WireCodable {
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
    mutating func readName() throws(WireError) -> String {
        try readString(minimum: 1, maximum: Limits.nameByteCountMax)
    }
}
