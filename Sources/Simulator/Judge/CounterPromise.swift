/// Everything that one log added to one counter, as the applications asked for it.
///
/// A store shows one total for each log. A total is explained when it is the sum of some of the additions, and every other one
/// may be missing: a write whose author had seen it took the counter away, it does not count here, or every disk that held it was
/// rolled back. Those that are missing need not stand side by side: a deletion takes what its author had seen, and a write
/// that is concurrent with it keeps what its own author had seen. Nothing of what the operations themselves say goes into it.
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
        self.additions = additions
    }

    /// Whether a total that is shown holds every addition that may not be missing.
    /// - Parameter total: What is shown of the log's additions; `nil` when nothing is.
    /// - Returns: Whether it is explained.
    /// - Complexity: O(n · s) for n additions with s different sums, of which there are at most 2ⁿ; small amounts have few.
    package func explains(_ total: Int64?) -> Bool {
        guard let total else { return additions.allSatisfy(\.mayBeMissing) }
        // The sums of at least one addition; nil stands for none so far.
        var sums: Set<Int64?> = [nil]
        for addition in additions {
            let with = sums.map { ($0 ?? 0) &+ addition.amount }
            sums = addition.mayBeMissing ? sums.union(with) : Set(with)
        }
        return sums.contains(total)
    }
}
