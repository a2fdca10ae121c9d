import Records
package import Wire

/// This account's own name for another account.
///
/// There is one record for each account, with one field for the name. Of two names given concurrently one wins, the
/// same on all devices.
package struct Petname: Hashable, Sendable {
    /// The other account.
    package let account: AccountID
    /// The name; `nil` where it was removed.
    package let petname: String?
}

extension Petname: BookEntry {
    static let type = "petname"

    static func name(_ account: AccountID) -> String { prefix + account.text }

    var name: String { Self.name(account) }

    var fields: [FieldAssignment] {
        [.bytes("account", account.bytes), .text("name", petname ?? "")]
    }

    init?(_ body: RecordBody) {
        guard let account: AccountID = body.identifier("account"), let text = body.text("name"),
            text.isEmpty || Naming.mistake(in: text) == nil
        else { return nil }
        self.init(account: account, petname: text.isEmpty ? nil : text)
        guard body.name == name else { return nil }
    }
}
