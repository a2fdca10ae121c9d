public import FoundationEssentials

/// The machines that are known to have a copy of the content of an asset.
public struct AssetCopies: Sendable, Hashable, Codable {
    /// Another device of this account that has said that it has the content.
    public struct Holder: Sendable, Hashable, Codable {
        /// The id of the device.
        public var device: String
        /// The time at which it said so last; the daemon asks again after a week.
        public var statedAt: Date

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(device: String, statedAt: Date) {
            (self.device, self.statedAt) = (device, statedAt)
        }

        enum CodingKeys: String, CodingKey {
            case device
            case statedAt = "stated_at"
        }
    }

    /// The number of devices of this account that have the content as far as is known here, this one included.
    public var machines: Int
    /// The number of relays that have promised to keep it sealed, for other devices.
    public var relays: Int
    /// The other devices among them.
    public var holders: [Holder]

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(machines: Int, relays: Int = 0, holders: [Holder] = []) {
        (self.machines, self.relays, self.holders) = (machines, relays, holders)
    }
}
