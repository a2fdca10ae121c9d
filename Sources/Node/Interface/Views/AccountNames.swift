package import Wire

/// The names of an account.
package struct NamedAccountStatus: Sendable, Hashable {
    /// The account.
    package var account: AccountID
    /// The name that this account has given it; `nil` where there is none.
    package var petname: String?
    /// What it calls itself; `nil` where it does not say, or its log is not known here.
    package var displayName: String?
    /// Whether it is this one.
    package var isThis: Bool

    /// Names an account.
    package init(account: AccountID, petname: String? = nil, displayName: String? = nil, isThis: Bool = false) {
        self.account = account
        self.petname = petname
        self.displayName = displayName
        self.isThis = isThis
    }

    /// The name that people see: their own before that of the other side.
    package var name: String? { petname ?? displayName }
}

/// What all accounts are called that are known here.
package struct AccountNames: Sendable {
    /// The accounts, ascending.
    package let accounts: [NamedAccountStatus]
    private let byAccount: [AccountID: NamedAccountStatus]

    /// Makes a table; of several rows for one account the first counts.
    package init(_ accounts: [NamedAccountStatus]) {
        byAccount = Dictionary(accounts.map { ($0.account, $0) }) { first, _ in first }
        self.accounts = byAccount.values.sorted { $0.account < $1.account }
    }

    /// What an account is called; a row without names for one that is not known.
    package subscript(account: AccountID) -> NamedAccountStatus {
        byAccount[account] ?? NamedAccountStatus(account: account)
    }
}
