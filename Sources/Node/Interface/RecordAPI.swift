/// The node's interface for the records of a zone.
package protocol RecordAPI: Sendable {
    /// Writes records.
    /// - Parameters:
    ///   - writes: At least one; at most 1,024 when atomic, 10,000 otherwise.
    ///   - zone: Id text or unique name.
    ///   - atomic: All or none; the first refusal is thrown. Otherwise each write has its own result.
    /// - Returns: One result a write, in order, durable.
    /// - Throws: `batchTooLarge`, `zoneUnknown`, `storageLimit` (then nothing is written, also when not atomic); for
    ///   an atomic batch the refusal of its first refused write.
    func write(
        _ writes: [RecordDraft],
        zone: String,
        atomic: Bool
    ) async throws(NodeError) -> [Result<RecordView, NodeError>]
    /// One record.
    /// - Throws: `recordUnknown`, `recordDeleted`, `recordNotReadable`.
    func record(zone: String, name: String) async throws(NodeError) -> RecordView
    /// Several records of a zone.
    /// - Parameters:
    ///   - names: 1...1,000 names.
    ///   - zone: Id text or unique name.
    ///   - keys: The fields that are wanted; `nil` for all.
    /// - Returns: For each name, in order, the record or the reason for its absence: `recordUnknown`,
    ///   `recordDeleted`, `recordNotReadable`, `answerTooLarge`.
    /// - Throws: `zoneUnknown`, `invalidArgument`.
    func fetch(
        _ names: [String],
        zone: String,
        keys: DesiredKeys?
    ) async throws(NodeError) -> [Result<RecordView, NodeError>]
    /// Records by name.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - name: Start behind this name; `nil` from the beginning.
    ///   - limit: 1...1,000.
    ///   - showsInternal: Whether records that daemons write by themselves are among them.
    /// - Returns: A page; its `next` is the name to continue from. Large records make it shorter than `limit`, and it
    ///   may have none where many are left out.
    /// - Throws: `zoneUnknown`, `invalidArgument`.
    func list(
        zone: String,
        after name: String?,
        limit: Int,
        showsInternal: Bool
    ) async throws(NodeError) -> RecordViewPage
    /// Records that match a query.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - request: The query.
    /// - Returns: A page; its `cursor` is the place to continue from.
    /// - Throws: `zoneUnknown`, `invalidArgument`, `queryBadCursor`, `queryNotIndexed`.
    func query(zone: String, _ request: QueryRequest) async throws(NodeError) -> QueryView
}

extension RecordAPI {
    /// See ``list(zone:after:limit:showsInternal:)``: records of programs.
    package func list(zone: String, after name: String?, limit: Int) async throws(NodeError) -> RecordViewPage {
        try await list(zone: zone, after: name, limit: limit, showsInternal: false)
    }
}
