package import KairanInterface

/// The node's interface for its own state and for faults.
package protocol HealthAPI: Sendable {
    /// Returns the state of the node.
    func status() async throws(NodeError) -> NodeStatus
    /// Examines this machine, its network and its work, and reports faults with their remedies.
    ///
    /// Reads the whole database, pings connected devices, for a second at most, and asks them to connect to this one, which
    /// takes up to five seconds.
    /// - Parameter progress: Takes the progress before each step, in order.
    /// - Returns: All checks, then the warnings that are no check's finding.
    /// - Throws: Nothing for a fault that a check finds: that is a finding.
    /// - Complexity: O(size of the store).
    func examine(noting progress: @Sendable (CheckProgress) -> Void) async throws(NodeError) -> [CheckOutcome]
    /// Marks a warning as acknowledged, also over restarts, until it becomes worse.
    /// - Parameter code: The warning's.
    /// - Throws: `warningUnknown` where no such warning is raised, `warningCritical`.
    func acknowledge(warning code: String) async throws(NodeError)
    /// Shows warnings with a code again.
    /// - Throws: `warningUnknown` where none was acknowledged.
    func withdrawAcknowledgement(of code: String) async throws(NodeError)
}

extension HealthAPI {
    /// Examines this machine, its network and its work, without a note of the progress.
    package func examine() async throws(NodeError) -> [CheckOutcome] { try await examine { _ in } }
}
