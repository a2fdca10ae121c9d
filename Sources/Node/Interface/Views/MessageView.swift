package import KairanInterface
package import Wire

/// A message as programs see it.
package struct MessageView: Sendable, Hashable {
    /// The message's id: 32 hexadecimal digits.
    package var id: String
    /// The zone it is in.
    package var zone: ZoneID
    /// The position of the message among the messages here; grows in order of arrival.
    package var number: UInt64
    /// The account it is from.
    package var account: AccountID
    /// The device it was sent from.
    package var device: DeviceID
    /// The time of sending by the sender's clock, in milliseconds since 1970.
    package var sentAt: UInt64
    /// The time at which it expires, in milliseconds since 1970; `nil` when it stays.
    package var expiresAt: UInt64?
    /// The size of its content in bytes.
    package var byteCount: UInt64
    /// The media type of the content.
    package var contentType: String
    /// The content; `nil` where it cannot be read, or is a payload.
    package var content: [UInt8]?
    /// The progress of the payload; `nil` for a message without one.
    package var payload: PayloadProgress?
    /// The accounts that it is for; empty for all readers of the zone.
    package var recipients: [AccountID]
    /// The message that it is about, if any.
    package var about: MessageReference?
    /// The state of the message on this device.
    package var state: Message.State
    /// The state of the delivery to each device that the message is for; `nil` where the caller did not ask for it.
    package var deliveries: [DeliveryView]?

    /// Describes a message.
    /// - Parameters: as the properties of the same names.
    package init(
        id: String,
        zone: ZoneID,
        number: UInt64,
        account: AccountID,
        device: DeviceID,
        sentAt: UInt64,
        expiresAt: UInt64? = nil,
        byteCount: UInt64,
        contentType: String,
        content: [UInt8]?,
        payload: PayloadProgress? = nil,
        recipients: [AccountID] = [],
        about: MessageReference? = nil,
        state: Message.State,
        deliveries: [DeliveryView]? = nil
    ) {
        self.id = id
        self.zone = zone
        self.number = number
        self.account = account
        self.device = device
        self.sentAt = sentAt
        self.expiresAt = expiresAt
        self.byteCount = byteCount
        self.contentType = contentType
        self.content = content
        self.payload = payload
        self.recipients = recipients
        self.about = about
        self.state = state
        self.deliveries = deliveries
    }
}

/// The delivery of a message to one device, as programs see it.
package struct DeliveryView: Sendable, Hashable {
    /// The device's account.
    package var account: AccountID
    /// The device.
    package var device: DeviceID
    /// The progress of the delivery.
    package var state: MessageDelivery.State

    /// Describes a delivery.
    /// - Parameters: as the properties of the same names.
    package init(account: AccountID, device: DeviceID, state: MessageDelivery.State) {
        self.account = account
        self.device = device
        self.state = state
    }
}

/// Some messages of a zone, and the place to continue from.
package struct MessagePage: Sendable, Hashable {
    /// The messages.
    package var messages: [MessageView]
    /// The number behind which the next page begins; `nil` for the last page.
    package var next: UInt64?

    /// Makes a page.
    /// - Parameters: as the properties of the same names.
    package init(messages: [MessageView], next: UInt64?) {
        (self.messages, self.next) = (messages, next)
    }
}
