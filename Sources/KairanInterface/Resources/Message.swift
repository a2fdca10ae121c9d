public import FoundationEssentials

/// A message.
public struct Message: Sendable, Hashable, Codable {
    /// The state of a message on this device.
    public struct State: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It was sent from here.
        public static let sent = State(rawValue: "sent")
        /// It is for this device and not finished.
        public static let waiting = State(rawValue: "waiting")
        /// It is for this device, and its content is not all here yet.
        public static let fetching = State(rawValue: "fetching")
        /// It is finished here.
        public static let finished = State(rawValue: "finished")
        /// Its content cannot be read here.
        public static let forOthers = State(rawValue: "for_others")
        /// It is for this device and cannot be opened.
        public static let failed = State(rawValue: "failed")
        /// It was sent before this device could read the zone, and waits for no program.
        public static let earlier = State(rawValue: "earlier")
        /// The words that this version knows.
        public static let known: [State] = [.sent, .waiting, .fetching, .finished, .forOthers, .failed, .earlier]
    }

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
    /// The state of the message on this device.
    public var state: State
    /// The delivery to each recipient device; only in the answer to a request for one message.
    public var deliveries: [MessageDelivery]?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        message: String,
        zone: String,
        number: UInt64,
        from: String,
        fromName: String? = nil,
        device: String,
        sentAt: Date,
        expiresAt: Date?,
        size: Int,
        contentType: String,
        text: String?,
        data: Data?,
        payload: MessagePayload?,
        recipients: [String],
        replyTo: String?,
        edits: String?,
        reactsTo: String?,
        state: State,
        deliveries: [MessageDelivery]?
    ) {
        self.message = message
        self.zone = zone
        self.number = number
        self.from = from
        self.fromName = fromName
        self.device = device
        self.sentAt = sentAt
        self.expiresAt = expiresAt
        self.size = size
        self.contentType = contentType
        self.text = text
        self.data = data
        self.payload = payload
        self.recipients = recipients
        self.replyTo = replyTo
        self.edits = edits
        self.reactsTo = reactsTo
        self.state = state
        self.deliveries = deliveries
    }

    enum CodingKeys: String, CodingKey {
        case message, zone, number, from
        case fromName = "from_name"
        case device
        case sentAt = "sent_at"
        case expiresAt = "expires_at"
        case size
        case contentType = "content_type"
        case text, data, payload
        case recipients = "to"
        case replyTo = "reply_to"
        case edits
        case reactsTo = "reacts_to"
        case state, deliveries
    }
}

/// The part of a message's content that is here, if the content travels apart from the message's record.
public struct MessagePayload: Sendable, Hashable, Codable {
    /// The state of the transfer of a message's content.
    public struct State: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// All of it is here.
        public static let present = State(rawValue: "present")
        /// The device is fetching it, or waits for a device that holds it.
        public static let fetching = State(rawValue: "fetching")
        /// It is not here and is not being fetched: it is for other accounts, or was here and is gone.
        public static let absent = State(rawValue: "absent")
        /// The words that this version knows.
        public static let known: [State] = [.present, .fetching, .absent]
    }

    /// The payload's id.
    public var payload: String
    /// The state of the transfer.
    public var state: State
    /// The percentage of it that is here, 0...100.
    public var percent: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(payload: String, state: State, percent: Int) {
        (self.payload, self.state, self.percent) = (payload, state, percent)
    }
}

/// The uploaded content of a message that is to be sent.
public struct Payload: Sendable, Hashable, Codable {
    /// Its id, which ``OutgoingMessage/Content/payload(_:)`` names.
    public var payload: String
    /// The zone that it was uploaded for.
    public var zone: String
    /// The number of bytes.
    public var size: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(payload: String, zone: String, size: Int) {
        (self.payload, self.zone, self.size) = (payload, zone, size)
    }
}

/// The delivery of a message to one device.
public struct MessageDelivery: Sendable, Hashable, Codable {
    /// The progress of a delivery.
    public struct State: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The device has not acknowledged the message.
        public static let queued = State(rawValue: "queued")
        /// The device has not acknowledged the message, and a relay keeps it for the device.
        public static let relayed = State(rawValue: "relayed")
        /// The device has it and can read it.
        public static let delivered = State(rawValue: "delivered")
        /// A program there has finished it.
        public static let read = State(rawValue: "read")
        /// The device has it and cannot open it.
        public static let failed = State(rawValue: "failed")
        /// The device may read the zone but not write in it, so it cannot acknowledge.
        public static let unconfirmed = State(rawValue: "unconfirmed")
        /// The words that this version knows.
        public static let known: [State] = [.queued, .relayed, .delivered, .read, .failed, .unconfirmed]
    }

    /// The device's account.
    public var account: String
    /// The account's name here: a petname, else the name that it gives itself; `nil` without either.
    public var accountName: String?
    /// The device.
    public var device: String
    /// The progress of the delivery.
    public var state: State

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(account: String, accountName: String? = nil, device: String, state: State) {
        (self.account, self.accountName, self.device, self.state) = (account, accountName, device, state)
    }

    enum CodingKeys: String, CodingKey {
        case account
        case accountName = "account_name"
        case device, state
    }
}

/// A page of a zone's messages in the order in which they came.
public struct MessageList: Sendable, Hashable, Codable {
    /// The messages.
    public var messages: [Message]
    /// Continue behind this number; `nil` at the end.
    public var next: UInt64?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(messages: [Message], next: UInt64?) {
        (self.messages, self.next) = (messages, next)
    }
}

extension Message: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> =
        ["expires_at", "text", "data", "payload", "reply_to", "edits", "reacts_to", "deliveries"]
}

extension MessageList: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["next"]
}
