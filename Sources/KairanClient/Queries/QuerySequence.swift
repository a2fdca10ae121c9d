/// The records of one type in a zone that a query asks for, in its order, fetched in pages while they are read.
///
/// A record that does not change meanwhile occurs once; a changed record occurs where it belongs after the change.
public struct QuerySequence<Value: RecordContent>: AsyncSequence, Sendable {
    /// One record.
    public typealias Element = TypedRecord<Value>

    /// Some of the records, and where to go on.
    public struct Page: Sendable {
        /// The records.
        public var records: [TypedRecord<Value>]
        /// The cursor of the next page; `nil` after the last one.
        public var cursor: String?
    }

    let zone: RecordZone
    let predicate: RecordPredicate?
    let sort: [String]
    let limit: Int?
    let fields: [String]?

    /// Records in one request of a loop: it may end at any of them.
    static var pageCount: Int { 200 }

    /// One page, for callers that show pages; a loop over the query reads them all.
    /// - Parameters:
    ///   - limit: The maximum number of records, 1...1,000; a page may have fewer before the end. It replaces the
    ///     query's own limit.
    ///   - cursor: The cursor of the page before; `nil` from the beginning.
    /// - Returns: The page.
    /// - Throws: ``KairanError``, also when a record does not fit; `CancellationError`.
    public func page(limit: Int = 200, after cursor: String? = nil) async throws -> Page {
        let predicate = try predicate?.checkedText()
        let question = RecordQuery(type: Value.recordType, where: predicate, sort: sort, desiredKeys: fields)
        let answer = try await zone.client.query(question, in: zone.id, limit: limit, cursor: cursor)
        return Page(records: try answer.records.map { try TypedRecord($0, fetched: fields) }, cursor: answer.cursor)
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(query: self) }

    /// Reads record by record.
    public struct Iterator: AsyncIteratorProtocol {
        private let query: QuerySequence
        private var page: ArraySlice<TypedRecord<Value>> = []
        private var cursor: String?
        private var isLastPage = false
        private var taken = 0

        init(query: QuerySequence) { self.query = query }

        /// The next record.
        /// - Throws: ``KairanError``, also when a record does not fit; `CancellationError`.
        public mutating func next() async throws -> TypedRecord<Value>? {
            let room = (query.limit ?? .max) - taken
            guard room > 0 else { return nil }
            while page.isEmpty, !isLastPage {
                let fetched = try await query.page(limit: Swift.min(room, QuerySequence.pageCount), after: cursor)
                page = fetched.records[...]
                cursor = fetched.cursor
                isLastPage = fetched.cursor == nil
            }
            guard let record = page.popFirst() else { return nil }
            taken += 1
            return record
        }
    }
}

extension RecordZone {
    /// Returns the records of a type that satisfy a condition.
    ///
    /// ```swift
    /// for try await note in zone.query(Note.self, where: "due < \(Date.now)", sort: ["due"], limit: 10) { show(note.value) }
    /// ```
    /// - Parameters:
    ///   - type: The type that their fields are decoded as.
    ///   - predicate: The condition; `nil` = none.
    ///   - sort: Up to four fields to sort by, each with `-` before it for the largest first; by name if there are none.
    ///   - limit: The most records; `nil` = all.
    ///   - fields: The fields that are fetched, at most 1,000; `nil` = all. The condition and the order may use others. The type
    ///     has optionals for those that are not named, and they are nil. Whatever the policy, a save leaves them as they are unless
    ///     the application has changed them. A subscription to the query brings whole records.
    /// - Returns: The records. The client sends no request before they are read.
    public func query<Value: RecordContent>(
        _ type: Value.Type = Value.self,
        where predicate: RecordPredicate? = nil,
        sort: [String] = [],
        limit: Int? = nil,
        fields: [String]? = nil
    ) -> QuerySequence<Value> {
        QuerySequence(zone: self, predicate: predicate, sort: sort, limit: limit, fields: fields)
    }

    /// Fetches several records by name.
    /// - Parameters:
    ///   - names: Any number of names; the client splits them into as many requests as needed.
    ///   - type: The type that their fields are decoded as.
    /// - Returns: For each name, in order, the record; `nil` if it does not exist (any more).
    /// - Throws: ``KairanError``, also when one of them is refused or does not fit; `CancellationError`.
    public func records<Value: RecordContent>(
        named names: [String],
        as type: Value.Type = Value.self
    ) async throws -> [TypedRecord<Value>?] {
        try await client.fetch(names, in: id).map { outcome in
            switch outcome {
            case .saved(let record): return try TypedRecord(record)
            case .refused(let problem) where ["record.unknown", "record.deleted"].contains(problem.code): return nil
            case .refused(let problem): throw KairanError(.refused, problem: problem)
            }
        }
    }
}
