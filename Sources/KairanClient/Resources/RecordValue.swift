public import FoundationEssentials

/// The value of one field of a record.
///
/// JSON has fewer kinds of values than records have, so those that it lacks travel as an object with one `$` key, for
/// example `{"$date": "2026-07-21T09:30:00.125Z"}`. A number without fraction and exponent is an integer, every other
/// number a double; a double without fraction is therefore written `{"$double": 3}`.
///
/// ```swift
/// let fields: [String: RecordValue] = ["title": "Milk", "count": 2, "due": .date(.now)]
/// ```
public indirect enum RecordValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A 64-bit integer.
    case integer(Int64)
    /// A double, with NaN and the infinities.
    case double(Double)
    /// True or false.
    case bool(Bool)
    /// Bytes.
    case bytes([UInt8])
    /// A point in time, to the millisecond.
    case date(Date)
    /// A place on earth, in degrees.
    case location(latitude: Double, longitude: Double)
    /// Another record, in the same zone when `zone` is `nil`.
    case reference(zone: String?, record: String)
    /// Another record of the same zone, with which this one is deleted; only as a field's own value.
    case anchor(record: String)
    /// A sum to which every device adds independently.
    case counter(Int64)
    /// Distinct values that devices add and remove independently.
    case set([RecordValue])
    /// A large object that is kept beside the record; it is described, not contained.
    case asset(AssetDescription)
    /// Values in order.
    case list([RecordValue])
    /// An explicit nothing, which is not the same as an absent field.
    case null
    /// A value of a kind that a newer version wrote: kept and shown, not to be written.
    case unknown(tag: UInt64, bytes: [UInt8])
}

extension RecordValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByNilLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A double.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A list.
    public init(arrayLiteral elements: RecordValue...) { self = .list(elements) }
    /// An explicit nothing.
    public init(nilLiteral: ()) { self = .null }
}
