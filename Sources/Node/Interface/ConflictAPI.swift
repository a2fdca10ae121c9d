/// The node's interface for records whose concurrent writes disagree.
package protocol ConflictAPI: Sendable {
    /// Records whose concurrent writes disagree; all zones when `zone` is `nil`.
    func open(zone: String?) async throws(NodeError) -> [ConflictView]
    /// Ends a conflict; with fields it also replaces the parts of a record that cannot be read here.
    /// - Throws: `conflictUnknown`, `recordUnknown`.
    func resolve(zone: String, name: String, with resolution: ConflictResolution) async throws(NodeError) -> RecordView
}
