package import Wire

/// A device that this one has met.
package struct PeerRow: Sendable {
    /// The device.
    package var device: DeviceID
    /// The most addresses that are kept of a device.
    package static let addressCountMax = 4

    /// Its last known addresses, newest first, at most ``addressCountMax``; each is a line of text.
    package var addresses: [String]
    /// The time of the last connection, in milliseconds since 1970; 0 = never.
    package var lastSeenMilliseconds: UInt64
    /// The highest version of the channel that was ever spoken with it; `nil` where that was not noted.
    package var channelVersion: ChannelVersion?

    /// Makes a row.
    package init(
        device: DeviceID,
        addresses: [String],
        lastSeenMilliseconds: UInt64,
        channelVersion: ChannelVersion? = nil
    ) {
        self.device = device
        self.addresses = addresses
        self.lastSeenMilliseconds = lastSeenMilliseconds
        self.channelVersion = channelVersion
    }

    /// Returns the row to keep where there was an earlier one: the highest version spoken is never forgotten.
    /// - Parameter earlier: The earlier row of the same device.
    /// - Returns: The row that is kept.
    package func replacing(_ earlier: PeerRow?) -> PeerRow {
        var row = self
        row.channelVersion = [channelVersion, earlier?.channelVersion].compactMap { $0 }.max()
        return row
    }
}
