extension DaemonRequest {
    /// A page of conflicts.
    package static func conflicts(
        zone: String?,
        of name: String? = nil,
        after cursor: String? = nil,
        limit: Int
    ) -> DaemonRequest {
        DaemonRequest(
            .get,
            ["conflicts"],
            query: [("zone", zone), ("name", name), ("after", cursor), ("limit", "\(limit)")]
        )
    }
}

extension DaemonClient {
    /// Records whose concurrent writes disagree, all of them; ``conflictPage(zone:after:limit:)`` reads them page by page.
    /// - Parameter zone: The zone; `nil` for all zones.
    /// - Returns: The conflicts.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func conflicts(zone: String? = nil) async throws -> [Conflict] {
        var conflicts: [Conflict] = []
        var cursor: String?
        repeat {
            let page = try await conflictPage(zone: zone, after: cursor, limit: 1_000)
            conflicts += page.conflicts
            cursor = page.cursor
        } while cursor != nil
        return conflicts
    }

    /// Reads a page of the records whose concurrent writes disagree.
    /// - Parameters:
    ///   - zone: The zone; `nil` for all zones.
    ///   - cursor: From the page before; `nil` from the beginning.
    ///   - limit: The maximum number of conflicts, 1...1,000.
    /// - Returns: A page; without a cursor it is the last one.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func conflictPage(
        zone: String? = nil,
        after cursor: String? = nil,
        limit: Int = 200
    ) async throws -> ConflictPage {
        try await value(.conflicts(zone: zone, after: cursor, limit: limit))
    }

    /// The conflict of a record.
    /// - Parameters:
    ///   - name: The name of the record.
    ///   - zone: Its zone.
    /// - Returns: The conflict; `nil` where the record has none.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func conflict(of name: String, in zone: String) async throws -> Conflict? {
        let page: ConflictPage = try await value(.conflicts(zone: zone, of: name, limit: 1))
        return page.conflicts.first
    }
}
