public import FoundationEssentials

/// A message.
public struct Message: Sendable, Hashable, Codable {
    /// Its id: 32 hexadecimal digits.
    public var message: String
    /// The zone that it is in.
    public var zone: String
    /// Where it stands among all messages on this device; grows in the order in which they came, or could be opened.
    public var number: UInt64
    /// The account that sent it.
    public var from: String
    /// The device that sent it.
    public var device: String
    /// When it was sent, by the sender's clock.
    public var sentAt: Date
    /// When it is gone; `nil` when it stays.
    public var expiresAt: Date?
    /// How many bytes it has.
    public var size: Int
    /// The media type of what it says.
    public var contentType: String
    /// What it says, if it is text and can be read here.
    public var text: String?
    /// What it says, if it is not text and can be read here.
    public var data: Data?
    /// The accounts that it is for; empty for all who may read the zone.
    public var recipients: [String]
    /// The message that it answers.
    public var replyTo: String?
    /// The message in whose place it is.
    public var edits: String?
    /// The message that it is a reaction to.
    public var reactsTo: String?
    /// How it stands with it on this device: `sent` from here; `waiting`: for this device and not finished; `finished` here;
    /// `for_others`: what it says cannot be read here; `failed`: it is for this device and cannot be opened.
    public var state: String
    /// What became of it on each device that it is for; only where one message was asked for.
    public var deliveries: [MessageReceipt]?

    enum CodingKeys: String, CodingKey {
        case message, zone, number, from, device, size, text, data, edits, state, deliveries
        case sentAt = "sent_at"
        case expiresAt = "expires_at"
        case contentType = "content_type"
        case recipients = "to"
        case replyTo = "reply_to"
        case reactsTo = "reacts_to"
    }
}

/// What became of a message on one device.
public struct MessageReceipt: Sendable, Hashable, Codable {
    /// The device's account.
    public var account: String
    /// The device.
    public var device: String
    /// `queued`: the device has not said that it has it; `delivered`: it has it and can read it; `read`: a program there has
    /// finished it; `failed`: it has it and cannot open it; `unconfirmed`: it may read the zone and not write in it, so it
    /// cannot say.
    public var state: String
}

/// A page of a zone's messages in the order in which they came.
public struct MessageList: Sendable, Hashable, Codable {
    /// The messages.
    public var messages: [Message]
    /// Continue behind this number; `nil` at the end.
    public var next: UInt64?
}
