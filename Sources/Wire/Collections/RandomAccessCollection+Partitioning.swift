extension RandomAccessCollection where Index == Int {
    /// Finds where a collection in order is divided, by binary search.
    /// - Parameter isBefore: Whether an element stands before the division; true of a prefix of the collection, and false of the rest.
    /// - Returns: The index of the first element that does not stand before it; `endIndex` if all do.
    /// - Complexity: O(log n).
    @inlinable package func partitioningIndex(isBefore: (Element) throws -> Bool) rethrows -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if try isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
