package import Identity
package import Wire

/// A node's knowledge of accounts: the states by their logs, and how far each log is known.
package struct KnownAccounts {
    /// The state of each account by its log.
    package private(set) var states: [AccountID: AccountState] = [:]
    /// The heads of each log, which distinguish one state of knowledge from another.
    package private(set) var heads: [AccountID: [Hash]] = [:]

    /// Creates an empty set: all devices belong to one account.
    package init() {}

    /// Creates a set of one account; its devices, in place of heads, distinguish one state from another.
    init(_ state: AccountState) {
        states[state.account] = state
        let devices =
            state.activeDevices + state.removedDevices.flatMap { [$0, $0] + state.witnesses(of: $0).sorted() }
        heads[state.account] = devices.map { Hash($0.digest) }
    }

    /// Whether no accounts are distinguished.
    package var isEmpty: Bool { states.isEmpty }

    /// Adds the state by an account's log.
    package mutating func add(_ log: AccountLog) {
        states[log.account] = log.state
        heads[log.account] = log.announcedHeads
    }
}
