/// The node's interface for records whose concurrent writes disagree.
package protocol ConflictAPI: Sendable {
    /// Records whose concurrent writes disagree, in an order of the store.
    /// - Parameters:
    ///   - zone: The zone; `nil` for all zones.
    ///   - name: The name that the records have; `nil` for any.
    ///   - cursor: The cursor of the previous page; `nil` from the beginning.
    ///   - limit: The maximum number of records, 1...1,000.
    /// - Returns: A page, which ends early when its records are large.
    /// - Throws: `zoneUnknown`, `queryBadCursor`, `invalidArgument`.
    func open(
        zone: String?,
        name: String?,
        after cursor: String?,
        limit: Int
    ) async throws(NodeError) -> ConflictViewPage
    /// Ends a conflict; with fields it also replaces the parts of a record that cannot be read here.
    /// - Throws: `conflictUnknown`, `recordUnknown`.
    func resolve(zone: String, name: String, with resolution: ConflictResolution) async throws(NodeError) -> RecordView
}
