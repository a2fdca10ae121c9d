/// Everything that one log added to one counter, as the applications asked for it.
///
/// A store shows one total for each log. A total is explained when it is the sum of a stretch of the additions, and every
/// addition outside of the stretch may be missing: a write whose author had seen it took the counter away, it does not count
/// here, or every disk that held it was rolled back. Nothing of what the operations themselves say goes into it.
package struct CounterPromise: Sendable {
    /// One acknowledged addition.
    package struct Addition: Sendable {
        /// Where it stands in its log.
        package var counter: UInt64
        /// What was added.
        package var amount: Int64
        /// Whether the final value may lack it.
        package var mayBeMissing: Bool

        /// An addition.
        /// - Parameters: as the properties of the same names.
        package init(counter: UInt64, amount: Int64, mayBeMissing: Bool = false) {
            (self.counter, self.amount, self.mayBeMissing) = (counter, amount, mayBeMissing)
        }
    }

    private let additions: [Addition]

    /// Takes the additions of one log to one counter, in any order.
    package init(_ additions: [Addition]) {
        self.additions = additions.sorted { $0.counter < $1.counter }
    }

    /// Whether a total that is shown holds every addition that may not be missing.
    /// - Parameter total: What is shown of the log's additions; `nil` when nothing is.
    /// - Returns: Whether it is explained.
    /// - Complexity: O(n²) additions.
    package func explains(_ total: Int64?) -> Bool {
        guard let total else { return additions.allSatisfy(\.mayBeMissing) }
        for first in additions.indices {
            var sum: Int64 = 0
            for last in additions.indices[first...] {
                sum &+= additions[last].amount
                guard sum == total, additions[(last + 1)...].allSatisfy(\.mayBeMissing) else { continue }
                return true
            }
            // A stretch that begins later lacks this one.
            if !additions[first].mayBeMissing { return false }
        }
        return false
    }
}
