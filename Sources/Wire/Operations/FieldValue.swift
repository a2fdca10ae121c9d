/// The value of a field.
///
/// ```
/// +------------+----------------+---------+
/// | tag varint | length varint  | payload |
/// +------------+----------------+---------+
///  0 null       -                               7 location   latitude, longitude: doubles
///  1 string     UTF-8 (all of the payload)      8 reference  optional zone 32 B, record string
///  2 int64      signed                          9 asset      AssetDescriptor
///  3 double     8 bytes                        10 list       count, values
///  4 bool       0 or 1                         11 counter    CounterState
///  5 bytes      all of the payload             12 set        SetState
///  6 date       signed milliseconds            13 anchor     record string
///                                              14…           kept as they are
/// ```
///
/// The payload has a length so that a version that does not know a tag can keep and forward it byte for byte.
/// Two values are equal exactly when their encodings are: strings by bytes, doubles by bits, with all NaN alike.
package enum FieldValue: Sendable {
    /// Text.
    case string(String)
    /// A whole number.
    case int64(Int64)
    /// A floating-point number.
    case double(Double)
    /// Yes or no.
    case bool(Bool)
    /// Raw bytes.
    case bytes([UInt8])
    /// A moment in milliseconds since 1970.
    case date(milliseconds: Int64)
    /// A place on earth in degrees.
    case location(latitude: Double, longitude: Double)
    /// Another record by name; `nil` = in the same zone.
    indirect case reference(zone: ZoneID?, record: String)
    /// Another record of the same zone, with which this one is deleted.
    indirect case anchor(record: String)
    /// Bytes that travel apart from the record: a photo, or any other file.
    indirect case asset(AssetDescriptor)
    /// Values in order; at most `Limits.nestingDepthMax` lists in each other.
    case list([FieldValue])
    /// A mergeable sum; only as a field's own value.
    case counter(CounterState)
    /// A mergeable set; only as a field's own value.
    case set(SetState)
    /// Nothing, stated explicitly.
    case null
    /// A kind that a later version knows; `tag` is at least `FieldValue.firstUnknownTag`.
    indirect case unknown(tag: UInt64, bytes: [UInt8])
}

extension FieldValue {
    /// The smallest tag without a meaning in this version.
    package static let firstUnknownTag: UInt64 = 14

    /// The number that stands for the value's kind on the wire.
    package var tag: UInt64 {
        switch self {
        case .null: 0
        case .string: 1
        case .int64: 2
        case .double: 3
        case .bool: 4
        case .bytes: 5
        case .date: 6
        case .location: 7
        case .reference: 8
        case .asset: 9
        case .list: 10
        case .counter: 11
        case .set: 12
        case .anchor: 13
        case .unknown(let tag, _): tag
        }
    }

    /// Whether the value may be an element of a set: containers may not.
    package var isSetElement: Bool {
        switch self {
        case .list, .counter, .set: false
        default: true
        }
    }
}

extension FieldValue: Hashable {
    /// Whether both have the same encoding.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.string(let first), .string(let second)): first.isBytewiseEqual(to: second)
        case (.int64(let first), .int64(let second)): first == second
        case (.double(let first), .double(let second)): first.canonicalBitPattern == second.canonicalBitPattern
        case (.bool(let first), .bool(let second)): first == second
        case (.bytes(let first), .bytes(let second)): first == second
        case (.date(let first), .date(let second)): first == second
        case (.location(let latitude, let longitude), .location(let otherLatitude, let otherLongitude)):
            latitude.canonicalBitPattern == otherLatitude.canonicalBitPattern
                && longitude.canonicalBitPattern == otherLongitude.canonicalBitPattern
        case (.reference(let zone, let record), .reference(let otherZone, let otherRecord)):
            zone == otherZone && record.isBytewiseEqual(to: otherRecord)
        case (.anchor(let record), .anchor(let otherRecord)): record.isBytewiseEqual(to: otherRecord)
        case (.asset, .asset): left.encoded == right.encoded
        case (.list(let first), .list(let second)): first == second
        case (.counter(let first), .counter(let second)): first == second
        case (.set(let first), .set(let second)): first == second
        case (.unknown(let tag, let bytes), .unknown(let otherTag, let otherBytes)):
            tag == otherTag && bytes == otherBytes
        default: false
        }
    }

    /// Feeds the encoding.
    /// - Complexity: O(size of the encoding).
    package func hash(into hasher: inout Hasher) {
        hasher.combine(encoded)
    }
}
