public import FoundationEssentials

/// One device of the account.
public struct Device: Sendable, Hashable, Codable {
    /// The role of a device in its account.
    ///
    /// Only full ones write, and add or remove devices.
    public struct Role: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It does everything.
        public static let full = Role(rawValue: "full")
        /// It keeps records for other devices.
        public static let relayOnly = Role(rawValue: "relay_only")
        /// It reads, and does not write.
        public static let readOnly = Role(rawValue: "read_only")
        /// The words that this version knows.
        public static let known: [Role] = [.full, .relayOnly, .readOnly]
    }

    /// The device.
    public var device: String
    /// Its name.
    public var name: String
    /// The role of the device.
    public var role: Role
    /// The time at which it was added.
    public var addedAt: Date
    /// The time of its last connection; `nil` = never, or this device.
    public var lastSeen: Date?
    /// Whether the daemon runs on it.
    public var isThis: Bool

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(device: String, name: String, role: Role, addedAt: Date, lastSeen: Date?, isThis: Bool) {
        self.device = device
        self.name = name
        self.role = role
        self.addedAt = addedAt
        self.lastSeen = lastSeen
        self.isThis = isThis
    }

    enum CodingKeys: String, CodingKey {
        case device, name, role
        case addedAt = "added_at"
        case lastSeen = "last_seen"
        case isThis = "this"
    }
}
