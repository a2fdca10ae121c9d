/// Everything that one log added to one counter, as the applications asked for it.
///
/// A store shows one total for each log. A total is explained when it is the sum of some of the additions, and every
/// other addition may be missing: a write whose author had seen it removed the counter, it is not effective here, or
/// every disk that held it was rolled back. The missing additions need not be adjacent: a deletion removes the
/// additions that its author had seen, and a write that is concurrent with it keeps the ones that its own author had
/// seen. The check uses nothing that the operations themselves say.
package struct CounterPromise: Sendable {
    /// One acknowledged addition.
    package struct Addition: Sendable {
        /// The addition's place in its log.
        package var counter: UInt64
        /// The amount added.
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

    /// Returns whether a shown total contains every addition that may not be missing.
    /// - Parameter total: The shown total of the log's additions; `nil` when none is shown.
    /// - Returns: Whether it is explained.
    /// - Complexity: O(n · s) for n additions with s different sums, of which there are at most 2ⁿ; small amounts
    ///   have few.
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
