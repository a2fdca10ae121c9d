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
