/// The account and its active devices.
public struct Account: Sendable, Hashable, Codable {
    /// The account.
    public var account: String
    /// In the order in which they were added.
    public var devices: [Device]

    enum CodingKeys: String, CodingKey {
        case account, devices
    }
}
