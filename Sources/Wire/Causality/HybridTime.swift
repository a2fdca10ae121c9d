/// A reading of a hybrid logical clock: milliseconds since 1970 in the upper 48 bits, a logical count in the lower 16.
///
/// It breaks ties between concurrent writes so that the later one by the clock on the wall usually wins. It decides
/// nothing else, for anyone can write any time.
///
/// ```
/// +---------------------------+----------------+
/// | milliseconds, 6 bytes, BE | logical, 2, BE |
/// +---------------------------+----------------+
/// ```
package struct HybridTime: Hashable, Comparable, Sendable {
    /// Both parts in one number that sorts as the time does.
    package let raw: UInt64

    /// Takes over both parts.
    package init(raw: UInt64) {
        self.raw = raw
    }

    /// Makes a reading.
    /// - Parameters:
    ///   - milliseconds: Since 1970; numbers above 48 bits (the year 10889) become the largest.
    ///   - logical: The count within the millisecond.
    package init(milliseconds: UInt64, logical: UInt16 = 0) {
        raw = min(milliseconds, Self.millisecondsMax) << 16 | UInt64(logical)
    }

    /// The largest number of milliseconds, 2^48 - 1.
    package static let millisecondsMax: UInt64 = (1 << 48) - 1

    /// The beginning of 1970, before every real write.
    package static let zero = HybridTime(raw: 0)

    /// Milliseconds since 1970.
    package var milliseconds: UInt64 { raw >> 16 }

    /// The count within the millisecond.
    package var logical: UInt16 { UInt16(truncatingIfNeeded: raw) }

    /// Earlier sorts first.
    package static func < (left: Self, right: Self) -> Bool {
        left.raw < right.raw
    }
}

extension HybridTime: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeUInt64(raw)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        raw = try reader.readUInt64()
    }
}
