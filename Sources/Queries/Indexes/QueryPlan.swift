/// The way in which a store finds the records that a query may select.
///
/// Whatever the plan, the evaluator decides about each record found: an index only leaves out records that cannot be
/// selected.
package enum QueryPlan: Hashable, Sendable {
    /// All records of the type, in the order of their names.
    case scan
    /// The records in parts of an index.
    ///
    /// `isOrdered` means that they come in the order of the answer when the parts are walked one after the other,
    /// each in the direction of `isAscending`.
    case walk(FieldIndex, [SortRange], isOrdered: Bool, isAscending: Bool)
    /// The records whose text has all words of a pattern.
    case search(FieldIndex, TextPattern)

    /// Chooses by rules, without statistics: equality, words, lists, ranges with two ends, the order of the answer, ranges
    /// with one end.
    /// - Parameters:
    ///   - query: The query.
    ///   - indexes: The ready indexes; those of other types are ignored.
    /// - Returns: The plan.
    package static func choose(for query: Query, among indexes: [FieldIndex]) -> QueryPlan {
        let tests: [Predicate] =
            switch query.predicate {
            case nil: []
            case .all(let parts): parts
            case let single?: [single]
            }
        var best: (rank: Int, plan: QueryPlan) = (100, .scan)
        func consider(_ rank: Int, _ plan: QueryPlan) {
            if rank < best.rank { best = (rank, plan) }
        }
        for index in indexes where index.type == query.type {
            switch index.kind {
            case .text:
                for case .matches(index.field, let pattern) in tests { consider(5, .search(index, pattern)) }
            case .value:
                for test in tests {
                    guard let (ranges, rank) = test.ranges(of: index.field) else { continue }
                    let isOrdered = query.isOrdered(by: index.field, ranges)
                    // Of two plans that narrow alike, the one that may stop at the end of the page.
                    consider(
                        rank == 3 ? (isOrdered ? 30 : 50) : rank * 10 + (isOrdered ? 0 : 1),
                        query.walk(index, ranges)
                    )
                }
                if query.isOrdered(by: index.field, [SortRange(low: [], end: SortRange.behindAll)]) {
                    let all = [
                        SortRange(low: [], end: SortRange.missing),
                        SortRange(low: SortRange.missing, end: SortRange.behindAll),
                    ]
                    consider(
                        40,
                        .walk(index, all, isOrdered: true, isAscending: query.namesAscend)
                    )
                }
            }
        }
        return best.plan
    }
}

extension Query {
    /// Whether walking these parts of an index gives the order of the answer.
    fileprivate func isOrdered(by field: QueryField, _ ranges: [SortRange]) -> Bool {
        if sort.count == 1, let only = sort.first { return only.field == field }
        // Of equal values the index has the records in the order of their names.
        guard sort.isEmpty, ranges.count == 1, let range = ranges.first else { return false }
        return range.end == range.low + [0]
    }

    /// The walk through parts of an index, in the direction of the answer.
    fileprivate func walk(_ index: FieldIndex, _ ranges: [SortRange]) -> QueryPlan {
        let isOrdered = isOrdered(by: index.field, ranges)
        let isAscending = !isOrdered || namesAscend
        return .walk(index, isAscending ? ranges : ranges.reversed(), isOrdered: isOrdered, isAscending: isAscending)
    }
}
