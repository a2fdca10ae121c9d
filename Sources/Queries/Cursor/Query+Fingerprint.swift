import Wire

extension Query {
    /// Eight bytes that distinguish one query from another, so that a program that mixes up its cursors gets an
    /// error.
    ///
    /// It is no secret and protects nothing: a cursor says where to go on, and grants no access.
    /// Source: Fowler, Noll, Vo, FNV-1a with 64 bits.
    var fingerprint: UInt64 {
        identity.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Bytes that no other question has, however its text was written.
    package var identity: [UInt8] {
        var writer = WireWriter(capacity: 128)
        writer.writeString(type.string)
        if let predicate { predicate.write(into: &writer) }
        for key in sort {
            writer.writeString(key.field.text)
            writer.writeBool(key.isAscending)
        }
        return writer.bytes
    }
}

extension Predicate {
    /// Writes the condition so that no two have the same bytes.
    fileprivate func write(into writer: inout WireWriter) {
        switch self {
        case .compare(let field, let comparison, let value):
            writer.begin(1, field)
            writer.writeString(comparison.rawValue)
            writer.write(value)
        case .oneOf(let field, let values):
            writer.begin(2, field)
            writer.writeList(values)
        case .beginsWith(let field, let prefix):
            writer.begin(3, field)
            writer.writeString(prefix.string)
        case .contains(let field, let value):
            writer.begin(4, field)
            writer.write(value)
        case .between(let field, let low, let high):
            writer.begin(5, field)
            writer.writeList([low, high])
        case .near(let field, let latitude, let longitude, let metres):
            writer.begin(6, field)
            for number in [latitude, longitude, metres] { writer.writeDouble(number) }
        case .matches(let field, let pattern):
            writer.begin(7, field)
            writer.writeString(pattern.text.string)
        case .exists(let field): writer.begin(8, field)
        case .isNull(let field): writer.begin(9, field)
        case .not(let inner): Self.write([inner], 10, into: &writer)
        case .all(let inner): Self.write(inner, 11, into: &writer)
        case .any(let inner): Self.write(inner, 12, into: &writer)
        }
    }

    private static func write(_ inner: [Predicate], _ kind: UInt8, into writer: inout WireWriter) {
        writer.writeByte(kind)
        writer.writeCount(inner.count)
        for predicate in inner { predicate.write(into: &writer) }
    }
}

extension WireWriter {
    fileprivate mutating func begin(_ kind: UInt8, _ field: QueryField) {
        writeByte(kind)
        writeString(field.text)
        if case .system = field { writeBool(true) } else { writeBool(false) }
    }
}
