import Capabilities
import Sync
import Wire

/// A reference to an account: its id, its petname here, its display name, or a part of its id.
///
/// A whole id comes before everything, and a petname before a name that other accounts choose: no account is taken
/// for another by giving itself that one's name. A display name and the beginning of an id have the same rank.
/// Names that differ only in capital letters and spaces are taken for one.
struct AccountReference: Sendable {
    /// The shortest part of an id that names an account.
    static let characterCountMin = 8

    /// The text of the reference.
    let text: String

    /// Finds the account that the reference means.
    /// - Parameters:
    ///   - named: Accounts that are known though their devices may not be.
    ///   - committer: The committer, which knows the accounts whose devices are known here, and their names.
    ///   - transaction: The store.
    /// - Returns: The account; one that is named by its whole id need not be known.
    /// - Throws: `NodeError` `accountUnknown`, `accountAmbiguous`, or the errors of the store.
    func find(
        among named: Set<AccountID>,
        _ committer: Committer,
        in transaction: any NodeTransaction
    ) throws -> AccountID {
        if let account = AccountID(text: text.lowercased()) { return account }
        let names = try AccountNames(committer, transaction)
        let fitting = fitting(among: named.union(names.accounts.map(\.account)), names)
        guard let account = fitting.first else {
            throw NodeError(
                .accountUnknown,
                "No account that is known here has the name \"\(text)\" or an id that begins with it.",
                fix: "`kairan account ls` lists those that are known. Give the whole id of another one,"
                    + " which `kairan account show --full` prints on one of its devices."
            )
        }
        guard fitting.count == 1 else { throw ambiguous(fitting, names) }
        return account
    }

    /// Returns the accounts that fit the reference, ascending.
    /// - Parameters:
    ///   - accounts: The accounts to choose from.
    ///   - names: Their names.
    /// - Returns: The reference means the account if it is the only one.
    func fitting(among accounts: some Sequence<AccountID>, _ names: AccountNames) -> [AccountID] {
        guard !text.isEmpty else { return [] }
        let all = accounts.sorted()
        let wanted = Self.look(of: text)
        let petnamed = all.filter { names[$0].petname.map(Self.look) == wanted }
        if !petnamed.isEmpty { return petnamed }
        return all.filter { names[$0].displayName.map(Self.look) == wanted || isBeginning(of: $0) }
    }

    /// Returns a name as it appears at a glance: `Bob` and `bob` are not distinct.
    private static func look(of name: String) -> String {
        name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func isBeginning(of account: AccountID) -> Bool {
        text.utf8.count >= Self.characterCountMin && account.text.hasPrefix(text.lowercased())
    }

    private func ambiguous(_ fitting: [AccountID], _ names: AccountNames) -> NodeError {
        let shown = fitting.prefix(Self.shownCountMax).map { account in
            names[account].name.map { "\"\($0)\" (\(account.shortText))" } ?? account.shortText
        }
        let more = fitting.count > shown.count ? ", …" : ""
        return NodeError(
            .accountAmbiguous,
            "\"\(text)\" fits \(fitting.count) accounts: \(shown.joined(separator: ", "))\(more).",
            fix: "Give the whole id of the account, or a petname: `kairan account petname`.",
            facts: [.accounts(fitting.map(\.text))]
        )
    }

    /// The number of candidates that an error lists.
    private static let shownCountMax = 8
}

extension ControlState {
    /// The accounts that the zone's control log names.
    var namedAccounts: Set<AccountID> {
        let named = capabilities.values.flatMap { [$0.capability.audience, $0.capability.issuer] }
        return Set(ownerships.map(\.account)).union(named)
    }
}
