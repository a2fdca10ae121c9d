package import Wire

/// A value's place among all values, as bytes that sort as the values do.
///
/// ```
/// +------+---------------------------------------------------------------+
/// | kind | 1 bool: 1 byte        2 number: 10 bytes     3 date: 8 bytes  |
/// |      | 4 string, 5 bytes: the first 256 bytes                        |
/// |      | 6 reference: the record's name, 0, the zone's id if it has one |
/// +------+---------------------------------------------------------------+
/// ```
///
/// The database compares these bytes where it has an index, and cursors carry them.
package struct SortValue: Hashable, Comparable, Sendable {
    /// The bytes; at least one.
    package let bytes: [UInt8]

    /// The longest form: a reference with a zone.
    package static let byteCountMax = 1 + Limits.nameByteCountMax + 1 + 32

    /// Takes over bytes that were once a sort value's.
    /// - Returns: `nil` for bytes that no value has: none at all, too many, or an unknown kind.
    package init?(stored bytes: [UInt8]) {
        guard let kind = bytes.first, (1...6).contains(kind), bytes.count <= Self.byteCountMax else { return nil }
        self.bytes = bytes
    }

    /// Makes the key of a value.
    /// - Returns: `nil` for a value without an order: geographic locations, assets, lists, sets, unknown kinds and
    ///   NaN.
    package init?(_ value: FieldValue) {
        switch value.unanchored {
        case .bool(let value): bytes = [1, value ? 1 : 0]
        case .date(let milliseconds): bytes = [3] + Self.bigEndian(milliseconds)
        case .string(let text): bytes = [4] + text.utf8.prefix(QueryLimits.sortedByteCountMax)
        case .bytes(let value): bytes = [5] + value.prefix(QueryLimits.sortedByteCountMax)
        case .reference(let zone, let record):
            bytes = [6] + record.utf8.prefix(Limits.nameByteCountMax) + [0] + (zone?.bytes ?? [])
        default:
            guard let number = value.number else { return nil }
            bytes = [2] + number.bytes
        }
    }

    /// Whether the left bytes sort before the right ones.
    package static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// The first bytes that sort behind every string that begins so.
    package static func end(ofPrefix prefix: String) -> [UInt8] {
        var bytes: [UInt8] = [4] + prefix.utf8.prefix(QueryLimits.sortedByteCountMax)
        // UTF-8 has no byte 255, so the last one can always be counted up.
        bytes[bytes.count - 1] += 1
        return bytes
    }

    private static func bigEndian(_ number: Int64) -> [UInt8] {
        let sortable = UInt64(bitPattern: number) ^ 1 << 63
        return stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: sortable >> $0) }
    }
}
