/// A message that a program is about to send.
package struct MessageDraft: Sendable, Hashable {
    /// The content, at most 16 KiB; empty with a payload.
    package var content: [UInt8]
    /// The id of the uploaded payload that is the message's content; `nil` where `content` is.
    package var payload: String?
    /// The media type of the content, such as `text/plain; charset=utf-8`.
    package var contentType: String
    /// The accounts that it is for, each by its name, its id, or at least the first eight characters of the id; empty for
    /// all readers.
    package var recipients: [String]
    /// The message that it answers, changes or reacts to, if it is about another one.
    package var about: MessageReference?
    /// The lifetime in milliseconds from now; `nil` when the message stays.
    package var lifetimeMilliseconds: UInt64?

    /// Makes a draft.
    /// - Parameters: as the properties of the same names.
    package init(
        content: [UInt8],
        payload: String? = nil,
        contentType: String,
        recipients: [String] = [],
        about: MessageReference? = nil,
        lifetimeMilliseconds: UInt64? = nil
    ) {
        self.content = content
        self.payload = payload
        self.contentType = contentType
        self.recipients = recipients
        self.about = about
        self.lifetimeMilliseconds = lifetimeMilliseconds
    }
}

/// The reference of a message to an earlier one.
package struct MessageReference: Sendable, Hashable {
    /// The relation of a message to the earlier one.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It answers it.
        case reply
        /// It replaces the content of the other one; only that one's sender may do so.
        case edit
        /// It is a short sign of its sender's opinion of the other one.
        case reaction
    }

    /// The relation to the earlier message.
    package var kind: Kind
    /// The other one's id.
    package var message: String

    /// Refers to a message.
    /// - Parameters: as the properties of the same names.
    package init(kind: Kind, message: String) {
        (self.kind, self.message) = (kind, message)
    }
}
