package import Wire

/// The account.
package struct AccountStatus: Sendable {
    /// The account.
    package var account: AccountID
    /// Its active devices in the order in which they were added.
    package var devices: [DeviceStatus]

    /// Makes a status.
    package init(account: AccountID, devices: [DeviceStatus]) {
        self.account = account
        self.devices = devices
    }
}
