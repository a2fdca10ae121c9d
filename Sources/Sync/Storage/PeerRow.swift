package import Wire

/// What is remembered of a device that was met.
package struct PeerRow: Sendable {
    /// Which device.
    package var device: DeviceID
    /// Its last known addresses, newest first, at most 4.
    package var addresses: [String]
    /// When it was last connected, in milliseconds since 1970; 0 = never.
    package var lastSeenMilliseconds: UInt64

    /// Makes a row.
    package init(device: DeviceID, addresses: [String], lastSeenMilliseconds: UInt64) {
        self.device = device
        self.addresses = addresses
        self.lastSeenMilliseconds = lastSeenMilliseconds
    }
}
