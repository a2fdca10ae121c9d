package import Wire

/// A message as it stands on this device; what it says is in its record.
package struct MessageRow: Hashable, Sendable {
    /// How it stands with a message here; the raw values are stored.
    package enum Standing: Int, Sendable, CaseIterable {
        /// It was sent from here.
        case sent = 1
        /// It is for this device, and its application has not finished it.
        case waiting = 2
        /// It was finished here.
        case finished = 3
        /// It is for others.
        case forOthers = 4
        /// It is for this device and cannot be opened.
        case failed = 5
        /// It was sent before this device could read the zone.
        case earlier = 6
        /// It is for this device, and its payload is not all here yet.
        case fetching = 7
    }

    /// Its id.
    package var id: MessageID
    /// Where it stands among all messages here: grows in the order in which they came, or could be opened, and is never given
    /// twice.
    package var number: UInt64
    /// The zone.
    package var zone: ZoneID
    /// Its record.
    package var tag: RecordTag
    /// How it stands with it.
    package var standing: Standing
    /// When it is gone, in milliseconds since 1970; `nil` when it stays.
    package var expires: UInt64?
    /// Whether this device has yet to say in a receipt how it stands with it, or to seal what it sent itself to a device that could
    /// not open it.
    package var owesAnswer: Bool
    /// What its content is sealed under beside the zone's key; `nil` where it is not, or not for this device.
    package var secret: StoredSecret?
    /// What it says, where that travels apart from its record.
    package var payload: PayloadID?
    /// Whether all have said how it stands with what was sent from here: no relay need keep its payload.
    package var isSettled: Bool

    /// Whether its payload is to be kept, or to be had.
    package var needsPayload: Bool {
        switch standing {
        case .sent, .waiting, .fetching, .finished: true
        case .forOthers, .failed, .earlier: false
        }
    }

    /// Describes a message.
    /// - Parameters: as the properties of the same names.
    package init(
        id: MessageID,
        number: UInt64,
        zone: ZoneID,
        tag: RecordTag,
        standing: Standing,
        expires: UInt64? = nil,
        owesAnswer: Bool = false,
        secret: StoredSecret? = nil,
        payload: PayloadID? = nil,
        isSettled: Bool = false
    ) {
        self.id = id
        self.number = number
        self.zone = zone
        self.tag = tag
        self.standing = standing
        self.expires = expires
        self.owesAnswer = owesAnswer
        self.secret = secret
        self.payload = payload
        self.isSettled = isSettled
    }
}
