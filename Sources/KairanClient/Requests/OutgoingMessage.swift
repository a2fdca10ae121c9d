public import FoundationEssentials

/// A message that is to be sent.
public struct OutgoingMessage: Sendable, Hashable {
    /// The content of a message.
    public enum Content: Sendable, Hashable {
        /// A text.
        case text(String)
        /// Anything else.
        case data(Data)
        /// Content that was uploaded before, because of its size: the id of a ``Payload`` of the same zone.
        case payload(String)
    }

    /// The relation of a message to an earlier one of its zone, with the id of the earlier one.
    public enum Reference: Sendable, Hashable {
        /// A reply to the earlier message.
        case reply(to: String)
        /// A replacement of the earlier message's content; only the sender of that message may edit it.
        case edit(of: String)
        /// A short sign of the sender's reaction to the earlier message.
        case reaction(to: String)
    }

    /// The content; at most 16 KiB, unless it was uploaded before.
    public var content: Content
    /// The media type of the content; `nil` for the usual one, plain text or bytes of any kind.
    public var contentType: String?
    /// The recipients, each by its name, its id, or at least the first eight characters of the id; empty for all accounts
    /// that may read the zone.
    public var recipients: [String]
    /// The earlier message that this one refers to, if any.
    public var reference: Reference?
    /// The lifetime in seconds from now; `nil` = unlimited.
    public var seconds: Int?

    /// Makes a message.
    /// - Parameters:
    ///   - content: The content; at most 16 KiB, unless it was uploaded before.
    ///   - contentType: The media type of the content; `nil` for the usual one.
    ///   - recipients: The recipient accounts; empty for all accounts that may read the zone.
    ///   - reference: The earlier message that this one refers to, if any.
    ///   - seconds: The lifetime in seconds from now; `nil` = unlimited.
    public init(
        _ content: Content,
        contentType: String? = nil,
        to recipients: [String] = [],
        reference: Reference? = nil,
        seconds: Int? = nil
    ) {
        self.content = content
        self.contentType = contentType
        self.recipients = recipients
        self.reference = reference
        self.seconds = seconds
    }

    /// Makes a text message.
    /// - Parameters:
    ///   - text: The text; at most 16 KiB.
    ///   - recipients: The recipient accounts; empty for all accounts that may read the zone.
    ///   - reference: The earlier message that this one refers to, if any.
    ///   - seconds: The lifetime in seconds from now; `nil` = unlimited.
    public init(_ text: String, to recipients: [String] = [], reference: Reference? = nil, seconds: Int? = nil) {
        self.init(.text(text), to: recipients, reference: reference, seconds: seconds)
    }

    /// As the daemon takes it.
    var json: JSONValue {
        var members: [JSONMember] = []
        switch content {
        case .text(let text): members.append(JSONMember("text", .string(text)))
        case .data(let data): members.append(JSONMember("data", .string(data.base64EncodedString())))
        case .payload(let id): members.append(JSONMember("payload", .string(id)))
        }
        if let contentType { members.append(JSONMember("content_type", .string(contentType))) }
        if !recipients.isEmpty { members.append(JSONMember("to", .array(recipients.map { .string($0) }))) }
        switch reference {
        case .reply(let message): members.append(JSONMember("reply_to", .string(message)))
        case .edit(let message): members.append(JSONMember("edits", .string(message)))
        case .reaction(let message): members.append(JSONMember("reacts_to", .string(message)))
        case nil: break
        }
        if let seconds {
            // The daemon refuses values that are out of range.
            let milliseconds = Int64(seconds).multipliedReportingOverflow(by: 1_000)
            members.append(
                JSONMember("expires_in_ms", .integer(milliseconds.overflow ? .max : milliseconds.partialValue))
            )
        }
        return .object(members)
    }
}
