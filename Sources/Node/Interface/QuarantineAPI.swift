/// The node's interface for writes in quarantine.
package protocol QuarantineAPI: Sendable {
    /// Returns the writes that are ignored and wait for a decision, at most 1,000; all zones when `zone` is `nil`.
    func list(zone: String?) async throws(NodeError) -> [QuarantineView]
    /// Repeats the content of a quarantined write as a write of this device.
    /// - Returns: False when this or another device had done so before.
    /// - Throws: `quarantineUnknown`, `quarantineNotNow`, `rightTooNarrow`, `recordTooLarge`, `storageLimit`.
    func adoptQuarantined(_ id: String, zone: String) async throws(NodeError) -> Bool
    /// Drops the content of a quarantined write, on this device.
    /// - Throws: `quarantineUnknown`, `quarantineNotNow`, `quarantineNeeded`.
    func purgeQuarantined(_ id: String, zone: String) async throws(NodeError)
}
