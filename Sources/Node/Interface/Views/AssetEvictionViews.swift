package import KairanInterface
package import Wire

/// The answer of a device that was asked about the content of an asset.
package struct AssetHolderView: Sendable, Hashable {
    /// The device.
    package var device: DeviceID
    /// The account that it belongs to.
    package var account: AccountID
    /// The answer, or the reason why there is none.
    package var answer: AssetHolder.Answer
    /// The end of its promise, in milliseconds since 1970; `nil` where it has made none.
    package var until: UInt64?

    /// Describes an answer.
    /// - Parameters: as the properties of the same names.
    package init(device: DeviceID, account: AccountID, answer: AssetHolder.Answer, until: UInt64? = nil) {
        (self.device, self.account, self.answer, self.until) = (device, account, answer, until)
    }
}

/// The machines that are known to hold the content of an asset.
package struct AssetCopiesView: Sendable, Hashable {
    /// Another device of this account that has stated that it holds the content.
    package struct Holder: Sendable, Hashable {
        /// The device.
        package var device: DeviceID
        /// The time of the statement, in milliseconds since 1970.
        package var statedAt: UInt64

        /// Describes a holder.
        package init(device: DeviceID, statedAt: UInt64) {
            (self.device, self.statedAt) = (device, statedAt)
        }
    }

    /// The number of devices of this account, this one included.
    package var machineCount: Int
    /// The number of relays that have promised to keep it.
    package var relayCount: Int
    /// The other devices among them, by device.
    package var holders: [Holder]

    /// Describes copies.
    /// - Parameters: as the properties of the same names.
    package init(machineCount: Int, relayCount: Int, holders: [Holder]) {
        (self.machineCount, self.relayCount, self.holders) = (machineCount, relayCount, holders)
    }
}

/// The outcome of an eviction.
package struct AssetEvictionView: Sendable, Hashable {
    /// The id of the content.
    package var asset: PayloadID
    /// The state of the content on this device.
    package var state: Asset.State
    /// The bytes of the content that was dropped; 0 where it was not here.
    package var freedByteCount: UInt64
    /// The answers of the devices that were asked.
    package var holders: [AssetHolderView]

    /// Describes an outcome.
    /// - Parameters: as the properties of the same names.
    package init(asset: PayloadID, state: Asset.State, freedByteCount: UInt64, holders: [AssetHolderView]) {
        self.asset = asset
        self.state = state
        self.freedByteCount = freedByteCount
        self.holders = holders
    }
}
