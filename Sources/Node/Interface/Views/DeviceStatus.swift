package import Wire

/// One device of the account.
package struct DeviceStatus: Sendable {
    /// The device.
    package var device: DeviceID
    /// Its name.
    package var name: String
    /// The role of the device.
    package var role: DeviceRole
    /// The time at which it was added, in milliseconds since 1970, from its certificate.
    package var addedMilliseconds: UInt64
    /// The time of its last connection, in milliseconds since 1970; `nil` = never or this device.
    package var lastSeenMilliseconds: UInt64?
    /// Whether it is this device.
    package var isThis: Bool

    /// Makes a status.
    package init(
        device: DeviceID,
        name: String,
        role: DeviceRole,
        addedMilliseconds: UInt64,
        lastSeenMilliseconds: UInt64?,
        isThis: Bool
    ) {
        self.device = device
        self.name = name
        self.role = role
        self.addedMilliseconds = addedMilliseconds
        self.lastSeenMilliseconds = lastSeenMilliseconds
        self.isThis = isThis
    }
}
