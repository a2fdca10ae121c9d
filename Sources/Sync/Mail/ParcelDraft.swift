import Mailbox
package import Wire

/// The content of a parcel for a device, before it is sealed.
package struct ParcelDraft: Hashable, Sendable {
    /// Encoded peer messages, in the order in which they are to be taken.
    package var messages: [[UInt8]]
    /// The stretches of logs among them.
    package var stretches: [PostedParcelRow.Stretch]
    /// Whether some content did not fit.
    package var hasMore: Bool

    /// The number of bytes of messages that fit one parcel, each with the bytes of its length.
    package static let byteCountMax = Parcel.contentByteCountMax
    /// The usual bytes of messages in a parcel that need not be larger: the amount that is sealed and kept at a time.
    package static let usualByteCount = 1_000_000

    /// The number of bytes that a message takes in a parcel.
    /// - Parameter byteCount: The bytes of its encoding.
    /// - Returns: With those of its length.
    package static func byteCount(ofMessage byteCount: Int) -> Int { Parcel.byteCount(ofMessage: byteCount) }

    /// Makes a draft.
    /// - Parameters: as the properties of the same names.
    package init(messages: [[UInt8]], stretches: [PostedParcelRow.Stretch], hasMore: Bool) {
        self.messages = messages
        self.stretches = stretches
        self.hasMore = hasMore
    }
}

/// A request for a draft.
package struct ParcelDemand: Hashable, Sendable {
    /// The receiving device.
    package var device: DeviceID
    /// The device's account.
    package var account: AccountID
    /// The zones shared with it, if it belongs to another account; devices of this account share all zones.
    package var zones: [ZoneID]
    /// Whether to state the parts of the account's logs that are held here, because something from the device was
    /// taken.
    package var acknowledges: Bool
    /// Whether to include the operations of other devices, which may never come to leave them themselves.
    package var forwards: Bool

    /// Makes a demand.
    /// - Parameters: as the properties of the same names.
    package init(
        device: DeviceID,
        account: AccountID,
        zones: [ZoneID] = [],
        acknowledges: Bool,
        forwards: Bool
    ) {
        self.device = device
        self.account = account
        self.zones = zones
        self.acknowledges = acknowledges
        self.forwards = forwards
    }
}
