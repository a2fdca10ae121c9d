public import FoundationEssentials

/// A value that a ``RecordPredicate`` can compare fields with.
public protocol PredicateValue {
    /// The value as a field of its type holds it.
    var predicateValue: RecordValue { get }
}

extension RecordValue: PredicateValue {
    /// The value itself; places, sets, lists, null and numbers that are not finite can be compared with nothing.
    public var predicateValue: RecordValue { self }
}

extension String: PredicateValue {
    /// Text.
    public var predicateValue: RecordValue { .string(self) }
}

extension Substring: PredicateValue {
    /// Text.
    public var predicateValue: RecordValue { .string(String(self)) }
}

extension Bool: PredicateValue {
    /// True or false.
    public var predicateValue: RecordValue { .bool(self) }
}

extension Int: PredicateValue {
    /// An integer.
    public var predicateValue: RecordValue { .integer(Int64(self)) }
}

extension Int64: PredicateValue {
    /// An integer.
    public var predicateValue: RecordValue { .integer(self) }
}

extension Int32: PredicateValue {
    /// An integer.
    public var predicateValue: RecordValue { .integer(Int64(self)) }
}

extension UInt32: PredicateValue {
    /// An integer.
    public var predicateValue: RecordValue { .integer(Int64(self)) }
}

extension Double: PredicateValue {
    /// A number, which has to be finite.
    public var predicateValue: RecordValue { .double(self) }
}

extension Float: PredicateValue {
    /// A number, which has to be finite.
    public var predicateValue: RecordValue { .double(Double(self)) }
}

extension Date: PredicateValue {
    /// A time, to the millisecond.
    public var predicateValue: RecordValue { .date(self) }
}

extension Data: PredicateValue {
    /// Bytes.
    public var predicateValue: RecordValue { .bytes(Array(self)) }
}

extension UUID: PredicateValue {
    /// Text, as ``RecordEncoder`` writes it.
    public var predicateValue: RecordValue { .string(uuidString) }
}

extension URL: PredicateValue {
    /// Text, as ``RecordEncoder`` writes it.
    public var predicateValue: RecordValue { .string(absoluteString) }
}

extension RecordReference: PredicateValue {
    /// A reference; it is compared without whether its record is deleted with the other one.
    public var predicateValue: RecordValue { .reference(zone: zone, record: record) }
}

extension Counter: PredicateValue {
    /// The sum.
    public var predicateValue: RecordValue { .integer(total) }
}
