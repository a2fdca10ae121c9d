public import FoundationEssentials

/// A message.
public struct Message: Sendable, Hashable, Codable {
    /// Its id: 32 hexadecimal digits.
    public var message: String
    /// The zone that it is in.
    public var zone: String
    /// The position among all messages on this device; grows in the order in which they came, or could be opened.
    public var number: UInt64
    /// The account that sent it.
    public var from: String
    /// The name of that account here: a petname, else the name that it gives itself; `nil` without either.
    public var fromName: String?
    /// The device that sent it.
    public var device: String
    /// The time of sending, by the sender's clock.
    public var sentAt: Date
    /// The time at which it expires; `nil` when it stays.
    public var expiresAt: Date?
    /// The number of bytes of its content.
    public var size: Int
    /// The media type of the content.
    public var contentType: String
    /// The content, if it is text, is readable here, and is in the message's record.
    public var text: String?
    /// The content, if it is not text, is readable here, and is in the message's record.
    public var data: Data?
    /// The part of the content that is here, if the content is too large for its record and travels apart;
    /// ``DaemonClient/content(ofMessage:from:)`` reads it.
    public var payload: MessagePayload?
    /// The recipient accounts; empty for all accounts that may read the zone.
    public var recipients: [String]
    /// The message that it answers.
    public var replyTo: String?
    /// The message that it replaces.
    public var edits: String?
    /// The message that it is a reaction to.
    public var reactsTo: String?
    /// The state of the message on this device: `sent` from here; `waiting`: for this device and not finished;
    /// `fetching`: for this device, and its content is not all here yet; `finished` here; `for_others`: its content
    /// cannot be read here; `failed`: it is for this device and cannot be opened; `earlier`: sent before this device
    /// could read the zone, and waits for no program.
    public var state: String
    /// The state of the message on each recipient device; only in the answer to a request for one message.
    public var deliveries: [MessageReceipt]?

    enum CodingKeys: String, CodingKey {
        case message, zone, number, from, device, size, text, data, payload, edits, state, deliveries
        case sentAt = "sent_at"
        case expiresAt = "expires_at"
        case contentType = "content_type"
        case recipients = "to"
        case replyTo = "reply_to"
        case reactsTo = "reacts_to"
        case fromName = "from_name"
    }
}

/// The part of a message's content that is here, if the content travels apart from the message's record.
public struct MessagePayload: Sendable, Hashable, Codable {
    /// The payload's id.
    public var payload: String
    /// `present`: all of it is here; `fetching`: the device is fetching it, or waits for a device that holds it;
    /// `absent`: it is not here and is not being fetched, because it is for other accounts or was here and is gone.
    public var state: String
    /// The percentage of it that is here, 0...100.
    public var percent: Int
}

/// The uploaded content of a message that is to be sent.
public struct Payload: Sendable, Hashable, Codable {
    /// Its id, which ``OutgoingMessage/Content/payload(_:)`` names.
    public var payload: String
    /// The zone that it was uploaded for.
    public var zone: String
    /// The number of bytes.
    public var size: Int
}

/// The state of a message on one device.
public struct MessageReceipt: Sendable, Hashable, Codable {
    /// The device's account.
    public var account: String
    /// The account's name here: a petname, else the name that it gives itself; `nil` without either.
    public var accountName: String?
    /// The device.
    public var device: String
    /// `queued`: the device has not acknowledged it; `relayed`: not acknowledged, but a relay keeps it for the
    /// device; `delivered`: the device has it and can read it; `read`: a program there has finished it; `failed`: the
    /// device has it and cannot open it; `unconfirmed`: the device may read the zone but not write in it, so it
    /// cannot acknowledge.
    public var state: String

    enum CodingKeys: String, CodingKey {
        case account, device, state
        case accountName = "account_name"
    }
}

/// A page of a zone's messages in the order in which they came.
public struct MessageList: Sendable, Hashable, Codable {
    /// The messages.
    public var messages: [Message]
    /// Continue behind this number; `nil` at the end.
    public var next: UInt64?
}
