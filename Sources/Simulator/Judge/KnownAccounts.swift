package import Identity
package import Wire

/// What somebody knows of accounts: what their logs say, and how far each log is known.
package struct KnownAccounts {
    /// What the logs say.
    package private(set) var states: [AccountID: AccountState] = [:]
    /// Their heads, which tell one state of knowledge from another.
    package private(set) var heads: [AccountID: [Hash]] = [:]

    /// Nothing is known: all devices belong to one account.
    package init() {}

    /// One account is known, as what its log says; in place of heads its devices tell one state from another.
    init(_ state: AccountState) {
        states[state.account] = state
        let devices =
            state.activeDevices + state.removedDevices.flatMap { [$0, $0] + state.witnesses(of: $0).sorted() }
        heads[state.account] = devices.map { Hash($0.digest) }
    }

    /// Whether accounts are told apart at all.
    package var isEmpty: Bool { states.isEmpty }

    /// Adds what an account's log says.
    package mutating func add(_ log: AccountLog) {
        states[log.account] = log.state
        heads[log.account] = log.announcedHeads
    }
}
