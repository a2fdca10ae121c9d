import Capabilities
import Sync
import Wire

/// An account as somebody names it: by its id, or by a part of it.
struct AccountReference: Sendable {
    /// The shortest part that stands for an account.
    static let characterCountMin = 8

    /// What was written.
    let text: String

    /// Finds the account that is meant.
    /// - Parameters:
    ///   - named: Accounts that are known though it may not be known what devices they have.
    ///   - committer: Knows the accounts whose devices are known here.
    /// - Returns: The account; one that is named by its whole id need not be known.
    /// - Throws: `NodeError` `accountUnknown`, `accountAmbiguous`.
    func find(among named: Set<AccountID>, _ committer: Committer) throws(NodeError) -> AccountID {
        let wanted = text.lowercased()
        if let account = AccountID(text: wanted) { return account }
        let known = named.union(committer.accounts.keys)
        let fitting = known.filter { $0.text.hasPrefix(wanted) }
        guard wanted.utf8.count >= Self.characterCountMin, let account = fitting.first else {
            throw NodeError(
                .accountUnknown,
                "No account that is known here begins with \"\(text)\".",
                fix: "Give its whole id, which `kairan account show` prints on one of its devices."
            )
        }
        guard fitting.count == 1 else {
            throw NodeError(
                .accountAmbiguous,
                "\(fitting.count) accounts begin with \"\(text)\".",
                fix: "Give more of the id.",
                facts: [.accounts(fitting.map(\.text).sorted())]
            )
        }
        return account
    }
}

extension ControlState {
    /// The accounts that stand in the zone's control log.
    var namedAccounts: Set<AccountID> {
        let named = capabilities.values.flatMap { [$0.capability.audience, $0.capability.issuer] }
        return Set(ownerships.map(\.account)).union(named)
    }
}
