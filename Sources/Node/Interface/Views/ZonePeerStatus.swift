package import Wire

/// The progress of one device with a zone.
package struct ZonePeerStatus: Sendable {
    /// The device.
    package var device: DeviceID
    /// Its account.
    package var account: AccountID
    /// Whether it holds all that this device holds, as far as is known here.
    package var inSync: Bool
    /// Operations that this device holds and it has not acknowledged.
    package var behind: UInt64

    /// Makes a status.
    package init(device: DeviceID, account: AccountID, inSync: Bool, behind: UInt64) {
        self.device = device
        self.account = account
        self.inSync = inSync
        self.behind = behind
    }
}
