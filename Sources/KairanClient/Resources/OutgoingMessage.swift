public import FoundationEssentials

/// A message that is to be sent.
public struct OutgoingMessage: Sendable, Hashable {
    /// What a message can say.
    public enum Content: Sendable, Hashable {
        /// A text.
        case text(String)
        /// Anything else.
        case data(Data)
        /// What was handed in before, for its size: the id of a ``Payload`` of the same zone.
        case payload(String)
    }

    /// What a message is to an earlier one of its zone, by that one's id.
    public enum Reference: Sendable, Hashable {
        /// It answers it.
        case reply(to: String)
        /// It says something else in its place; only who sent the other one may.
        case edit(of: String)
        /// It is a short sign of what its sender thinks of it.
        case reaction(to: String)
    }

    /// What it says; at most 16 KiB, but for what was handed in before.
    public var content: Content
    /// The media type of what it says; `nil` for the usual one, plain text or bytes of any kind.
    public var contentType: String?
    /// The accounts that it is for, each by its id or its first 16 characters or more; empty for all who may read the zone.
    public var recipients: [String]
    /// The message that it is about, if it is about another one.
    public var reference: Reference?
    /// When it is gone, in seconds from now; `nil` when it stays.
    public var seconds: Int?

    /// Makes a message.
    /// - Parameters:
    ///   - content: What it says; at most 16 KiB, but for what was handed in before.
    ///   - contentType: The media type of what it says; `nil` for the usual one.
    ///   - recipients: The accounts that it is for; empty for all who may read the zone.
    ///   - reference: The message that it is about, if it is about another one.
    ///   - seconds: When it is gone, in seconds from now; `nil` when it stays.
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

    /// Makes a message that says a text.
    /// - Parameters:
    ///   - text: What it says; at most 16 KiB.
    ///   - recipients: The accounts that it is for; empty for all who may read the zone.
    ///   - reference: The message that it is about, if it is about another one.
    ///   - seconds: When it is gone, in seconds from now; `nil` when it stays.
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
            // What is out of range is for the daemon to refuse.
            let milliseconds = Int64(seconds).multipliedReportingOverflow(by: 1_000)
            members.append(
                JSONMember("expires_in_ms", .integer(milliseconds.overflow ? .max : milliseconds.partialValue))
            )
        }
        return .object(members)
    }
}
