/// The progress of one device with a zone.
public struct ZonePeer: Sendable, Hashable, Codable {
    /// The device.
    public var device: String
    /// Its account.
    public var account: String
    /// The name of that account here: a petname, else the name that it gives itself; `nil` without either.
    public var accountName: String?
    /// Whether it holds all that we hold, as far as we know.
    public var inSync: Bool
    /// Operations that we hold and it has not acknowledged.
    public var behind: UInt64

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(device: String, account: String, accountName: String? = nil, inSync: Bool, behind: UInt64) {
        self.device = device
        self.account = account
        self.accountName = accountName
        self.inSync = inSync
        self.behind = behind
    }

    enum CodingKeys: String, CodingKey {
        case device, account
        case accountName = "account_name"
        case inSync = "in_sync"
        case behind
    }
}
