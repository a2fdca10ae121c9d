/// The node's interface for other devices, and for the operations that they or this one lack.
package protocol PeerAPI: Sendable {
    /// The other devices of the account, and any device that is connected.
    ///
    /// Connected ones that were silent for two seconds are pinged first; the answer waits for them, for a second at most.
    /// - Parameter pinging: Whether all that are connected are pinged, however short they were silent.
    /// - Returns: Ordered by id.
    /// - Throws: `NodeError` when the node cannot answer.
    func list(pinging: Bool) async throws(NodeError) -> [PeerStatus]

    /// Explains why zones are not synchronised: operations that peers lack, that this device lacks, and that arrived
    /// and wait.
    /// - Parameter zone: Id text or unique name; `nil` for all zones.
    /// - Returns: The missing operations; none for a zone and a device that are synchronised.
    /// - Throws: `zoneUnknown`.
    func pending(zone: String?) async throws(NodeError) -> PendingReport
}

extension PeerAPI {
    /// The other devices of the account, and any device that is connected.
    package func list() async throws(NodeError) -> [PeerStatus] { try await list(pinging: false) }
}
