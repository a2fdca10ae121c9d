import KairanClient

/// Labels of accounts for people: the name, followed by the beginning of the id if the name is not enough.
struct AccountLabels: Sendable, Hashable {
    private let labels: [String: Label]

    private struct Label: Sendable, Hashable {
        var name: String
        /// Whether no other account has this name, or an id that begins with it.
        var isEnough: Bool
    }

    /// Labels for no account.
    static let none = AccountLabels([])

    /// Makes the labels.
    ///
    /// Names that differ only in invisible characters, or in capital letters, are treated as equal: every account can
    /// choose its name freely.
    /// - Parameter accounts: All accounts that are known.
    /// - Complexity: O(accounts²) string comparisons at worst, for names that look like the beginning of an id.
    init(_ accounts: [NamedAccount]) {
        let named = accounts.compactMap { account in account.name.map { (account.account, Table.visible($0)) } }
        let bearers = Dictionary(grouping: named) { Self.look($0.1) }
        labels = named.reduce(into: [:]) { labels, row in
            let look = Self.look(row.1)
            let isID = accounts.contains { $0.account.hasPrefix(look) }
            labels[row.0] = Label(name: row.1, isEnough: bearers[look]?.count == 1 && !isID)
        }
    }

    /// Returns a normalised form of a name: equal for names that look the same at a glance.
    static func look(_ name: String) -> String {
        name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The name of an account with the id behind it where that is needed.
    /// - Parameters:
    ///   - account: The account.
    ///   - id: The shown form of its id.
    /// - Returns: The id alone for an account without a name.
    func text(of account: String, id: String) -> String {
        guard let label = labels[account] else { return id }
        return label.isEnough ? label.name : "\(label.name) (\(id))"
    }
}

extension Style {
    /// An account: its name, or its id.
    func account(_ account: String) -> String {
        let text = accounts.text(of: account, id: id(account))
        return showsWholeIDs && text != account && !text.hasSuffix("(\(account))") ? "\(text) (\(account))" : text
    }
}

extension Session {
    /// The style with the names of accounts, as far as this program may ask for them.
    func styleWithAccounts() async -> Style {
        var style = style
        // An application learns accounts only by their ids; the requested output is shown nevertheless.
        if !isJSON, let accounts = try? await client.accounts() { style.accounts = AccountLabels(accounts) }
        return style
    }
}
