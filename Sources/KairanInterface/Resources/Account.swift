/// The account and its active devices.
public struct Account: Sendable, Hashable, Codable {
    /// The account.
    public var account: String
    /// The name that it gives itself; `nil` before it has one.
    public var accountName: String?
    /// In the order in which they were added.
    public var devices: [Device]
    /// The devices that were removed, in the order in which they had been added.
    public var removed: [NamedDevice]

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(account: String, accountName: String? = nil, devices: [Device], removed: [NamedDevice]) {
        (self.account, self.accountName, self.devices, self.removed) = (account, accountName, devices, removed)
    }

    enum CodingKeys: String, CodingKey {
        case account
        case accountName = "account_name"
        case devices, removed
    }
}
