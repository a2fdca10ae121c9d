package import Wire

/// One log of a zone as a device last acknowledged it.
package struct AcknowledgementRow: Sendable {
    /// The device that acknowledged.
    package var device: DeviceID
    /// The log.
    package var key: LogKey
    /// The size up to which it is durable there.
    package var size: UInt64

    /// Makes a row.
    package init(device: DeviceID, key: LogKey, size: UInt64) {
        self.device = device
        self.key = key
        self.size = size
    }
}
