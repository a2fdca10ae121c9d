package import Wire

/// The account.
package struct AccountStatus: Sendable {
    /// The account.
    package var account: AccountID
    /// Its active devices in the order in which they were added.
    package var devices: [DeviceStatus]
    /// Its removed devices in the order in which they were added.
    package var removed: [RemovedDeviceStatus]

    /// Makes a status.
    package init(account: AccountID, devices: [DeviceStatus], removed: [RemovedDeviceStatus] = []) {
        self.account = account
        self.devices = devices
        self.removed = removed
    }
}

/// A device that was removed from the account.
package struct RemovedDeviceStatus: Sendable, Hashable {
    /// The device.
    package var device: DeviceID
    /// The name under which it was added.
    package var name: String

    /// Makes a status.
    package init(device: DeviceID, name: String) {
        self.device = device
        self.name = name
    }
}
