package import Wire

/// The names of an account.
package struct NamedAccountStatus: Sendable, Hashable {
    /// The account.
    package var account: AccountID
    /// The name that this account has given it; `nil` where there is none.
    package var petname: String?
    /// The name that the account gives itself; `nil` where it has none, or its log is not known here.
    package var displayName: String?
    /// Whether the account is this one.
    package var isThis: Bool

    /// Names an account.
    package init(account: AccountID, petname: String? = nil, displayName: String? = nil, isThis: Bool = false) {
        self.account = account
        self.petname = petname
        self.displayName = displayName
        self.isThis = isThis
    }

    /// The name that people see: the petname before the account's own name.
    package var name: String? { petname ?? displayName }
}

/// The names of all accounts known here.
package struct AccountNames: Sendable {
    /// The accounts, ascending.
    package let accounts: [NamedAccountStatus]
    private let byAccount: [AccountID: NamedAccountStatus]

    /// Makes a table; of several rows for one account the first is used.
    package init(_ accounts: [NamedAccountStatus]) {
        byAccount = Dictionary(accounts.map { ($0.account, $0) }) { first, _ in first }
        self.accounts = byAccount.values.sorted { $0.account < $1.account }
    }

    /// The names of an account; a row without names for an account that is not known.
    package subscript(account: AccountID) -> NamedAccountStatus {
        byAccount[account] ?? NamedAccountStatus(account: account)
    }
}
