package import Wire

/// The relation of two values of one kind.
package enum ValueOrder: Hashable, Sendable {
    /// The left one comes first.
    case ascending
    /// They are equal.
    case same
    /// The right one comes first.
    case descending
}

extension FieldValue {
    /// Returns the order of the value relative to another one of the same kind.
    ///
    /// Integers, doubles and counters are one kind and compare as numbers, exactly; strings, bytes and references compare by
    /// bytes, false comes before true; an anchor is a reference in the same zone.
    /// - Parameter other: The other value.
    /// - Returns: `nil` when they are of different kinds, when the kind has no order, and for NaN.
    /// - Complexity: O(length).
    package func order(to other: FieldValue) -> ValueOrder? {
        switch (unanchored, other.unanchored) {
        case (.string(let left), .string(let right)): Self.order(of: left.utf8, to: right.utf8)
        case (.bytes(let left), .bytes(let right)): Self.order(of: left, to: right)
        case (.bool(let left), .bool(let right)): Self.order(left ? 1 : 0, right ? 1 : 0)
        case (.date(let left), .date(let right)): Self.order(left, right)
        case (.int64(let left), .int64(let right)): Self.order(left, right)
        case (.reference(let leftZone, let left), .reference(let rightZone, let right)):
            left.isBytewiseEqual(to: right)
                ? Self.order(of: leftZone?.bytes ?? [], to: rightZone?.bytes ?? [])
                : Self.order(of: left.utf8, to: right.utf8)
        default:
            if let left = number, let right = other.number { Self.order(left, right) } else { nil }
        }
    }

    /// The value, an anchor being the reference that it is.
    var unanchored: FieldValue {
        if case .anchor(let record) = self { .reference(zone: nil, record: record) } else { self }
    }

    /// The place of an integer, a double or a counter among numbers.
    var number: NumberKey? {
        switch self {
        case .int64(let number): NumberKey(number)
        case .double(let number): NumberKey(number)
        case .counter(let counter): NumberKey(counter.value)
        default: nil
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> ValueOrder {
        left < right ? .ascending : right < left ? .descending : .same
    }

    private static func order<Bytes: Sequence<UInt8>>(of left: Bytes, to right: Bytes) -> ValueOrder {
        if left.lexicographicallyPrecedes(right) { return .ascending }
        return right.lexicographicallyPrecedes(left) ? .descending : .same
    }
}
