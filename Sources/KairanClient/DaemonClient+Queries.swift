extension DaemonClient {
    /// The records that a query asks for.
    /// - Parameters:
    ///   - query: The question.
    ///   - zone: The zone.
    ///   - limit: 1...1,000 records; a page may have fewer before the end.
    ///   - cursor: From the page before; `nil` from the beginning.
    /// - Returns: A page; without a cursor it is the last one.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func query(
        _ query: RecordQuery,
        in zone: String,
        limit: Int = 200,
        cursor: String? = nil
    ) async throws -> QueryAnswer {
        try await value(.query(query, zone: zone, limit: limit, cursor: cursor))
    }
}

extension DaemonRequest {
    /// A page of the answer to a query.
    package static func query(_ query: RecordQuery, zone: String, limit: Int, cursor: String?) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "query"], body: query.json(limit: limit, cursor: cursor))
    }
}
