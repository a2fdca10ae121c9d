import Records
package import Wire

/// What this account calls another one.
///
/// One record an account, with one field that says the name: of two names that were given at the same time one holds, the same
/// on all devices.
package struct Petname: Hashable, Sendable {
    /// The other account.
    package let account: AccountID
    /// What it is called; `nil` where the name was removed again.
    package let petname: String?
}

extension Petname: BookEntry {
    static let type = "petname"

    static func name(_ account: AccountID) -> String { prefix + account.text }

    var name: String { Self.name(account) }

    var fields: [RecordWrite.Assignment] {
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
