package import Wire

extension ControlState {
    /// Whether an account once had rights in the zone and gave all of them up itself: it left, or transferred the
    /// zone and kept none.
    ///
    /// False where another account has revoked one of its rights: that account must then be notified.
    /// - Parameter account: The account.
    /// - Returns: False while it holds any right.
    package func hasGivenUp(_ account: AccountID) -> Bool {
        guard !isOwned(by: account), participants[account] == nil else { return false }
        let ended = capabilities.values.filter { record in
            guard case .ended = record.status else { return false }
            return record.capability.audience == account
        }
        guard !ended.isEmpty else { return ownerships.contains { $0.account == account } }
        return ended.allSatisfy { !$0.leaves.isEmpty }
    }

    /// The capabilities of an account that a leave of its own ended and that no revocation which stands has ended as well.
    ///
    /// The leave states the effective sizes of the logs under them, and a revocation by the owner bounds these.
    /// - Parameter account: The account.
    /// - Returns: Their ids, ascending.
    /// - Complexity: O(n log n) for n capabilities of the zone.
    package func capabilitiesGivenUp(by account: AccountID) -> [Hash] {
        let given = capabilities.filter { _, record in
            guard record.capability.audience == account, case .ended = record.status else { return false }
            return !record.leaves.isEmpty && !record.revocations.contains(where: \.isConfirmed)
        }
        return given.keys.sorted()
    }
}
