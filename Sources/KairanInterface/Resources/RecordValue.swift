public import FoundationEssentials

/// The value of one field of a record.
///
/// JSON has fewer kinds of values than records have, so those that it lacks travel as an object with one `$` key, for
/// example `{"$date": "2026-07-21T09:30:00.125Z"}`. A number without fraction and exponent is an integer, every other
/// number a double; a double without fraction is therefore written `{"$double": 3}`.
///
/// ```swift
/// let fields: NameDictionary<RecordValue> = ["title": "Milk", "count": 2, "due": .date(.now)]
/// ```
///
/// Text is compared by its bytes, as names are: "é" in one scalar and in two are different values, and saving one
/// after the other is a change.
public indirect enum RecordValue: Sendable {
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
    /// Bytes that travel apart from the record, as those of a photo; they are described, not contained.
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

extension RecordValue: Hashable {
    /// Whether both are the same value of the same kind.
    public static func == (left: RecordValue, right: RecordValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)), (.anchor(let left), .anchor(let right)):
            left.isSameName(as: right)
        case (.integer(let left), .integer(let right)), (.counter(let left), .counter(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.location(let latitude, let longitude), .location(let otherLatitude, let otherLongitude)):
            latitude == otherLatitude && longitude == otherLongitude
        case (.reference(let zone, let record), .reference(let otherZone, let otherRecord)):
            zone == otherZone && record.isSameName(as: otherRecord)
        case (.set(let left), .set(let right)), (.list(let left), .list(let right)): left == right
        case (.asset(let left), .asset(let right)): left == right
        case (.null, .null): true
        case (.unknown(let tag, let bytes), .unknown(let otherTag, let otherBytes)):
            tag == otherTag && bytes == otherBytes
        default: false
        }
    }

    /// Feeds kind and value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let text): Self.feed(0, Name(text), into: &hasher)
        case .integer(let number): Self.feed(1, number, into: &hasher)
        case .double(let number): Self.feed(2, number, into: &hasher)
        case .bool(let value): Self.feed(3, value, into: &hasher)
        case .bytes(let bytes): Self.feed(4, bytes, into: &hasher)
        case .date(let date): Self.feed(5, date, into: &hasher)
        case .location(let latitude, let longitude): Self.feed(6, [latitude, longitude], into: &hasher)
        case .reference(_, let record): Self.feed(7, Name(record), into: &hasher)
        case .anchor(let record): Self.feed(8, Name(record), into: &hasher)
        case .counter(let total): Self.feed(9, total, into: &hasher)
        case .set(let elements): Self.feed(10, elements, into: &hasher)
        case .asset(let asset): Self.feed(11, asset, into: &hasher)
        case .list(let elements): Self.feed(12, elements, into: &hasher)
        case .null: Self.feed(13, 0, into: &hasher)
        case .unknown(let tag, _): Self.feed(14, tag, into: &hasher)
        }
    }

    private static func feed(_ kind: UInt8, _ value: some Hashable, into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(value)
    }
}
