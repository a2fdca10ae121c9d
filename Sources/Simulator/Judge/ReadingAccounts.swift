import Identity
import Wire

/// A node's knowledge of the accounts whose devices may read.
struct ReadingAccounts {
    /// The state by its own account's log, where there are no other accounts.
    let own: AccountState?
    /// The states by the logs of all accounts; empty where there is only one.
    let all: KnownAccounts

    /// The device.
    let device: DeviceID

    init(_ commit: ObservedCommit) {
        (own, all, device) = (commit.account, commit.accounts, commit.device)
    }
}
