import Mailbox
package import Wire

/// What is to be left for a device, before it is sealed.
package struct ParcelDraft: Hashable, Sendable {
    /// Encoded peer messages, in the order in which they are to be taken.
    package var messages: [[UInt8]]
    /// What of logs is among them.
    package var stretches: [PostedParcelRow.Stretch]
    /// Whether something is left that did not fit.
    package var hasMore: Bool

    /// How many bytes of messages fit one parcel, each with those of its length.
    package static let byteCountMax = Parcel.contentByteCountMax
    /// How many bytes of messages a parcel has as long as it need not be larger: what is sealed and kept at a time.
    package static let usualByteCount = 1_000_000

    /// How many bytes a message takes in a parcel.
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

/// What is wanted of a draft.
package struct ParcelDemand: Hashable, Sendable {
    /// For whom.
    package var device: DeviceID
    /// The device's account.
    package var account: AccountID
    /// The zones that are shared with it, if it is another account; of the own one's devices all are.
    package var zones: [ZoneID]
    /// Whether it is to say what of the account's logs is held here: something of the device was taken.
    package var acknowledges: Bool
    /// Whether what others wrote is to be in it, too: they may never come to leave it themselves.
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
