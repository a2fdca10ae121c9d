package import Queries

/// The node's interface for the indexes that programs ask for.
package protocol IndexAPI: Sendable {
    /// The indexes of a container, and whether each is ready.
    /// - Throws: `forbidden` for a container outside the scope.
    func fieldIndexes(container: String) async throws(NodeError) -> [FieldIndexStatus]
    /// Sets which indexes a container has on this device; new ones are built in the background.
    /// - Returns: The indexes as they are now.
    /// - Throws: `forbidden` for a container outside the scope, `invalidArgument` for too many.
    func setFieldIndexes(_ indexes: [FieldIndex], container: String) async throws(NodeError) -> [FieldIndexStatus]
}
