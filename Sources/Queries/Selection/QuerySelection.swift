import Wire

/// Chooses the records of one page, from records in any order.
///
/// It keeps at most the page and one record beyond it, which shows that there are more.
package struct QuerySelection<Payload> {
    /// One chosen record.
    package struct Choice {
        /// The position in the answer.
        package var position: QueryPosition
        /// The caller's reference to the record.
        package var payload: Payload
    }

    private let query: Query
    private let start: QueryPosition?
    private let limit: Int
    private let lookCountMax: Int
    private var choices: [Choice] = []
    private var lookCount = 0
    /// The position at which the examination stopped although the page is not full; nil if all records were examined.
    package private(set) var end: QueryPosition?

    /// Chooses nothing yet.
    /// - Parameters:
    ///   - query: The query.
    ///   - start: The position behind which the page begins; nil from the beginning.
    ///   - limit: The number of records of the page.
    ///   - lookCountMax: The maximum number of records to examine, if they come in order.
    package init(
        _ query: Query,
        after start: QueryPosition?,
        limit: Int,
        lookCountMax: Int = QueryLimits.lookCountMax
    ) {
        self.lookCountMax = lookCountMax
        self.query = query
        self.start = start
        self.limit = max(limit, 0)
    }

    /// Examines a record.
    /// - Parameters:
    ///   - record: The record.
    ///   - payload: The caller's reference to the record.
    /// - Complexity: O(size of the record) when it is not chosen, O(limit) when it is.
    package mutating func offer(_ record: QueryRecord, _ payload: @autoclosure () -> Payload) {
        guard query.matches(record) else { return }
        let position = query.position(of: record)
        if let start, !query.areAscending(start, position) { return }
        if isFull, let last = choices.last, !query.areAscending(position, last.position) { return }
        let index = choices.partitioningIndex { query.areAscending($0.position, position) }
        choices.insert(Choice(position: position, payload: payload()), at: index)
        if choices.count > limit + 1 { choices.removeLast() }
    }

    /// Examines the next record in the order of the answer.
    /// - Parameters:
    ///   - record: The record.
    ///   - payload: The caller's reference to the record.
    /// - Returns: Whether to go on: the page is not full, and fewer records than the maximum have been examined.
    package mutating func offerNext(_ record: QueryRecord, _ payload: @autoclosure () -> Payload) -> Bool {
        offer(record, payload())
        lookCount += 1
        guard !isFull else { return false }
        guard lookCount < lookCountMax else {
            end = query.position(of: record)
            return false
        }
        return true
    }

    /// Whether records are known for the whole page and one beyond: a caller that offers them in the order of the
    /// answer may stop.
    package var isFull: Bool { choices.count > limit }

    /// The page in the order of the answer, and whether there are more.
    package var page: (choices: [Choice], more: Bool) { (Array(choices.prefix(limit)), isFull) }
}
