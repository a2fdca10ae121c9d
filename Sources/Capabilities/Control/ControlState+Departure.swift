package import Wire

extension ControlState {
    /// Whether an account could once do something in the zone and gave all of it up by its own word: it left, or handed
    /// the zone over and kept nothing.
    ///
    /// Not so where somebody else took a right from it: then there is something that it has to be told.
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
}
