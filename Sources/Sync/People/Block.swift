import Records
package import Wire

/// An account that this one has blocked.
///
/// If a block and its end are stated concurrently, the block is effective.
package struct Block: Hashable, Sendable {
    /// The account.
    package let account: AccountID
    /// The time since which the block exists, in milliseconds since 1970.
    package let since: UInt64
    /// Whether it is blocked now.
    let isBlocked: Bool
}

extension Block: BookEntry {
    static let type = "block"

    static func name(_ account: AccountID) -> String { prefix + account.text }

    var name: String { Self.name(account) }

    var fields: [FieldAssignment] {
        [.bytes("account", account.bytes), .date("since", since), .flag("blocked", isBlocked)]
    }

    init?(_ body: RecordBody) {
        guard let account: AccountID = body.identifier("account"), let since = body.date("since") else { return nil }
        self.init(account: account, since: since, isBlocked: body.isSaid("blocked"))
        guard body.name == name else { return nil }
    }
}
