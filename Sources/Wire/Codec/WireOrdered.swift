/// An item of a list that is written in strictly ascending order of a key.
///
/// One order and no repetition make a set or a map canonical.
package protocol WireOrdered {
    /// The type of the key that determines the order.
    associatedtype OrderKey: Comparable
    /// The item's place in the order; two items of one list never share it.
    var orderKey: OrderKey { get }
}

extension Array where Element: WireOrdered & Equatable {
    /// The items in ascending order, identical ones once.
    ///
    /// Unequal items with one key both stay: choosing one would hide a mistake. `checkedEncoding()` and every
    /// receiver refuse such a list.
    /// - Complexity: O(n log n), O(n) when already in order.
    package func inWireOrder() -> [Element] {
        var isAscending = true
        for (left, right) in zip(self, dropFirst()) where left.orderKey >= right.orderKey {
            isAscending = false
            break
        }
        if isAscending { return self }
        var result: [Element] = []
        result.reserveCapacity(count)
        for item in sorted(by: { $0.orderKey < $1.orderKey }) where result.last != item {
            result.append(item)
        }
        return result
    }
}
