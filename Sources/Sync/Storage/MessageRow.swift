package import Wire

/// The state of a message on this device; its content is in its record.
package struct MessageRow: Hashable, Sendable {
    /// The state of a message here; the raw values are stored.
    package enum State: Int, Sendable, CaseIterable {
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
        /// It was waiting or fetching, and its record is no message at present: another member has changed it, or the
        /// right of its sender has ended before it.
        case hidden = 8
    }

    /// Its id.
    package var id: MessageID
    /// Its place among all messages here: numbers grow in the order in which messages came, could be opened, or were
    /// shown again, and are never reused.
    package var number: UInt64
    /// The zone.
    package var zone: ZoneID
    /// Its record.
    package var tag: RecordTag
    /// The write that made its record: receipts name the message by it.
    package var place: Dot
    /// Its state here.
    package var state: State
    /// The time at which it expires, in milliseconds since 1970; `nil` when it stays.
    package var expires: UInt64?
    /// Whether this device still has to send a receipt with its state, or to seal its own message to a device that
    /// could not open it.
    package var owesAnswer: Bool
    /// The secret that seals its content beside the zone's key; `nil` where there is none, or it is not for this
    /// device.
    package var secret: StoredSecret?
    /// The payload with its content, where that travels apart from its record.
    package var payload: PayloadID?
    /// Whether all recipients have answered a message that was sent from here: no relay need keep its payload.
    package var isSettled: Bool
    /// Since when a message that was sent from here waits to be sealed again for a device that has had its share of the
    /// hour, in milliseconds since 1970; `nil` where it does not.
    package var heldSince: UInt64?

    /// Whether its payload is to be kept or fetched.
    package var needsPayload: Bool {
        switch state {
        case .sent, .waiting, .fetching, .finished, .hidden: true
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
        place: Dot,
        state: State,
        expires: UInt64? = nil,
        owesAnswer: Bool = false,
        secret: StoredSecret? = nil,
        payload: PayloadID? = nil,
        isSettled: Bool = false,
        heldSince: UInt64? = nil
    ) {
        self.id = id
        self.number = number
        self.zone = zone
        self.tag = tag
        self.place = place
        self.state = state
        self.expires = expires
        self.owesAnswer = owesAnswer
        self.secret = secret
        self.payload = payload
        self.isSettled = isSettled
        self.heldSince = heldSince
    }
}
