/// The names of an account.
public struct NamedAccount: Sendable, Hashable, Codable {
    /// The account.
    public var account: String
    /// The name that people see: the petname, else the display name; `nil` without either.
    public var name: String?
    /// The name that this account has given it, on all of its own devices; no other account learns it.
    public var petname: String?
    /// The name that it has given itself, for all accounts that meet it.
    public var displayName: String?
    /// Whether it is this account.
    public var isThis: Bool

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(account: String, name: String?, petname: String?, displayName: String?, isThis: Bool) {
        self.account = account
        self.name = name
        self.petname = petname
        self.displayName = displayName
        self.isThis = isThis
    }

    enum CodingKeys: String, CodingKey {
        case account
        case name = "account_name"
        case petname
        case displayName = "display_name"
        case isThis = "this"
    }
}
