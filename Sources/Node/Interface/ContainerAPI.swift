/// The node's interface for containers, and for the caller's use of them.
package protocol ContainerAPI: Sendable {
    /// All containers that the caller may see, ascending by the bytes of their names: those with zones, and for an
    /// application also those that it is bound to and that have none yet.
    func list() async throws(NodeError) -> [ContainerStatus]
    /// One container.
    /// - Throws: `containerUnknown`.
    func container(_ name: String) async throws(NodeError) -> ContainerStatus

    /// Whether the caller can work with the account now.
    func accountReadiness() async throws(NodeError) -> AccountReadiness
}
