/// What a program or a person may ask of the node about messages: sending them, the inbox, and what became of them.
package protocol MessagingAPI: Sendable {
    /// Sends a message to whoever may read a zone, or to some accounts of those.
    /// - Parameters:
    ///   - draft: What is sent.
    ///   - zone: Id text or unique name.
    /// - Returns: The message; it is durable, and goes out as soon as somebody is there.
    /// - Throws: `zoneUnknown`, `invalidArgument`, `messageTooLarge`, `messageNoRecipient`, `messageNotMember`,
    ///   `messageUnknown` for one that it answers and that is not in the zone, `accountUnknown`, `accountAmbiguous`,
    ///   `storageLimit`, and what refuses a record.
    func send(_ draft: MessageDraft, zone: String) async throws(NodeError) -> MessageView

    /// Takes what a message is to say that is too large for its record.
    ///
    /// It is sealed as it comes, and forgotten after a day unless a message says it.
    /// - Parameters:
    ///   - bytes: The bytes, in pieces of any size; at most ``Sync/PayloadWriter/byteCountMax`` in all.
    ///   - zone: Id text or unique name.
    /// - Returns: What to name in the message; it is durable.
    /// - Throws: `zoneUnknown`, `messageTooLarge`, and what refuses a commit; nothing of it is kept then.
    func handIn<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        zone: String
    ) async throws(NodeError) -> PayloadView where Bytes.Element == [UInt8]

    /// A part of what a message says, in its record or apart.
    /// - Parameters:
    ///   - id: The message.
    ///   - offset: From which byte on.
    /// - Returns: Some bytes from there, none at the end.
    /// - Throws: `messageUnknown`, also for one that cannot be read here; `messageIncomplete` when it is not all here yet.
    func content(ofMessage id: String, from offset: UInt64) async throws(NodeError) -> ContentPart

    /// The messages of a zone, those from here among them, in the order in which they came; without deliveries.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - number: Only behind this one; `nil` from the beginning.
    ///   - limit: 1...1,000.
    /// - Returns: A page; its `next` is where to go on.
    /// - Throws: `zoneUnknown`, `invalidArgument`.
    func messages(zone: String, after number: UInt64?, limit: Int) async throws(NodeError) -> MessagePage

    /// One message, with what became of it on each device that it is for.
    /// - Throws: `messageUnknown`.
    func message(_ id: String) async throws(NodeError) -> MessageView

    /// The messages that wait for an application on this device, in the order in which they came: each again and again, also
    /// after a restart, until it is finished, and never after that.
    /// - Parameters:
    ///   - number: Only behind this one; `nil` from the beginning. Numbers are those of one run of the daemon: whoever has waited over
    ///     a restart begins anew, for its store may have been set back.
    ///   - limit: 1...1,000.
    ///   - waitMilliseconds: How long to wait for one when there is none, 0...60,000.
    /// - Returns: The messages; none when the time is over, or the task is cancelled.
    /// - Throws: `invalidArgument`.
    func inbox(after number: UInt64?, limit: Int, waitMilliseconds: Int) async throws(NodeError) -> [MessageView]

    /// Says that a message was dealt with on this device: it does not come again, and its sender sees that it was read.
    ///
    /// Saying it twice is no error.
    /// - Throws: `messageUnknown` for one that is not here or is not for this device.
    func finishMessage(_ id: String) async throws(NodeError)
}

extension MessagingAPI {
    /// The messages that wait, from the first.
    package func inbox(limit: Int, waitMilliseconds: Int) async throws(NodeError) -> [MessageView] {
        try await inbox(after: nil, limit: limit, waitMilliseconds: waitMilliseconds)
    }
}
