import Wire

/// A part of an index: sort values from one up to, and without, another.
package struct SortRange: Hashable, Sendable {
    /// The first bytes that belong to it.
    package var low: [UInt8]
    /// The first bytes behind it.
    package var end: [UInt8]

    /// Makes a range.
    package init(low: [UInt8], end: [UInt8]) {
        self.low = low
        self.end = end
    }

    /// The place of records without a value in an index: behind all others.
    package static let missing: [UInt8] = [0xFF]

    /// A key behind all others.
    static let behindAll: [UInt8] = [0xFF, 0xFF]

    /// Makes the range of the values that an index does not distinguish from this one.
    init(_ value: SortValue) {
        self.init(low: value.bytes, end: value.bytes + [0])
    }

    /// Returns ranges in their order, and merges those that touch or overlap.
    static func merged(_ ranges: [SortRange]) -> [SortRange] {
        var merged: [SortRange] = []
        for range in ranges.sorted(by: { $0.low.lexicographicallyPrecedes($1.low) }) {
            guard let last = merged.last, !last.end.lexicographicallyPrecedes(range.low) else {
                merged.append(range)
                continue
            }
            if last.end.lexicographicallyPrecedes(range.end) { merged[merged.count - 1].end = range.end }
        }
        return merged
    }
}

extension Predicate {
    /// Returns the parts of an index on a field that contain all records that satisfy this test, and perhaps more.
    ///
    /// - Parameter field: The indexed field.
    /// - Returns: The ranges, ascending and apart, and their selectivity, 0 being the highest; nil when the test does
    ///   not concern the field.
    func ranges(of field: QueryField) -> (ranges: [SortRange], rank: Int)? {
        switch self {
        case .compare(field, let comparison, let literal):
            guard let value = SortValue(literal), let kind = value.bytes.first else { return nil }
            let same = SortRange(value)
            switch comparison {
            case .equal: return ([same], 0)
            case .notEqual: return nil
            case .less, .atMost: return ([SortRange(low: [kind], end: same.end)], 3)
            case .greater, .atLeast: return ([SortRange(low: same.low, end: [kind + 1])], 3)
            }
        case .oneOf(field, let literals):
            let values = literals.compactMap { SortValue($0) }
            guard values.count == literals.count else { return nil }
            return (SortRange.merged(values.map { SortRange($0) }), 1)
        case .beginsWith(field, let prefix):
            let low: [UInt8] = [4] + prefix.string.utf8.prefix(QueryLimits.sortedByteCountMax)
            return ([SortRange(low: low, end: SortValue.end(ofPrefix: prefix.string))], 2)
        case .between(field, let low, let high):
            guard let low = SortValue(low), let high = SortValue(high) else { return nil }
            return ([SortRange(low: low.bytes, end: SortRange(high).end)], 2)
        default: return nil
        }
    }
}
