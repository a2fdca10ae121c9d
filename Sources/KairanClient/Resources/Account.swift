/// The account and its active devices.
public struct Account: Sendable, Hashable, Codable {
    /// The account.
    public var account: String
    /// In the order in which they were added.
    public var devices: [Device]
    /// The devices that were removed, in the order in which they had been added.
    public var removed: [NamedDevice]

    enum CodingKeys: String, CodingKey {
        case account, devices, removed
    }
}
