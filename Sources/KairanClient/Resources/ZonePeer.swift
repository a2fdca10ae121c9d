/// The progress of one device with a zone.
public struct ZonePeer: Sendable, Hashable, Codable {
    /// The device.
    public var device: String
    /// Its account.
    public var account: String
    /// Whether it holds all that we hold, as far as we know.
    public var inSync: Bool
    /// Operations that we hold and it has not acknowledged.
    public var behind: UInt64

    enum CodingKeys: String, CodingKey {
        case device, account, behind
        case inSync = "in_sync"
    }
}
