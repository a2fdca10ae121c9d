public import FoundationEssentials

/// One device of the account.
public struct Device: Sendable, Hashable, Codable {
    /// The device.
    public var device: String
    /// Its name.
    public var name: String
    /// The role of the device: `full`, `relay_only` or `read_only`.
    public var role: String
    /// The time at which it was added.
    public var addedAt: Date
    /// The time of its last connection; `nil` = never, or this device.
    public var lastSeen: Date?
    /// Whether the daemon runs on it.
    public var isThis: Bool

    enum CodingKeys: String, CodingKey {
        case device, name, role
        case addedAt = "added_at"
        case lastSeen = "last_seen"
        case isThis = "this"
    }
}
