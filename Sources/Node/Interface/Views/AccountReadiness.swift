package import KairanInterface
package import Wire

/// Whether a caller can work with the account now.
package struct AccountReadiness: Sendable {
    /// The account.
    package var account: AccountID
    /// The state.
    package var state: AccountAvailability.Status
    /// The error that a write would be refused with; `nil` if the caller may write.
    package var obstacle: NodeError?
    /// Whether the store was lost or restored, and is still being filled again.
    package var isRecovering: Bool
    /// Bytes of the caller's records, and of the payloads uploaded here for its zones.
    package var usedByteCount: UInt64
    /// The most bytes allowed; `nil` for a caller without a limit.
    package var byteCountMax: UInt64?

    /// Describes whether a caller can work with the account.
    package init(
        account: AccountID,
        state: AccountAvailability.Status,
        obstacle: NodeError?,
        isRecovering: Bool,
        usedByteCount: UInt64,
        byteCountMax: UInt64?
    ) {
        self.account = account
        self.state = state
        self.obstacle = obstacle
        self.isRecovering = isRecovering
        self.usedByteCount = usedByteCount
        self.byteCountMax = byteCountMax
    }
}
