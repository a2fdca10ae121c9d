import Capabilities
import Sync
import Wire

/// An account as somebody names it: by its id, by what this account calls it, by what it calls itself, or by a part of its id.
///
/// A whole id comes before everything, and a petname before what others choose: no account gets what was meant for another by
/// calling itself like that. A display name and the beginning of an id are one as good as the other.
/// Names that differ only in capital letters and spaces are taken for one.
struct AccountReference: Sendable {
    /// The shortest part that stands for an account.
    static let characterCountMin = 8

    /// What was written.
    let text: String

    /// Finds the account that is meant.
    /// - Parameters:
    ///   - named: Accounts that are known though it may not be known what devices they have.
    ///   - committer: Knows the accounts whose devices are known here, and what they are called.
    ///   - transaction: The store.
    /// - Returns: The account; one that is named by its whole id need not be known.
    /// - Throws: `NodeError` `accountUnknown`, `accountAmbiguous`, or what the store throws.
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
                "No account that is known here is called \"\(text)\" or has an id that begins so.",
                fix: "`kairan account ls` lists those that are known. Give the whole id of another one,"
                    + " which `kairan account show` prints on one of its devices."
            )
        }
        guard fitting.count == 1 else { throw ambiguous(fitting, names) }
        return account
    }

    /// The accounts that may be meant, ascending.
    /// - Parameters:
    ///   - accounts: Those that are asked about.
    ///   - names: What they are called.
    /// - Returns: One of them is meant if it is the only one.
    func fitting(among accounts: some Sequence<AccountID>, _ names: AccountNames) -> [AccountID] {
        guard !text.isEmpty else { return [] }
        let all = accounts.sorted()
        let wanted = Self.look(of: text)
        let petnamed = all.filter { names[$0].petname.map(Self.look) == wanted }
        if !petnamed.isEmpty { return petnamed }
        return all.filter { names[$0].displayName.map(Self.look) == wanted || isBeginning(of: $0) }
    }

    /// What a name looks like at a glance: `Bob` and `bob` are not clear.
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
            fix: "Give the id of the one that is meant, or a petname: `kairan account petname`.",
            facts: [.accounts(fitting.map(\.text))]
        )
    }

    /// How many of the candidates an error lists.
    private static let shownCountMax = 8
}

extension ControlState {
    /// The accounts that stand in the zone's control log.
    var namedAccounts: Set<AccountID> {
        let named = capabilities.values.flatMap { [$0.capability.audience, $0.capability.issuer] }
        return Set(ownerships.map(\.account)).union(named)
    }
}
