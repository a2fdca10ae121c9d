/// One value of a field with the write that gave it.
///
/// ```
/// +-----+----------+------------+
/// | dot | time 8 B | FieldValue |
/// +-----+----------+------------+
/// ```
package struct FieldEntry: Hashable, Sendable {
    /// The write that last gave the field this value.
    package var dot: Dot
    /// That write's clock.
    package var time: HybridTime
    /// The value.
    package var value: FieldValue

    /// Makes an entry.
    package init(dot: Dot, time: HybridTime, value: FieldValue) {
        self.dot = dot
        self.time = time
        self.value = value
    }
}

extension FieldEntry: WireCodable, WireOrdered {
    package var orderKey: Order { Order(entry: self) }

    /// By dot; values that a device wrote under one dot twice, after its log forked, by clock and value.
    package struct Order: Comparable {
        fileprivate let entry: FieldEntry

        package static func == (left: Self, right: Self) -> Bool { left.entry == right.entry }

        package static func < (left: Self, right: Self) -> Bool {
            let (one, other) = (left.entry, right.entry)
            if one.dot != other.dot { return one.dot < other.dot }
            if one.time != other.time { return one.time < other.time }
            return one.value.encoded.lexicographicallyPrecedes(other.value.encoded)
        }
    }

    package func encode(into writer: inout WireWriter) {
        writer.write(dot)
        writer.write(time)
        writer.write(value)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        dot = try Dot(from: &reader)
        time = try HybridTime(from: &reader)
        value = try FieldValue(from: &reader)
    }

    /// The shortest encoding.
    static var byteCountMin: Int { Dot.byteCountMin + 8 + 2 }
}
