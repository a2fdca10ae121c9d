/// A number's place among all 64-bit integers and all doubles, exactly.
///
/// `base` is the greatest double that is not above the number, its bits transformed so that they sort; `rest` is the
/// difference of the number from it. Between two neighbouring doubles lie at most 1,024 integers of 64 bits, so
/// `rest` is below that.
struct NumberKey: Hashable, Comparable, Sendable {
    let base: UInt64
    let rest: UInt16

    /// The place of an integer.
    init(_ number: Int64) {
        var base = Double(number)
        if Int128(base) > Int128(number) { base = base.nextDown }
        self.base = Self.sortable(base)
        rest = UInt16(truncatingIfNeeded: Int128(number) - Int128(base))
    }

    /// Makes the key of a double; `nil` for NaN.
    ///
    /// Both zeros have one place.
    init?(_ number: Double) {
        guard !number.isNaN else { return nil }
        base = Self.sortable(number == 0 ? 0 : number)
        rest = 0
    }

    static func < (left: Self, right: Self) -> Bool {
        left.base == right.base ? left.rest < right.rest : left.base < right.base
    }

    /// Ten bytes that sort as the numbers do.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(10)
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: base >> shift)) }
        bytes.append(UInt8(truncatingIfNeeded: rest >> 8))
        bytes.append(UInt8(truncatingIfNeeded: rest))
        return bytes
    }

    /// IEEE 754 sorts like sign and magnitude: positive numbers move up, negative ones are turned around.
    private static func sortable(_ number: Double) -> UInt64 {
        let bits = number.bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }
}
